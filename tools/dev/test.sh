#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the build needs, builds everything, runs all tests. Arguments go to ctest: test.sh -L unit
# -R Token. For a bare Debian 12, as root or with sudo.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages tools/dev/packages.txt
prepare_python
build release
ctest --test-dir build/release --output-on-failure -j2 "$@"
