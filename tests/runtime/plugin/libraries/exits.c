/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that ends the process that loads it. Loaded by loader_test and scan_test.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

/* The system call itself: ThreadSanitizer takes an _exit() from within dlopen() for a fault of its own. */
__attribute__((constructor)) static void leave(void) { syscall(SYS_exit_group, 7); }
