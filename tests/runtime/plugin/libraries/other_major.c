/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of another major: only the first three members of its table are as ours. Loaded by loader_test and
 * scan_test.
 */
#include <headrace/plugin.h>

static const uint32_t table[] = {12, HEADRACE_ABI_MAJOR + 1, 0};

const headrace_plugin* headrace_plugin_get(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
  return (const headrace_plugin*)(const void*)table;
}
