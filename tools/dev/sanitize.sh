#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The unit tests under AddressSanitizer with UndefinedBehaviorSanitizer, then under ThreadSanitizer.
# Arguments go to ctest.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages tools/dev/packages.txt tools/dev/packages_check.txt
prepare_python
for preset in asan tsan; do
  build "$preset"
  ctest --preset "$preset" -j2 "$@"
done
