/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin: one shared library with one exported symbol, headrace_plugin_get. It is loaded once and never
 * unloaded. While scanning it is loaded in a child process first: the function must only hand out its table,
 * without starting threads or reading files.
 */
#pragma once

#include "host.h"

HEADRACE_BEGIN_C

/** The first three members stay where they are in every major, so that any host can name what it refuses. */
typedef struct headrace_plugin {
  uint32_t size;
  uint32_t abi_major;     /**< HEADRACE_ABI_MAJOR of the headers it was built with */
  uint32_t abi_min_minor; /**< least minor whose features it needs */
  uint32_t op_count;
  const char* name;    /**< the part before the dot in its ops' names */
  const char* version; /**< the plugin's own, "1.2.0" */
  const char* doc;     /**< one sentence */
  const headrace_op* const* ops;
} headrace_plugin;

/** The exported function. Static data comes back, whatever the host's version: the host decides and says why.
 * [any] */
typedef const headrace_plugin* headrace_plugin_get_function(uint32_t host_abi_major, uint32_t host_abi_minor);

HEADRACE_EXPORT const headrace_plugin* headrace_plugin_get(uint32_t host_abi_major, uint32_t host_abi_minor);

HEADRACE_END_C
