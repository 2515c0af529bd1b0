/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that ends the process that loads it. Loaded by loader_test and scan_test.
 */
#include <unistd.h>

__attribute__((constructor)) static void leave(void) { _exit(7); }
