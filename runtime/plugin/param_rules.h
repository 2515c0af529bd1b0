// SPDX-License-Identifier: Apache-2.0
//
// The rules that one parameter's spec must obey, its default among them. Called by table_rules.cpp. Pure.

#pragma once

#include <headrace/op.h>

#include <string>
#include <vector>

namespace headrace {

/// The ends of sentences that begin "parameter 'k' of 'acme.blur'", one a broken rule, appended to `broken`.
void check_param(const headrace_param_spec& spec, std::vector<std::string>& broken);

}  // namespace headrace
