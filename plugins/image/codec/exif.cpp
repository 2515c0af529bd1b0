// SPDX-License-Identifier: Apache-2.0
//
// The first directory of the TIFF structure in EXIF 2.32, section 4.5 and 4.6; and one pattern in XMP. See
// exif.h.
#include "codec/exif.h"

#include <cstring>
#include <optional>

namespace headrace::image {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kOrientationTag = 274;
constexpr std::size_t kEntryBytes = 12;
constexpr std::size_t kInlineBytes = 4;

/// Numbers of a TIFF structure in its own byte order. Reading beyond its end gives nothing.
class Tiff {
 public:
  explicit Tiff(std::string_view bytes) : bytes_(bytes), little_(bytes.substr(0, 2) == "II"sv) {}

  std::size_t size() const { return bytes_.size(); }

  std::optional<std::uint64_t> unsigned_at(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t byte = at + (little_ ? count - 1 - i : i);
      value = value << 8 | static_cast<unsigned char>(bytes_[byte]);
    }
    return value;
  }
  std::optional<double> signed_at(std::size_t at, std::size_t count) const {
    const std::optional<std::uint64_t> raw = unsigned_at(at, count);
    if (!raw) return std::nullopt;
    const auto unused = static_cast<int>(64 - 8 * count);
    return static_cast<double>(static_cast<std::int64_t>(*raw << unused) >> unused);
  }
  template <class Float, class Bits>
  std::optional<double> float_at(std::size_t at) const {
    const std::optional<std::uint64_t> raw = unsigned_at(at, sizeof(Bits));
    if (!raw) return std::nullopt;
    const auto bits = static_cast<Bits>(*raw);
    Float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }

 private:
  std::string_view bytes_;
  bool little_;
};

// TIFF's types by number; 0: none. 14, 15 and above 16 are not in use.
std::size_t bytes_of_type(std::uint64_t type) {
  constexpr std::size_t kBytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};
  return type < sizeof kBytes / sizeof kBytes[0] ? kBytes[type] : 0;
}

std::optional<double> quotient(std::optional<double> over, std::optional<double> under) {
  if (!over || !under || *under == 0) return std::nullopt;
  return *over / *under;
}

// The first number of an entry; none for bytes and text.
std::optional<double> number_at(const Tiff& tiff, std::uint64_t type, std::size_t at) {
  switch (type) {
    case 3:   // SHORT
    case 4:   // LONG
    case 13:  // IFD
    case 16:  // LONG8
      if (const auto value = tiff.unsigned_at(at, bytes_of_type(type))) return static_cast<double>(*value);
      return std::nullopt;
    case 5:  // RATIONAL
      if (const auto over = tiff.unsigned_at(at, 4))
        return quotient(static_cast<double>(*over), tiff.unsigned_at(at + 4, 4));
      return std::nullopt;
    case 6:  // SBYTE
    case 8:  // SSHORT
    case 9:  // SLONG
      return tiff.signed_at(at, bytes_of_type(type));
    case 10:  // SRATIONAL
      return quotient(tiff.signed_at(at, 4), tiff.signed_at(at + 4, 4));
    case 11:  // FLOAT
      return tiff.float_at<float, std::uint32_t>(at);
    case 12:  // DOUBLE
      return tiff.float_at<double, std::uint64_t>(at);
    default:
      return std::nullopt;
  }
}

bool starts_a_tiff(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 4);
  return start == "II*\0"sv || start == "MM\0*"sv || start == "II\0*"sv || start == "MM*\0"sv;
}

/// The tag's value, 0 where it is no number; nothing where there is no tag. Values that lie outside the entry
/// must lie inside the structure: the first that reaches out ends the directory, as for Pillow, and so do
/// entries that are missing.
std::optional<double> tiff_orientation(std::string_view bytes) {
  if (!starts_a_tiff(bytes)) return std::nullopt;
  const Tiff tiff(bytes);
  const std::optional<std::uint64_t> directory = tiff.unsigned_at(4, 4);
  if (!directory) return std::nullopt;
  const std::optional<std::uint64_t> entries = tiff.unsigned_at(*directory, 2);
  std::uint64_t outside = 0;
  for (std::uint64_t i = 0; i < entries.value_or(0); ++i) {
    const std::size_t at = *directory + 2 + i * kEntryBytes;
    if (!tiff.unsigned_at(at + kEntryBytes - 1, 1)) break;
    const std::uint64_t tag = *tiff.unsigned_at(at, 2);
    const std::uint64_t type = *tiff.unsigned_at(at + 2, 2);
    const std::uint64_t size = *tiff.unsigned_at(at + 4, 4) * bytes_of_type(type);
    std::size_t value = at + 8;
    if (size > kInlineBytes) {
      outside += size;
      if (outside > tiff.size()) continue;
      value = *tiff.unsigned_at(at + 8, 4);
      if (value > tiff.size() || size > tiff.size() - value) break;
    }
    if (tag == kOrientationTag && size > 0) return number_at(tiff, type, value).value_or(0);
  }
  return std::nullopt;
}

std::optional<double> exif_orientation(std::string_view exif) {
  if (exif.substr(0, kExifMark.size()) == kExifMark) exif.remove_prefix(kExifMark.size());
  return tiff_orientation(exif);
}

// The first `tiff:Orientation="6"` or `tiff:Orientation>6`.
std::optional<double> xmp_orientation(std::string_view xmp) {
  constexpr std::string_view kName = "tiff:Orientation"sv;
  for (std::size_t at = xmp.find(kName); at != std::string_view::npos; at = xmp.find(kName, at + 1)) {
    std::string_view rest = xmp.substr(at + kName.size());
    const std::size_t skipped = rest.substr(0, 2) == R"(=")"sv ? 2 : rest.substr(0, 1) == ">"sv ? 1 : 0;
    rest.remove_prefix(skipped);
    if (skipped > 0 && !rest.empty() && rest[0] >= '0' && rest[0] <= '9') return rest[0] - '0';
  }
  return std::nullopt;
}

}  // namespace

Orientation orientation_of(const Metadata& metadata) {
  std::optional<double> value = exif_orientation(metadata.exif);
  if (!value) value = xmp_orientation(metadata.xmp);
  for (int number = 2; value && number <= 8; ++number) {
    if (*value == number) return static_cast<Orientation>(number);
  }
  return Orientation::kUpright;
}

}  // namespace headrace::image
