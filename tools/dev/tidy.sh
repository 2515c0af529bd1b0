#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy over runtime, plugins, tools and sdk: compiles them by the tidy preset, whose every finding is
# an error. A file is looked at again only when it changed.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages tools/dev/packages.txt tools/dev/packages_check.txt
configure tidy
cmake --build --preset tidy -j "$(nproc)" -- -k 0
