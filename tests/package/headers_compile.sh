#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# headers_compile.sh CC CXX INCLUDE_DIR: every public header on its own, without a warning: the C ones as C11 and as
# C++17, those under cpp/ as C++20.
set -euo pipefail
cc=$1 cxx=$2 include_dir=$3
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

compile() { # HEADER COMPILER...
  echo "#include <$1>" | "${@:2}" $warnings -I"$include_dir" -fsyntax-only - && echo "ok: $1 by ${*:2}"
}

cd "$include_dir"
for header in headrace/*.h; do
  compile "$header" "$cc" -std=c11 -x c
  compile "$header" "$cxx" -std=c++17 -x c++
done
for header in headrace/cpp/*.hpp; do
  compile "$header" "$cxx" -std=c++20 -x c++
done
