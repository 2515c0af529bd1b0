// SPDX-License-Identifier: Apache-2.0
//
// Both ends of the pipe and of the cache file are of one build, so the shape needs no version of its own.

#include "runtime/plugin/scan_result.h"

#include <nlohmann/json.hpp>

namespace headrace {

ScanResult sound_result(const Registry& registry) {
  const LoadedPlugin& plugin = registry.plugins().front();
  ScanResult result;
  result.name = plugin.name;
  result.version = plugin.version;
  result.doc = plugin.doc;
  result.abi_major = plugin.abi_major;
  result.abi_min_minor = plugin.abi_min_minor;
  for (const std::string& name : registry.op_names()) {
    const headrace_op& op = registry.find(name)->table;
    result.ops.push_back({name, op.doc, op.version});
  }
  return result;
}

ScanResult refusal(Code code, std::string reason, bool may_heal) {
  ScanResult result;
  result.status = Status(code, std::move(reason));
  result.may_heal = may_heal;
  return result;
}

nlohmann::json to_json(const ScanResult& result) {
  if (!result.status.ok()) {
    return {{"code", static_cast<headrace_status>(result.status.code())},
            {"reason", result.status.message()},
            {"may_heal", result.may_heal}};
  }
  nlohmann::json ops = nlohmann::json::array();
  for (const ScannedOp& op : result.ops)
    ops.push_back({{"name", op.name}, {"doc", op.doc}, {"version", op.version}});
  return {{"code", 0},
          {"name", result.name},
          {"version", result.version},
          {"doc", result.doc},
          {"abi_major", result.abi_major},
          {"abi_min_minor", result.abi_min_minor},
          {"ops", std::move(ops)}};
}

std::optional<ScanResult> scan_result_from_json(const nlohmann::json& json) {
  try {
    const auto code = json.at("code").get<headrace_status>();
    if (code != 0) {
      return refusal(static_cast<Code>(code), json.at("reason").get<std::string>(),
                     json.at("may_heal").get<bool>());
    }
    ScanResult result;
    result.name = json.at("name").get<std::string>();
    result.version = json.at("version").get<std::string>();
    result.doc = json.at("doc").get<std::string>();
    result.abi_major = json.at("abi_major").get<std::uint32_t>();
    result.abi_min_minor = json.at("abi_min_minor").get<std::uint32_t>();
    for (const nlohmann::json& op : json.at("ops")) {
      result.ops.push_back({op.at("name").get<std::string>(), op.at("doc").get<std::string>(),
                            op.at("version").get<std::uint32_t>()});
    }
    return result;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace headrace
