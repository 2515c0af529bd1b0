// SPDX-License-Identifier: Apache-2.0
//
// my_plugin.brighten on the bench, without a graph. The library's path is the one argument.

#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstdio>

using namespace headrace::testing;

int main(int count, char** words) {
  if (count != 2) return 2;
  OpBench bench(load_plugin(words[1]), {.op = "my_plugin.brighten", .with = {{"by", "100"}}});
  const Outcome out = bench.map({{"image", Value::tensor<std::uint8_t>({1, 1, 3}, {0, 100, 200})}});
  const bool is_right =
      out.ok() && out.record["image"] == Value::tensor<std::uint8_t>({1, 1, 3}, {100, 200, 255});
  if (!is_right) std::printf("my_plugin.brighten gave something else: %s\n", out.error.c_str());
  return is_right ? 0 : 1;
}
