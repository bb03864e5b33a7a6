#include "core/search/value_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/search/sought_number.h"
#include "core/search/sought_words.h"
#include "core/tensor/complex_text.h"
#include "core/tensor/element.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

namespace {

// A part of a complex number, where NaN is sought as NaN.
bool is_part(double value, double wanted) { return std::isnan(wanted) ? std::isnan(value) : value == wanted; }

}  // namespace

bool can_be_special(DType dtype) {
  if (!dtype_is_known(dtype)) return false;
  const auto code = code_of(dtype);
  return code != DTypeCode::int_ && code != DTypeCode::uint && code != DTypeCode::opaque;
}

Result<ValueTest> ValueTest::make(DType dtype, SearchedValue sought, std::string_view text, SignBits signs) {
  const std::string name = dtype_name(dtype);
  if (dtype.code == kItemCode)
    return fail(ErrorKind::unsupported, sought == SearchedValue::equal ? "records are searched field by field: choose one of the fields"
                                                                      : "records and texts are no numbers");
  if (!dtype_is_known(dtype)) return fail(ErrorKind::unsupported, fmt::format("the values of {} are not known", name));
  if (sought == SearchedValue::equal) {
    if (const auto number = parse_real(text); number && std::isnan(*number)) sought = SearchedValue::nan;
  }
  ValueTest test(dtype, sought, signs);
  if (sought == SearchedValue::equal) {
    if (auto prepared = test.prepare_equal(text); !prepared) return std::unexpected(prepared.error());
  } else {
    test.prepare_words();
  }
  if (dtype.bits <= 8) test.prepare_bytes();
  return test;
}

ValueTest ValueTest::of_item(std::vector<std::byte> item) {
  ValueTest test(dtype_of_item(static_cast<std::uint32_t>(item.size())), SearchedValue::equal, {});
  test.item_ = std::move(item);
  return test;
}

// The ranges of NaN, infinity and subnormal numbers in IEEE 754 bit patterns with the sign masked off.
void ValueTest::prepare_words() {
  const unsigned fraction = ieee_fraction_bits(dtype_);
  if (fraction == 0) return;
  const unsigned bits = code_of(dtype_) == DTypeCode::complex ? dtype_.bits / 2u : dtype_.bits;
  word_bytes_ = bits / 8;
  const std::uint64_t size = (std::uint64_t{1} << (bits - 1)) - 1, fractions = (std::uint64_t{1} << fraction) - 1;
  const std::uint64_t infinity = size & ~fractions;
  WordRanges& words = words_[0];
  if (sought_ == SearchedValue::special) words = {size, {1, infinity}, {fractions - 1, size - infinity}};
  if (sought_ == SearchedValue::non_finite) words = WordRanges::one(size, infinity, size);
  if (sought_ == SearchedValue::subnormal) words = WordRanges::one(size, 1, fractions);
  if (sought_ == SearchedValue::nan) words = WordRanges::one(size, infinity + 1, size);
  if (sought_ == SearchedValue::infinite) words = WordRanges::one(size, infinity, infinity);
}

// Of at most 8 bits. In every format a sign bit or two ranges tell what matches.
void ValueTest::prepare_bytes() {
  std::array<bool, 256> hits{};
  for (unsigned value = 0; value < hits.size(); ++value) {
    const std::byte byte{static_cast<unsigned char>(value)};
    hits[value] = value_matches({&byte, 1}, 0, 0);
  }
  for (unsigned bits = 8; bits > 0 && word_bytes_ == 0; --bits) {
    const auto ranges = ranges_of_bytes(hits, bits);
    if (!ranges) continue;
    words_[0] = *ranges;
    word_bytes_ = 1;
  }
}

Result<void> ValueTest::prepare_equal(std::string_view text) {
  if (dtype_.lanes != 1)
    return fail(ErrorKind::unsupported,
                fmt::format("one number is not a value of {}; NaN and infinity can be searched for", dtype_name(dtype_)));
  if (code_of(dtype_) == DTypeCode::complex) return prepare_complex(text);
  return is_float(dtype_) ? prepare_float(text) : prepare_integer(text);
}

Result<void> ValueTest::prepare_float(std::string_view text) {
  const std::string name = dtype_name(dtype_);
  const auto wanted = parse_real(text);
  if (!wanted)
    return fail(ErrorKind::invalid, fmt::format("'{}' is not a number; {} has values such as 0.5, 1e-3, nan, inf", text, name));
  const auto value = rounded_to(dtype_, *wanted, text);
  if (!value) return fail(ErrorKind::invalid, why_out_of_range(dtype_, *wanted, text));
  // 1 or -1.
  const double sign = signs_.any() ? decode_bits(dtype_, stored_bits(dtype_, bits_of(dtype_, 1), signs_)).real : 1;
  parts_[0] = *value * sign;
  if (dtype_.bits < 16 || ieee_fraction_bits(dtype_) == 0) return {};
  word_bytes_ = dtype_.bits / 8u;
  words_[0] = words_of_part(dtype_, parts_[0]);
  return {};
}

Result<void> ValueTest::prepare_complex(std::string_view text) {
  const std::string name = dtype_name(dtype_);
  const DType part{static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype_.bits / 2), 1};
  const ComplexText typed = split_complex(text);
  const std::array<const std::string*, 2> texts{&typed.real, &typed.imaginary};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto wanted = parse_real(*texts[i]);
    if (!wanted)
      return fail(ErrorKind::invalid,
                  fmt::format("'{}' is not a complex number; {} has values such as 1+2j, 3j, 0.5, nan", text, name));
    const auto value = std::isnan(*wanted) ? wanted : rounded_to(part, *wanted, *texts[i]);
    if (!value) return fail(ErrorKind::invalid, fmt::format("{} has no value as large as {}", name, text));
    const bool flipped = i == 0 ? signs_.negate : signs_.negate != signs_.conjugate;
    parts_[i] = flipped ? -*value : *value;
    words_[i] = words_of_part(part, parts_[i]);
  }
  word_bytes_ = part.bits / 8u;
  each_part_ = true;
  return {};
}

Result<void> ValueTest::prepare_integer(std::string_view text) {
  const std::string name = dtype_name(dtype_);
  std::string digits(text == "True" ? "1" : text == "False" ? "0" : text);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  if (digits.starts_with('+')) digits.erase(0, 1);
  const bool negative = digits.starts_with('-');
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed =
      negative ? std::from_chars(digits.data(), end, as_signed) : std::from_chars(digits.data(), end, as_unsigned);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end)
    return fail(ErrorKind::invalid, fmt::format("'{}' is not an integer in digits, and {} holds nothing but integers", text, name));
  const auto code = code_of(dtype_);
  const bool is_signed = code == DTypeCode::int_;
  const std::uint64_t most = code == DTypeCode::bool_    ? 1
                             : dtype_.bits - is_signed == 64 ? std::numeric_limits<std::uint64_t>::max()
                                                         : (std::uint64_t{1} << (dtype_.bits - (is_signed ? 1 : 0))) - 1;
  const bool fits = parsed.ec == std::errc() &&
                    (negative ? (is_signed && as_signed >= -static_cast<std::int64_t>(most) - 1) || as_signed == 0
                              : as_unsigned <= most);
  if (!fits) return fail(ErrorKind::invalid, fmt::format("{} cannot hold {}", name, text));
  const std::uint64_t all = dtype_.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << dtype_.bits) - 1;
  const std::uint64_t bits =
      stored_bits(dtype_, (negative ? static_cast<std::uint64_t>(as_signed) : as_unsigned) & all, signs_);
  const bool any_true = code == DTypeCode::bool_ && bits != 0;
  lowest_ = any_true ? 1 : bits;
  highest_ = any_true ? all : bits;
  words_[0] = WordRanges::one(all, lowest_, highest_);
  if (dtype_.bits == 16 || dtype_.bits == 32 || dtype_.bits == 64) word_bytes_ = dtype_.bits / 8u;
  return {};
}

bool ValueTest::value_matches(std::span<const std::byte> piece, std::size_t bit, unsigned lane) const {
  const Value value = decode_element(dtype_, piece, bit, lane);
  const bool infinite =
      value.value_class == ValueClass::positive_infinity || value.value_class == ValueClass::negative_infinity;
  const bool subnormal = value.value_class == ValueClass::subnormal;
  switch (sought_) {
    case SearchedValue::special:
    case SearchedValue::non_finite:
      return value.value_class == ValueClass::nan || infinite || (subnormal && sought_ == SearchedValue::special) ||
             (value.kind == ValueKind::boolean && value.as_unsigned > 1);
    case SearchedValue::subnormal:
      return subnormal;
    case SearchedValue::nan:
      return value.value_class == ValueClass::nan;
    case SearchedValue::infinite:
      return infinite;
    case SearchedValue::equal:
      if (value.kind == ValueKind::real) return value.real == parts_[0];
      if (value.kind == ValueKind::complex) return is_part(value.real, parts_[0]) && is_part(value.imaginary, parts_[1]);
      return value.as_unsigned >= lowest_ && value.as_unsigned <= highest_;
  }
  return false;
}

bool ValueTest::matches(std::span<const std::byte> piece, std::size_t bit) const {
  if (!item_.empty()) return bit == 0 && piece.size() >= item_.size() && is_item(piece.data());
  for (unsigned lane = 0; lane < dtype_.lanes && bit + (lane + std::size_t{1}) * dtype_.bits <= piece.size() * 8; ++lane) {
    if (value_matches(piece, bit, lane)) return true;
  }
  return false;
}

bool ValueTest::is_item(const std::byte* at) const { return std::memcmp(at, item_.data(), item_.size()) == 0; }

bool ValueTest::by_words(std::size_t each) const { return word_bytes_ != 0 && each == (dtype_.bits + 7U) / 8; }

bool ValueTest::is_match(const std::byte* at, std::size_t each) const {
  if (!item_.empty()) return is_item(at);
  if (!by_words(each)) return value_matches({at, each}, 0, 0);
  const auto word = [&](const std::byte* from) {
    std::uint64_t bits = 0;
    switch (word_bytes_) {
      case 1:
        return std::to_integer<std::uint64_t>(*from);
      case 2:
        std::memcpy(&bits, from, 2);
        return bits;
      case 4:
        std::memcpy(&bits, from, 4);
        return bits;
      default:
        std::memcpy(&bits, from, 8);
        return bits;
    }
  };
  const bool first = words_[0].has(word(at));
  if (each == word_bytes_) return first;
  return each_part_ ? first && words_[1].has(word(at + word_bytes_)) : first || words_[0].has(word(at + word_bytes_));
}

std::uint64_t ValueTest::count(std::span<const std::byte> values, std::size_t each) const {
  const std::uint64_t all = values.size() / each;
  if (by_words(each)) {
    const auto log = static_cast<std::size_t>(std::countr_zero(word_bytes_));
    const SearchKernels& kernels = search_kernels();
    if (each == word_bytes_) return kernels.words[log](values.data(), all, words_[0]);
    return each_part_ ? kernels.both[log - 1](values.data(), all, words_) : kernels.either[log - 1](values.data(), all, words_[0]);
  }
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < all; ++i) found += is_match(values.data() + i * each, each) ? 1 : 0;
  return found;
}

std::optional<std::uint64_t> ValueTest::first(std::span<const std::byte> values, std::size_t each) const {
  constexpr std::uint64_t kBlockBytes = 16 << 10;  // fits into the level-1 cache
  const std::uint64_t all = values.size() / each, block = std::max<std::uint64_t>(1, kBlockBytes / each);
  for (std::uint64_t from = 0; from < all; from += block) {
    const std::uint64_t to = std::min(all, from + block);
    if (count(values.subspan(from * each, (to - from) * each), each) == 0) continue;
    for (std::uint64_t i = from; i < to; ++i)
      if (is_match(values.data() + i * each, each)) return i;
  }
  return std::nullopt;
}

}  // namespace dlscope::core
