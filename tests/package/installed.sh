#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# installed.sh NINJA BUILD QUICKSTART
#
# The target that QUICKSTART builds makes every file that `cmake --install BUILD` takes from the build tree.
set -euo pipefail
ninja=$1 build=$2 quickstart=$3

target=$(sed -n 's/^build release //p' "$quickstart")
made=$("$ninja" -C "$build" -t commands "$target" | tr ' ' '\n' | sort -u)
known=$("$ninja" -C "$build" -t targets all | sed 's/: [^:]*$//' | sort -u)
taken=$(find "$build" -name cmake_install.cmake -exec grep -ho '"/[^"]*"' {} + | tr -d '"' | grep "^$build/" |
  sed "s|^$build/||" | sort -u)

# What no target makes, configuring has made.
wanted=$(comm -12 <(echo "$taken") <(echo "$known"))
[[ $(echo "$wanted" | wc -l) -ge 9 ]] || { echo "cmake_install.cmake was not understood: $wanted"; exit 1; }
missing=$(comm -23 <(echo "$wanted") <(echo "$made"))
[[ -z $missing ]] || { echo "$target does not make $missing"; exit 1; }
