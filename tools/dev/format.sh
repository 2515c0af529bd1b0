#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Says which files clang-format would change, and exits 1 when there is one; format.sh --fix changes them.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages tools/dev/packages_check.txt
how=(--dry-run -Werror)
[ "${1:-}" != --fix ] || how=(-i)
git ls-files -z '*.h' '*.hpp' '*.c' '*.cpp' | xargs -0 clang-format-14 "${how[@]}"
