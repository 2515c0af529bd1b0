/* SPDX-License-Identifier: Apache-2.0
 *
 * The library that needs_absent needs. Loaded by loader_test and scan_test.
 */
__attribute__((visibility("default"))) int absent_function(void) { return 1; }
