#include "core/tensor/dtype_format.h"

#include <fmt/core.h>

#include <bit>
#include <charconv>
#include <optional>

namespace dlscope::core {
namespace {

constexpr bool kLittle = std::endian::native == std::endian::little;
constexpr char kForeignOrder = kLittle ? '>' : '<';

// Whether a value of this kind can have that width: there is no bool of 4 bytes and no float of 3.
bool width_fits(DTypeCode code, std::int64_t bytes) {
  switch (code) {
    case DTypeCode::bool_:
      return bytes == 1;
    case DTypeCode::float_:
      return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
    case DTypeCode::complex:
      return bytes == 4 || bytes == 8 || bytes == 16;  // 32 bytes have more bits than DLPack can express
    default:
      return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  }
}

Result<DType> make(DTypeCode code, std::int64_t bytes, std::string_view what) {
  if (!width_fits(code, bytes)) {
    return fail(ErrorKind::unsupported, fmt::format("{} with items of {} bytes has no DLPack dtype", what, bytes));
  }
  return DType{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bytes * 8), 1};
}

std::optional<DTypeCode> code_of_format(std::string_view letters) {
  if (letters.size() == 2 && letters[0] == 'Z' && (letters[1] == 'f' || letters[1] == 'd')) return DTypeCode::complex;
  if (letters.size() != 1) return std::nullopt;
  switch (letters[0]) {
    case '?':
      return DTypeCode::bool_;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return DTypeCode::int_;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return DTypeCode::uint;
    case 'e':
    case 'f':
    case 'd':
    case 'g':
      return DTypeCode::float_;
    case 'F':
    case 'D':
      return DTypeCode::complex;  // letters of Python 3.14
    default:
      return std::nullopt;
  }
}

std::optional<DTypeCode> code_of_kind(char kind) {
  switch (kind) {
    case 'b':
      return DTypeCode::bool_;
    case 'i':
      return DTypeCode::int_;
    case 'u':
      return DTypeCode::uint;
    case 'f':
      return DTypeCode::float_;
    case 'c':
      return DTypeCode::complex;
    default:
      return std::nullopt;
  }
}

Error foreign_order(std::string_view what) {
  return {ErrorKind::unsupported, fmt::format("{} is not in this machine's byte order", what)};
}

}  // namespace

Result<DType> dtype_of_format(std::string_view format, std::int64_t item_bytes) {
  if (format.empty()) format = "B";
  const std::string what = fmt::format("format '{}'", format);
  std::string_view letters = format;
  const bool has_order = letters.size() > 1 && std::string_view("@=<>!").find(letters[0]) != std::string_view::npos;
  const char order = has_order ? letters[0] : '@';
  if (has_order) letters.remove_prefix(1);
  const auto code = code_of_format(letters);
  if (!code) return fail(ErrorKind::unsupported, what + " is not a single number");
  // A union of ctypes is "B", whatever its size.
  if ((letters == "b" || letters == "B") && item_bytes != 1)
    return fail(ErrorKind::unsupported, fmt::format("{} is one byte, and an item has {}", what, item_bytes));
  const bool foreign = order == kForeignOrder || (order == '!' && kLittle);
  if (foreign && item_bytes > 1) return std::unexpected(foreign_order(what));
  return make(*code, item_bytes, what);
}

Result<DType> dtype_of_typestr(std::string_view typestr) {
  const std::string what = fmt::format("typestr '{}'", typestr);
  if (typestr.size() < 3 || std::string_view("<>|=").find(typestr[0]) == std::string_view::npos) {
    return fail(ErrorKind::invalid, what + " is not a typestr");
  }
  const auto code = code_of_kind(typestr[1]);
  if (!code) return fail(ErrorKind::unsupported, what + " is not a plain number");
  std::int64_t bytes = 0;
  const char* const end = typestr.data() + typestr.size();
  const auto parsed = std::from_chars(typestr.data() + 2, end, bytes);
  if (parsed.ec != std::errc{} || parsed.ptr != end || bytes <= 0) {
    return fail(ErrorKind::invalid, what + " has no item size");
  }
  if (typestr[0] == kForeignOrder && bytes > 1) return std::unexpected(foreign_order(what));
  return make(*code, bytes, what);
}

std::string format_of_dtype(DType dtype) {
  if (dtype.lanes != 1) return {};
  const int bytes = dtype.bits / 8;
  const auto letter = [&](std::string_view one_two_four_eight) {
    const bool whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
    const char found =
        whole ? one_two_four_eight[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(bytes)))] : '\0';
    return found == '\0' ? std::string{} : std::string(1, found);
  };
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::bool_:
      return dtype.bits == 8 ? "?" : "";
    case DTypeCode::int_:
      return letter("bhiq");
    case DTypeCode::uint:
      return letter("BHIQ");
    case DTypeCode::float_:
      return letter(std::string_view("\0efd", 4));
    case DTypeCode::complex:
      return dtype.bits == 64 ? "Zf" : dtype.bits == 128 ? "Zd" : "";
    default:
      return {};
  }
}

std::string typestr_of_dtype(DType dtype) {
  const std::uint32_t bits = dtype.item_bits();
  if (bits % 8 != 0) return {};
  const std::string format = format_of_dtype(dtype);
  if (format.empty()) return fmt::format("|V{}", bits / 8);
  if (dtype.code == static_cast<std::uint8_t>(DTypeCode::bool_)) return "|b1";
  static constexpr std::string_view kKinds = "iuf??c";  // by DLPack's type code
  return fmt::format("{}{}{}", bits == 8 ? '|' : kLittle ? '<' : '>', kKinds[dtype.code], bits / 8);
}

}  // namespace dlscope::core
