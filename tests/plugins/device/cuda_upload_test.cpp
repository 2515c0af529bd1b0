// SPDX-License-Identifier: Apache-2.0
//
// The CUDA part of device.upload over the virtual run-time library: what is copied when, what waits for what,
// what is left behind.

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>

#include "device_records.h"
#include "virtual_cuda.h"

namespace headrace {
namespace {

using testing::Declared;
using testing::FieldSpec;
using testing::OpBench;
using testing::Outcome;
using testing::Record;
using testing::Value;

OpBench upload(const std::string& device = "auto") {
  return OpBench(*headrace_plugin_get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR),
                 {.op = "device.upload", .with = {{"device", "'" + device + "'"}}});
}

/// Long enough for what should not happen to happen.
constexpr std::chrono::milliseconds kAMoment{50};

class CudaUpload : public ::testing::Test {
 protected:
  CudaUpload() : copies_before_(virtual_cuda::counts().copies_started) {}
  void TearDown() override {
    const virtual_cuda::Counts now = virtual_cuda::counts();
    EXPECT_EQ(now.device_memory, 0);
    EXPECT_EQ(now.page_locked_memory, 0);
    EXPECT_EQ(now.streams, 0);
    EXPECT_EQ(now.events, 0);
    EXPECT_EQ(now.copies_done, now.copies_started);
  }
  /// A batch has two tensors with something in them.
  void wait_for_batches(int number) const { virtual_cuda::wait_for_copies(copies_before_ + 2 * number); }

  const int copies_before_;
};

void expect_uploaded(const Outcome& out, int number, int device) {
  ASSERT_TRUE(out.ok()) << out.error << (out.violations.empty() ? "" : out.violations.front());
  const Record before = batch(number);
  EXPECT_EQ(out.record.names(), before.names());
  for (const char* name : {"image", "label", "none"}) {
    const headrace_value& value = out.record[name].c();
    EXPECT_EQ(value.device.type, HEADRACE_CUDA);
    EXPECT_EQ(value.device.id, device);
    EXPECT_TRUE(virtual_cuda::is_on_device(value.data, device)) << name;
    ASSERT_NE(value.event, nullptr);
    EXPECT_EQ(value.event->synchronize(value.event), HEADRACE_OK);
  }
  EXPECT_EQ(out.record["image"].elements<float>(), before["image"].elements<float>());
  EXPECT_EQ(out.record["image"].c().layout, HEADRACE_LAYOUT_NCHW);
  EXPECT_EQ(out.record["label"].elements<std::int64_t>(), before["label"].elements<std::int64_t>());
  EXPECT_EQ(out.record["none"].shape(), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(out.record["path"].content(), "photo.jpg");
}

TEST_F(CudaUpload, MovesTensorsToTheFirstGpuAndLeavesTexts) {
  OpBench bench = upload();
  expect_uploaded(bench.map(batch(3)), 3, 0);
  EXPECT_TRUE(bench.logs().empty());
}

TEST_F(CudaUpload, MovesToTheGpuThatWasNamedAndGivesTheThreadItsOwnBack) {
  OpBench bench = upload("cuda:1");
  expect_uploaded(bench.map(batch(4)), 4, 1);
  EXPECT_EQ(virtual_cuda::current_device(), 0);
}

TEST_F(CudaUpload, DeclaresAnExchangeThatCopiesFromPageLockedMemory) {
  OpBench bench = upload("cuda:1");
  const Declared& declared =
      bench.declare({{FieldSpec::of("image", batch(0)["image"]), FieldSpec::of("path", Value::string("x"))}});
  EXPECT_EQ(declared.runs, HEADRACE_RUNS_ASYNC);
  EXPECT_TRUE(declared.exchange);
  ASSERT_EQ(declared.reads.size(), 1U);
  EXPECT_STREQ(declared.reads[0].memory->name, "page-locked");
  EXPECT_EQ(declared.writes[0].spec.to_string(), "image: float32[2, 3, 4, 5] NCHW on cuda:1");
  EXPECT_STREQ(declared.writes[0].memory->name, "cuda:1");
}

TEST_F(CudaUpload, RefusesGpusThatAreNotThereAndFieldsThatAreAlready) {
  EXPECT_EQ(upload("cuda:2").declare({{}}).fault_text(),
            "device: device cuda:2 is not there: the last GPU is cuda:1\n");
  const FieldSpec there = FieldSpec::of("image", batch(0)["image"]).on({HEADRACE_CUDA, 1});
  EXPECT_EQ(upload().declare({{there}}).fault_text(), "field 'image' lies on cuda:1 already\n");
}

TEST_F(CudaUpload, IsPendingUntilTheCopiesAreDone) {
  OpBench bench = upload();
  virtual_cuda::hold();
  auto call = std::async(std::launch::async, [&] { return bench.map(batch(5)); });
  wait_for_batches(1);
  EXPECT_EQ(call.wait_for(kAMoment), std::future_status::timeout);
  virtual_cuda::go();
  expect_uploaded(call.get(), 5, 0);
}

TEST_F(CudaUpload, UploadsManyAtOnce) {
  OpBench bench = upload();
  std::vector<Record> batches;
  for (int i = 0; i < 64; ++i) batches.push_back(batch(i));
  const std::vector<Outcome> out = bench.map_all(batches, 4);
  for (int i = 0; i < 64; ++i) expect_uploaded(out[static_cast<std::size_t>(i)], i, 0);
}

TEST_F(CudaUpload, WaitsForCopiesUnderWayBeforeItReportsOneThatCannotStart) {
  OpBench bench = upload();
  virtual_cuda::hold();
  virtual_cuda::refuse_copy(1);
  auto call = std::async(std::launch::async, [&] { return bench.map(batch(6)); });
  virtual_cuda::wait_for_copies(copies_before_ + 1);
  EXPECT_EQ(call.wait_for(kAMoment), std::future_status::timeout);
  virtual_cuda::go();
  const Outcome out = call.get();
  EXPECT_EQ(out.status, HEADRACE_DEVICE_ERROR);
  EXPECT_EQ(out.error,
            "starting a copy to the GPU failed: an illegal memory access was encountered "
            "(cudaErrorIllegalAddress)");
  expect_uploaded(bench.map(batch(7)), 7, 0);
}

TEST_F(CudaUpload, ReportsAFailureThatShowsOnlyAtTheEnd) {
  OpBench bench = upload();
  ASSERT_TRUE(bench.declare({{FieldSpec::of("image", batch(0)["image"])}}).ok());
  virtual_cuda::fail_next_wait();
  const Outcome out = bench.map({{"image", batch(0)["image"]}});
  EXPECT_EQ(out.status, HEADRACE_DEVICE_ERROR);
  EXPECT_EQ(out.error,
            "copying to the GPU failed: an illegal memory access was encountered (cudaErrorIllegalAddress)");
  EXPECT_TRUE(out.violations.empty());
}

TEST_F(CudaUpload, LetsABatchOutliveTheOp) {
  std::optional<Outcome> kept;
  {
    OpBench bench = upload();
    kept = bench.map(batch(8));
  }
  expect_uploaded(*kept, 8, 0);
  EXPECT_EQ(virtual_cuda::counts().streams, 1);
}

TEST_F(CudaUpload, CopiesNothingBeforeTheReadersOfWhatWasLetGoOfAreDone) {
  cudaStream_t reader = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking), cudaSuccess);
  OpBench bench = upload();
  std::latch kernel(1);
  {
    const Outcome first = bench.map(batch(9));
    const headrace_value& image = first.record["image"].c();
    ASSERT_EQ(image.event->wait_on_stream(image.event, reader), HEADRACE_OK);
    virtual_cuda::enqueue(reader, [&] { kernel.wait(); });
  }
  // The memory is free for the host, while the reader's kernel is still at it.
  auto second = std::async(std::launch::async, [&] { return bench.map(batch(10)); });
  wait_for_batches(2);
  EXPECT_EQ(virtual_cuda::counts().copies_done, copies_before_ + 2);
  EXPECT_EQ(second.wait_for(kAMoment), std::future_status::timeout);
  kernel.count_down();
  expect_uploaded(second.get(), 10, 0);
  cudaStreamDestroy(reader);
}

TEST_F(CudaUpload, IsAMatterOfTheHostWhereThereIsNoTensor) {
  OpBench bench = upload();
  const Outcome out = bench.map({{"path", Value::string("photo.jpg")}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(bench.declared().runs, HEADRACE_RUNS_CPU);
  EXPECT_TRUE(bench.logs().empty());
}

}  // namespace
}  // namespace headrace
