#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# exports.sh LIBRARY [HEADER]: what the library exports is what it promises: each function that HEADER declares with
# HEADRACE_EXPORT, or without a header a plugin's one entry point; and nothing else.
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
if [ $# = 2 ]; then
  promised=$(tr '\n' ' ' < "$2" | grep -oP 'HEADRACE_EXPORT [^(;]*\bheadrace_\w+(?=\()' | grep -oP 'headrace_\w+$' | sort)
else
  promised=headrace_plugin_get
fi
diff <(echo "$promised") <(echo "$exported") || {
  echo "$1: '<' is promised but not exported, '>' is exported but not promised"
  exit 1
}
