// SPDX-License-Identifier: Apache-2.0
//
// acme_test PLUGIN.so: the stranger's own test of one op, without a graph, by headrace::testing.
#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstdio>

using namespace headrace::testing;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OpBench bench(load_plugin(argv[1]), {.op = "acme.invert"});
  const Outcome out = bench.map({{"image", Value::tensor<std::uint8_t>({1, 3, 1}, {0, 55, 255})}});
  const bool right =
      out.ok() && out.record["image"].elements<std::uint8_t>() == std::vector<std::uint8_t>{255, 200, 0};
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
