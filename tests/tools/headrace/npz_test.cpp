// SPDX-License-Identifier: Apache-2.0
//
// .npz files read back by numpy itself.
#include "npz.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "values.h"

namespace headrace::cli {
namespace {

namespace fs = std::filesystem;

class Npz : public testing::Test {
 protected:
  ~Npz() override { fs::remove(path_); }

  /// Runs lines of Python with the file's arrays in `a` and numpy in `np`; skips without numpy.
  void numpy_agrees(const std::string& asserts) {
    const std::string python = HEADRACE_PYTHON;
    if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "no numpy";
    const std::string script = "import numpy as np\na = np.load('" + path_ + "')\n" + asserts;
    const std::string file = path_ + ".py";
    std::ofstream(file) << script;
    const int status = std::system((python + " " + file).c_str());
    fs::remove(file);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << script;
  }

  std::string path_ = testing::TempDir() + "npz_test_" + std::to_string(getpid()) + ".npz";
};

TEST_F(Npz, KeepsTensorsOfEveryType) {
  std::vector<std::uint8_t> u8{0, 255};
  std::vector<std::int64_t> i64{std::numeric_limits<std::int64_t>::min(), 7};
  std::vector<float> f32{0.5F, -2.0F, 1e-40F, 3.0F, 4.0F, 5.0F};
  std::vector<double> f64{0.1};
  std::vector<std::uint16_t> half{0x3c00, 0xc000};
  std::vector<std::uint16_t> brain{0x3f80, 0xc2f7};
  std::vector<std::uint8_t> flags{0, 1};
  const headrace_value a = tensor(u8, HEADRACE_UINT8, {2});
  const headrace_value b = tensor(i64, HEADRACE_INT64, {2});
  const headrace_value c = tensor(f32, HEADRACE_FLOAT32, {1, 2, 3});
  const headrace_value d = tensor(f64, HEADRACE_FLOAT64, {});
  const headrace_value e = tensor(half, HEADRACE_FLOAT16, {2});
  const headrace_value f = tensor(brain, HEADRACE_BFLOAT16, {2});
  const headrace_value g = tensor(flags, HEADRACE_BOOL, {2, 1});
  write_npz(path_,
            {{"u8", &a}, {"i64", &b}, {"f32", &c}, {"f64", &d}, {"half", &e}, {"brain", &f}, {"flags", &g}});
  numpy_agrees(
      "assert sorted(a) == ['brain', 'f32', 'f64', 'flags', 'half', 'i64', 'u8'], sorted(a)\n"
      "def same(key, want):\n"
      "  got = a[key]\n"
      "  assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), (key, got)\n"
      "same('u8', np.array([0, 255], np.uint8))\n"
      "same('i64', np.array([-2**63, 7], np.int64))\n"
      "same('f32', np.array([0.5, -2, 1e-40, 3, 4, 5], np.float32).reshape(1, 2, 3))\n"
      "same('f64', np.array(0.1, np.float64))\n"
      "same('half', np.array([1, -2], np.float16))\n"
      "same('brain', np.array([1, -123.5], np.float32))\n"
      "same('flags', np.array([[False], [True]]))\n");
}

TEST_F(Npz, KeepsAnEmptyTensor) {
  std::vector<float> none;
  const headrace_value value = tensor(none, HEADRACE_FLOAT32, {0, 3});
  write_npz(path_, {{"x", &value}});
  numpy_agrees("assert a['x'].shape == (0, 3) and a['x'].dtype == np.float32\n");
}

TEST_F(Npz, WritesTextsAsUnicode) {
  const ListValue paths({"a/b.jpg", "", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x88"}, HEADRACE_STRING_LIST);
  std::string one = "key 7";
  const headrace_value text = run_of_bytes(one, HEADRACE_STRING);
  write_npz(path_, {{"path", &paths}, {"key", &text}});
  numpy_agrees(
      "assert a['path'].dtype == np.dtype('<U7'), a['path'].dtype\n"
      "assert a['path'].tolist() == ['a/b.jpg', '', '\\u00e4\\u20ac\\U0001f408']\n"
      "assert a['key'].shape == () and a['key'] == 'key 7'\n");
}

TEST_F(Npz, LaysBytesEndToEnd) {
  const ListValue files({std::string("\0\xff", 2), "", "abc"}, HEADRACE_BYTES_LIST);
  std::string one("\x89PNG", 4);
  const headrace_value single = run_of_bytes(one, HEADRACE_BYTES);
  write_npz(path_, {{"bytes", &files}, {"single", &single}});
  numpy_agrees(
      "assert a['bytes'].tobytes() == b'\\x00\\xffabc' and a['bytes'].dtype == np.uint8\n"
      "assert a['bytes.offsets'].tolist() == [0, 2, 2, 5] and a['bytes.offsets'].dtype == np.int64\n"
      "assert a['single'].tobytes() == b'\\x89PNG'\n");
}

TEST_F(Npz, IsTheSameFileForTheSameBatch) {
  std::vector<float> data{1, 2, 3};
  const headrace_value value = tensor(data, HEADRACE_FLOAT32, {3});
  const auto contents = [&] {
    write_npz(path_, {{"x", &value}});
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = contents();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, contents());
}

TEST_F(Npz, KeepsBytesThatAreNoUtf8AsPythonKeepsFileNames) {
  const ListValue paths({"a\xff.jpg", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82"}, HEADRACE_STRING_LIST);
  write_npz(path_, {{"path", &paths}});
  numpy_agrees(
      "want = [b'a\\xff.jpg', b'\\xc0\\x80', b'\\xed\\xa0\\x80', b'\\xe2\\x82']\n"
      "assert a['path'].tolist() == [w.decode('utf-8', 'surrogateescape') for w in want], a['path']\n");
}

TEST_F(Npz, SaysWhereItCannotWrite) {
  std::vector<float> data{1};
  const headrace_value value = tensor(data, HEADRACE_FLOAT32, {1});
  try {
    write_npz("/nowhere/at/all.npz", {{"x", &value}});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.npz: cannot write: "), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace headrace::cli
