/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that crashes while it is loaded. Loaded by loader_test and scan_test.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void crash(void) {
  fputs("the licence server said no\n", stderr);
  abort();
}
