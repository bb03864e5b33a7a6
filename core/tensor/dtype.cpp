#include "core/tensor/dtype.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <type_traits>

namespace dlscope::core {
namespace {

struct NamedDType {
  std::string_view name;
  DTypeCode code;
  std::uint8_t bits;
  bool decodable;  // values can be shown as numbers
};

// Names of NumPy and ml_dtypes, for one lane. float128 is NumPy's name for the platform's long double, so it has a name, but the
// format of its bytes is not known.
constexpr std::array kNames{
    NamedDType{"int1", DTypeCode::int_, 1, true},
    NamedDType{"int2", DTypeCode::int_, 2, true},
    NamedDType{"int4", DTypeCode::int_, 4, true},
    NamedDType{"int8", DTypeCode::int_, 8, true},
    NamedDType{"int16", DTypeCode::int_, 16, true},
    NamedDType{"int32", DTypeCode::int_, 32, true},
    NamedDType{"int64", DTypeCode::int_, 64, true},
    NamedDType{"uint1", DTypeCode::uint, 1, true},
    NamedDType{"uint2", DTypeCode::uint, 2, true},
    NamedDType{"uint4", DTypeCode::uint, 4, true},
    NamedDType{"uint8", DTypeCode::uint, 8, true},
    NamedDType{"uint16", DTypeCode::uint, 16, true},
    NamedDType{"uint32", DTypeCode::uint, 32, true},
    NamedDType{"uint64", DTypeCode::uint, 64, true},
    NamedDType{"float16", DTypeCode::float_, 16, true},
    NamedDType{"float32", DTypeCode::float_, 32, true},
    NamedDType{"float64", DTypeCode::float_, 64, true},
    NamedDType{"float128", DTypeCode::float_, 128, false},
    NamedDType{"opaque64", DTypeCode::opaque, 64, false},
    NamedDType{"bfloat16", DTypeCode::bfloat, 16, true},
    NamedDType{"complex32", DTypeCode::complex, 32, true},
    NamedDType{"complex64", DTypeCode::complex, 64, true},
    NamedDType{"complex128", DTypeCode::complex, 128, true},
    NamedDType{"bool", DTypeCode::bool_, 8, true},
    NamedDType{"float8_e3m4", DTypeCode::float8_e3m4, 8, true},
    NamedDType{"float8_e4m3", DTypeCode::float8_e4m3, 8, true},
    NamedDType{"float8_e4m3b11fnuz", DTypeCode::float8_e4m3b11fnuz, 8, true},
    NamedDType{"float8_e4m3fn", DTypeCode::float8_e4m3fn, 8, true},
    NamedDType{"float8_e4m3fnuz", DTypeCode::float8_e4m3fnuz, 8, true},
    NamedDType{"float8_e5m2", DTypeCode::float8_e5m2, 8, true},
    NamedDType{"float8_e5m2fnuz", DTypeCode::float8_e5m2fnuz, 8, true},
    NamedDType{"float8_e8m0fnu", DTypeCode::float8_e8m0fnu, 8, true},
    NamedDType{"float6_e2m3fn", DTypeCode::float6_e2m3fn, 6, true},
    NamedDType{"float6_e3m2fn", DTypeCode::float6_e3m2fn, 6, true},
    NamedDType{"float4_e2m1fn", DTypeCode::float4_e2m1fn, 4, true},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases{
    {{"half", "float16"}, {"float", "float32"}, {"double", "float64"}}};

const NamedDType* find_named(DType dtype) {
  for (const NamedDType& row : kNames) {
    if (static_cast<std::uint8_t>(row.code) == dtype.code && row.bits == dtype.bits) return &row;
  }
  return nullptr;
}

// The decimal number that `text` consists of; nullopt when it is anything else or does not fit.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "code17_bits3"
std::optional<DType> parse_numbered(std::string_view name) {
  constexpr std::string_view kCode = "code", kBits = "_bits";
  if (!name.starts_with(kCode)) return std::nullopt;
  name.remove_prefix(kCode.size());
  const std::size_t split = name.find(kBits);
  if (split == std::string_view::npos) return std::nullopt;
  const auto code = parse_number<std::uint8_t>(name.substr(0, split));
  const auto bits = parse_number<std::uint8_t>(name.substr(split + kBits.size()));
  if (!code || !bits) return std::nullopt;
  return DType{*code, *bits, 1};
}

std::optional<DType> parse_single_lane(std::string_view name) {
  for (const auto& [alias, canonical] : kAliases) {
    if (name == alias) name = canonical;
  }
  for (const NamedDType& row : kNames) {
    if (row.name == name) return DType{static_cast<std::uint8_t>(row.code), row.bits, 1};
  }
  return parse_numbered(name);
}

}  // namespace

constinit const decltype(kDecodableWidths) kDecodableWidths = [] {
  std::remove_const_t<decltype(kDecodableWidths)> sets{};
  for (const NamedDType& row : kNames) {
    if (row.decodable) sets[static_cast<std::size_t>(row.code)].add(row.bits);
  }
  return sets;
}();

std::string dtype_name(DType dtype) {
  const NamedDType* named = find_named(dtype);
  std::string name = named ? std::string(named->name) : fmt::format("code{}_bits{}", dtype.code, dtype.bits);
  if (dtype.lanes != 1) name += fmt::format("x{}", dtype.lanes);
  return name;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  // The whole name is tried first, because the x of "complex64" does not introduce a number of lanes.
  if (const auto dtype = parse_single_lane(name)) return dtype;
  const std::size_t mark = name.rfind('x');
  if (mark == std::string_view::npos) return std::nullopt;
  auto dtype = parse_single_lane(name.substr(0, mark));
  const auto lanes = parse_number<std::uint16_t>(name.substr(mark + 1));
  if (!dtype || !lanes) return std::nullopt;
  dtype->lanes = *lanes;
  return dtype;
}

}  // namespace dlscope::core
