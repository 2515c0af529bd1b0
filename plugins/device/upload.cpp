// SPDX-License-Identifier: Apache-2.0

#include "upload.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace headrace::device {
namespace {

/// -1: the host. Nothing: no device is called so.
std::optional<int> device_number(std::string_view name) {
  if (name == "cpu") return -1;
  if (name == "auto") return gpus().count > 0 ? 0 : -1;
  constexpr std::string_view kCuda = "cuda:";
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::string why_not(const std::string& name) {
  if (gpus().count == 0)
    return "device " + name + " cannot be used: " + gpus().reason + " (auto falls back to the host)";
  return "device " + name + " is not there: the last GPU is cuda:" + std::to_string(gpus().count - 1);
}

void move_tensors(Declaration& d, int device) {
  for (std::uint32_t i = 0; i < d.input().count; ++i) {
    const headrace_field_spec& field = *d.input().fields[i];
    if (field.kind != HEADRACE_TENSOR) continue;
    if (field.device.type == HEADRACE_CUDA) {
      d.error("", "field '" + std::string(field.name) + "' lies on cuda:" + std::to_string(field.device.id) +
                      " already");
      continue;
    }
    Spec moved(field);
    moved.device = {HEADRACE_CUDA, device};
    const std::int32_t input = d.read(field.name);
    const std::int32_t output = d.write(moved);
    d->input_memory(d.c(), input, page_locked_memory(device));
    d->output_memory(d.c(), output, device_memory(device));
    d->runs = HEADRACE_RUNS_ASYNC;
    d->exchange = 1;
  }
}

}  // namespace

void Upload::declare(Declaration& d) {
  const std::string name = d.params().string("device");
  const std::optional<int> device = device_number(name);
  if (!device) {
    d.error("device", "there is no device '" + name + "' (allowed: auto, cpu, cuda:0, cuda:1 ...)");
  } else if (*device >= gpus().count) {
    d.error("device", why_not(name));
  } else if (*device >= 0) {
    move_tensors(d, *device);
  }
}

Upload::Upload(const Config& config) {
  const Suites suites(config.host());
  if (config.output_count() > 0) {
    uploader_ = make_uploader(config.output(0).device.id, suites);
  } else if (config.params().string("device") == "auto" && gpus().count == 0) {
    const std::string said = "device auto is the host: " + gpus().reason;
    suites.diagnostics->log(&config.c().context, HEADRACE_LOG_INFO, text(said));
  }
}

}  // namespace headrace::device
