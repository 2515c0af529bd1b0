// SPDX-License-Identifier: Apache-2.0
//
// flow.zip: what the fields of the joined record are called.

#include "flow_bench.h"

namespace headrace {
namespace {

using testing::Declared;
using testing::OpBench;
using testing::Schema;

std::string taken(const Declared& declared) {
  std::string text = declared.fault_text();
  for (const Declared::Take& take : declared.takes) {
    text += std::to_string(take.input) + "." + take.field + (take.as == take.field ? "" : " as " + take.as) +
            "\n";
  }
  return text;
}

std::string zip(const std::vector<Schema>& inputs, std::map<std::string, std::string> with = {}) {
  OpBench bench(flow_plugin(), {.op = "flow.zip", .with = std::move(with)});
  return taken(bench.declare(inputs));
}

const Schema kCropped = {written_by("files", "label", kLabel), written_by("crop_a", "image", kPicture)};
const Schema kOther = {written_by("files", "label", kLabel), written_by("crop_b", "image", kPicture)};

TEST(Zip, TakesOnceWhatNoBranchChangedAndBothOfWhatBothChanged) {
  EXPECT_EQ(zip({kCropped, kOther}), "0.label\n0.image as image_0\n1.image as image_1\n");
}

TEST(Zip, RenamesAFieldThatOneBranchChanged) {
  const Schema plain = {written_by("files", "label", kLabel), written_by("decode", "image", kPicture)};
  EXPECT_EQ(zip({kCropped, plain}, {{"suffixes", "[_view, _full]"}}),
            "0.label\n0.image as image_view\n1.image as image_full\n");
}

TEST(Zip, KeepsTheNamesOfFieldsThatOneBranchHas) {
  const Schema mask = {written_by("files", "label", kLabel), written_by("mask", "mask", kPicture)};
  EXPECT_EQ(zip({kCropped, mask}), "0.label\n0.image\n1.mask\n");
}

TEST(Zip, DoesNotTrustFieldsOfUnknownOrigin) {
  const testing::FieldSpec known = written_by("x", "label", kLabel);
  headrace_field_spec spec = known.c();
  spec.origin = nullptr;
  const Schema unknown = {testing::FieldSpec(spec)};
  EXPECT_EQ(zip({unknown, unknown}), "0.label as label_0\n1.label as label_1\n");
}

TEST(Zip, SuffixesOnlyThoseInputsThatHaveTheField) {
  const Schema without = {written_by("files", "label", kLabel)};
  EXPECT_EQ(zip({kCropped, without, kOther}), "0.label\n0.image as image_0\n2.image as image_2\n");
}

TEST(Zip, ReportsNamesThatStillClash) {
  const Schema odd = {written_by("files", "label", kLabel), written_by("crop_b", "image", kPicture),
                      written_by("odd", "image_0", kPicture)};
  EXPECT_EQ(zip({kCropped, odd}),
            "suffixes: the output would have two fields 'image_0': 'image' of input 1 and 'image_0' of input "
            "2 (choose other suffixes)\n"
            "0.label\n0.image as image_0\n1.image as image_1\n");
  EXPECT_EQ(zip({kCropped, kOther}, {{"suffixes", "[_x, _x]"}}),
            "suffixes: the output would have two fields 'image_x': 'image' of input 1 and 'image' of input 2 "
            "(choose other suffixes)\n"
            "0.label\n0.image as image_x\n");
}

TEST(Zip, WantsASuffixForEachInput) {
  EXPECT_EQ(zip({kCropped, kOther}, {{"suffixes", "[_a, _b, _c]"}}),
            "suffixes: there are 3 suffixes for 2 inputs\n");
}

}  // namespace
}  // namespace headrace
