/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that never comes back, with a child that holds on to the pipes. Loaded by loader_test and
 * scan_test.
 */
#include <unistd.h>

__attribute__((constructor)) static void hang(void) {
  fork();
  for (;;) pause();
}
