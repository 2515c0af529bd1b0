/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that is no plugin. Loaded by loader_test and scan_test.
 */
__attribute__((visibility("default"))) int something_else(void) { return 1; }
