// SPDX-License-Identifier: Apache-2.0
//
// See npz.h.
#include "npz.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <headrace/cpp/utf8.hpp>
#include <memory>
#include <span>
#include <stdexcept>
#include <system_error>

#include "whole_file.h"

namespace headrace::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are declared '<'");

/// numpy's name of a dtype (numpy.dtype.str).
std::string_view array_type(headrace_dtype dtype) {
  constexpr std::string_view kTypes[] = {"",    "|b1", "|u1", "|i1", "<u2", "<i2", "<u4",
                                         "<i4", "<u8", "<i8", "<f2", "<f4", "<f4", "<f8"};
  return kTypes[dtype];
}

class Archive {
 public:
  explicit Archive(const std::string& path)
      : path_(path), file_(path), archive_(archive_write_new(), &archive_write_free) {
    if (!archive_) throw std::bad_alloc();
    must(archive_write_set_format_zip(archive_.get()));
    must(archive_write_zip_set_compression_store(archive_.get()));
    must(archive_write_set_bytes_in_last_block(archive_.get(), 1));
    must(archive_write_open(archive_.get(), file_.stream(), nullptr, &write_block, nullptr));
  }

  /// One array: `type` is numpy's, `data` its memory in C order.
  void add(std::string_view key, std::string_view type, std::span<const std::int64_t> shape,
           std::span<const std::byte> data) {
    const std::string header = array_header(type, shape);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         &archive_entry_free);
    if (!entry) throw std::bad_alloc();
    archive_entry_set_pathname_utf8(entry.get(), (std::string(key) + ".npy").c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), kFirstZipTime, 0);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(header.size() + data.size()));
    must(archive_write_header(archive_.get(), entry.get()));
    write(std::as_bytes(std::span(header)));
    write(data);
  }

  void close() {
    must(archive_write_close(archive_.get()));
    file_.commit();
  }

 private:
  /// 1980-01-01 12:00 UTC: the first day that zip can tell, in every time zone but the furthest west.
  static constexpr std::time_t kFirstZipTime = 315576000;

  /// numpy.lib.format, version 1.0: magic, version, length of the header (uint16), a dictionary padded so
  /// that data begins at a multiple of 64.
  static std::string array_header(std::string_view type, std::span<const std::int64_t> shape) {
    std::string axes;
    for (const std::int64_t axis : shape) axes += fmt::format("{},", axis);
    std::string dictionary =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, axes);
    constexpr std::size_t kPrefix = 10;
    dictionary.append((64 - (kPrefix + dictionary.size() + 1) % 64) % 64, ' ');
    dictionary += '\n';
    const auto length = static_cast<std::uint16_t>(dictionary.size());
    std::string header("\x93NUMPY\x01\x00", 8);
    header.append(reinterpret_cast<const char*>(&length), sizeof length);
    return header + dictionary;
  }

  /// For libarchive, whose own writer to a stream loses the reason of a write that succeeded in part.
  static la_ssize_t write_block(archive* archive, void* stream, const void* data, std::size_t size) {
    errno = 0;
    if (std::fwrite(data, 1, size, static_cast<std::FILE*>(stream)) == size)
      return static_cast<la_ssize_t>(size);
    archive_set_error(archive, errno, "%s", std::generic_category().message(errno).c_str());
    return -1;
  }

  void write(std::span<const std::byte> data) {
    while (!data.empty()) {
      const la_ssize_t written = archive_write_data(archive_.get(), data.data(), data.size());
      if (written <= 0) fail();
      data = data.subspan(static_cast<std::size_t>(written));
    }
  }
  void must(int result) const {
    if (result < ARCHIVE_WARN) fail();
  }
  [[noreturn]] void fail() const {
    const char* why = archive_error_string(archive_.get());
    throw std::runtime_error(path_ + ": cannot write: " + (why == nullptr ? "unknown reason" : why));
  }

  std::string path_;
  WholeFile file_;  ///< outlives the archive, whose end may write to it
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

/// Code points by RFC 3629. A byte that belongs to none becomes U+DC80 and what follows, as Python has it for
/// the names of files (PEP 383, surrogateescape): os.fsencode() gives the byte back.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    char32_t point = length == 0 ? 0xdc00U + lead : length == 1 ? lead : lead & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = point << 6U | (static_cast<unsigned char>(text[k]) & 0x3fU);
    points += point;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return points;
}

void add_texts(Archive& archive, std::string_view name, const headrace_value& value) {
  std::vector<std::u32string> texts;
  std::size_t longest = 1;
  for (const std::string_view element : list_elements(value)) {
    texts.push_back(code_points(element));
    longest = std::max(longest, texts.back().size());
  }
  std::u32string cells(texts.size() * longest, U'\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), cells.begin() + static_cast<std::ptrdiff_t>(i * longest));
  const std::int64_t count = value.shape[0];
  archive.add(name, fmt::format("<U{}", longest), std::span(&count, is_list(value) ? 1 : 0),
              std::as_bytes(std::span(cells)));
}

void add_bytes_list(Archive& archive, std::string_view name, const headrace_value& value) {
  std::string all;
  std::vector<std::int64_t> offsets{0};
  for (const std::string_view element : list_elements(value)) {
    all += element;
    offsets.push_back(static_cast<std::int64_t>(all.size()));
  }
  const auto size = static_cast<std::int64_t>(all.size());
  const auto count = static_cast<std::int64_t>(offsets.size());
  archive.add(name, "|u1", std::span(&size, 1), std::as_bytes(std::span(all)));
  archive.add(std::string(name) + ".offsets", "<i8", std::span(&count, 1), std::as_bytes(std::span(offsets)));
}

void add_tensor(Archive& archive, std::string_view name, const headrace_value& value) {
  const std::span shape(value.shape, static_cast<std::size_t>(value.ndim));
  if (value.dtype != HEADRACE_BFLOAT16) {
    archive.add(name, array_type(value.dtype), shape,
                {static_cast<const std::byte*>(value.data), value_bytes(value)});
    return;
  }
  std::vector<float> wide(static_cast<std::size_t>(headrace_value_elements(&value)));
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<float>(number_at(value, i));
  archive.add(name, array_type(HEADRACE_FLOAT32), shape, std::as_bytes(std::span(wide)));
}

}  // namespace

void write_npz(const std::string& path, const Fields& fields) {
  Archive archive(path);
  for (const auto& [name, value] : fields) {
    require_host_memory(name, *value);
    switch (value->kind) {
      case HEADRACE_STRING:
      case HEADRACE_STRING_LIST:
        add_texts(archive, name, *value);
        break;
      case HEADRACE_BYTES_LIST:
        add_bytes_list(archive, name, *value);
        break;
      default:
        add_tensor(archive, name, *value);
    }
  }
  archive.close();
}

}  // namespace headrace::cli
