// SPDX-License-Identifier: Apache-2.0

#include "mix.h"

#include "choice_random.h"
#include "field_text.h"

namespace headrace::flow {
namespace {

std::string input_name(std::uint32_t input) { return "input " + std::to_string(input + 1); }

void compare(Declaration& d, std::uint32_t input) {
  const headrace_schema& first = d.input(0);
  const headrace_schema& other = d.input(input);
  for (std::uint32_t i = 0; i < first.count; ++i) {
    const headrace_field_spec& field = *first.fields[i];
    const std::string name = field.name;
    const headrace_field_spec* same = d.find(name, input);
    if (same == nullptr) {
      d.error("", "input 1 has the field '" + name + "', which " + input_name(input) +
                      " lacks (what is mixed must have the same fields)");
    } else if (!alike(field, *same)) {
      d.error("", "field '" + name + "' is " + field_text(field) + " in input 1 but " + field_text(*same) +
                      " in " + input_name(input) + " (what is mixed must agree in all but sizes)");
    }
  }
  for (std::uint32_t i = 0; i < other.count; ++i) {
    if (d.find(other.fields[i]->name, 0) != nullptr) continue;
    d.error("", input_name(input) + " has the field '" + other.fields[i]->name +
                    "', which input 1 lacks (what is mixed must have the same fields)");
  }
}

}  // namespace

void Mix::declare(Declaration& d) {
  const std::vector<double> weights = d.params().numbers("weights");
  if (!weights.empty() && weights.size() != d.input_count()) {
    d.error("weights", "there are " + std::to_string(weights.size()) + " weights for " +
                           std::to_string(d.input_count()) + " inputs");
  }
  d->ends = d.params().string("ends") == "all" ? HEADRACE_ENDS_ALL : HEADRACE_ENDS_FIRST;
  for (std::uint32_t input = 1; input < d.input_count(); ++input) compare(d, input);
  for (std::uint32_t i = 0; i < d.input(0).count; ++i) {
    const std::string name = d.input(0).fields[i]->name;
    for (std::uint32_t input = 0; input < d.input_count(); ++input) {
      if (d.find(name, input) != nullptr) d.take(input, name, name);
    }
  }
}

void Mix::choose(headrace_choice& choice, const Suites& suites) const {
  const auto is_live = [&](std::uint32_t input) { return (choice.live >> input & 1U) != 0; };
  double total = 0;
  for (std::uint32_t input = 0; input < choice.count; ++input) total += is_live(input) ? weight(input) : 0;
  double left = static_cast<double>(random_bits(choice, suites) >> 11U) * 0x1p-53 * total;
  for (std::uint32_t input = 0; input < choice.count; ++input) {
    if (!is_live(input)) continue;
    choice.choice = input;  // the last live one, should rounding leave a crumb
    left -= weight(input);
    if (left < 0) return;
  }
}

}  // namespace headrace::flow
