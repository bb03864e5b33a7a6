#include "core/search/value_test.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/search/sought_number.h"
#include "core/search/word_scan.h"
#include "core/tensor/complex_text.h"
#include "core/tensor/element.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

namespace {

// A part of a complex number, where NaN is sought as NaN.
bool is_part(double value, double wanted) { return std::isnan(wanted) ? std::isnan(value) : value == wanted; }

// Of an IEEE 754 float: the words that are equal to it. NaN, and 0, are matched by their magnitudes.
PartWords words_of_part(DType dtype, double wanted) {
  const std::uint64_t magnitudes = (std::uint64_t{1} << (dtype.bits - 1)) - 1;
  if (std::isnan(wanted)) {
    const std::uint64_t infinity = magnitudes & ~((std::uint64_t{1} << ieee_fraction_bits(dtype)) - 1);
    return {magnitudes, infinity + 1, magnitudes};
  }
  if (wanted == 0) return {magnitudes, 0, 0};
  const std::uint64_t bits = bits_of(dtype, wanted);
  return {~std::uint64_t{0}, bits, bits};
}

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
  for (unsigned value = 0; dtype.bits <= 8 && value < 256; ++value) {
    const std::byte byte{static_cast<unsigned char>(value)};
    test.byte_matches_[value] = test.value_matches({&byte, 1}, 0, 0);
  }
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
  mask_ = (std::uint64_t{1} << (bits - 1)) - 1;
  const std::uint64_t infinity = mask_ & ~((std::uint64_t{1} << fraction) - 1);
  switch (sought_) {
    case SearchedValue::special:
      ranges_ = {Range{1, (std::uint64_t{1} << fraction) - 1}, Range{infinity, mask_}};
      break;
    case SearchedValue::non_finite:
      ranges_[0] = {infinity, mask_};
      break;
    case SearchedValue::subnormal:
      ranges_[0] = {1, (std::uint64_t{1} << fraction) - 1};
      break;
    case SearchedValue::nan:
      ranges_[0] = {infinity + 1, mask_};
      break;
    case SearchedValue::infinite:
      ranges_[0] = {infinity, infinity};
      break;
    case SearchedValue::equal:
      break;
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
  // 1 or -1. The value itself may have no bits: infinity in a format without one, which nothing is equal to.
  const double sign = signs_.any() ? decode_bits(dtype_, stored_bits(dtype_, bits_of(dtype_, 1), signs_)).real : 1;
  parts_[0] = *value * sign;
  if (dtype_.bits < 16 || ieee_fraction_bits(dtype_) == 0) return {};
  word_bytes_ = dtype_.bits / 8u;
  const PartWords words = words_of_part(dtype_, parts_[0]);
  mask_ = words.mask;
  ranges_[0] = {words.low, words.high};
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
    part_words_[i] = words_of_part(part, parts_[i]);
  }
  word_bytes_ = part.bits / 8u;
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
  ranges_[0] = code == DTypeCode::bool_ && bits != 0 ? Range{1, all} : Range{bits, bits};
  mask_ = all;
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
      return value.as_unsigned >= ranges_[0].low && value.as_unsigned <= ranges_[0].high;
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

template <class Use>
bool ValueTest::by_words(std::size_t each, const Use& use) const {
  const bool pairs = sought_ == SearchedValue::equal && code_of(dtype_) == DTypeCode::complex;
  const auto words = [&]<class Word>(Word) {
    if (pairs) {
      PairScan<Word> scan;
      for (std::size_t i = 0; i < part_words_.size(); ++i) {
        scan.mask[i] = static_cast<Word>(part_words_[i].mask);
        scan.low[i] = static_cast<Word>(part_words_[i].low);
        scan.span[i] = static_cast<Word>(part_words_[i].high - part_words_[i].low);
      }
      use(scan);
      return true;
    }
    const auto low = [&](std::size_t i) { return static_cast<Word>(ranges_[i].low); };
    // An unused second range is a copy of the first.
    const std::size_t second = ranges_[1].low <= ranges_[1].high ? 1 : 0;
    const auto span = [&](std::size_t i) { return static_cast<Word>(ranges_[i].high - ranges_[i].low); };
    use(WordScan<Word>{static_cast<Word>(mask_), low(0), span(0), low(second), span(second)});
    return true;
  };
  if (each * 8 != dtype_.bits) return false;
  if (word_bytes_ == 2) return words(std::uint16_t{});
  if (word_bytes_ == 4) return words(std::uint32_t{});
  return word_bytes_ == 8 && words(std::uint64_t{});
}

bool ValueTest::is_item(const std::byte* at) const { return std::memcmp(at, item_.data(), item_.size()) == 0; }

std::uint64_t ValueTest::count(std::span<const std::byte> values, std::size_t each) const {
  std::uint64_t found = 0;
  if (by_words(each, [&](const auto& words) { found = words.count_values(values, each); })) return found;
  if (each == 1 && item_.empty()) {
    for (const std::byte value : values) found += byte_matches_[std::to_integer<unsigned>(value)] ? 1 : 0;
    return found;
  }
  for (std::size_t at = 0; at + each <= values.size(); at += each)
    found += (item_.empty() ? value_matches(values.subspan(at, each), 0, 0) : is_item(values.data() + at)) ? 1 : 0;
  return found;
}

std::uint64_t ValueTest::each_match(std::span<const std::byte> values, std::size_t each,
                                    const std::function<bool(std::uint64_t)>& found) const {
  const std::uint64_t elements = values.size() / each;
  std::uint64_t passed = 0;
  const auto use_words = [&](const auto& words) {
    const auto hits = [&](std::uint64_t first, std::uint64_t count) -> std::uint64_t {
      return words.hits_of(values.data() + first * each, count, each);
    };
    passed = visit_matches(elements, words.block(each), hits, found);
  };
  if (by_words(each, use_words)) return passed;
  const auto hits = [&](std::uint64_t first, std::uint64_t some) { return count(values.subspan(first * each, some * each), each); };
  return visit_matches(elements, each == 1 || !item_.empty() ? kBlockWords : 1, hits, found);
}

std::optional<std::uint64_t> ValueTest::first(std::span<const std::byte> values, std::size_t each) const {
  std::optional<std::uint64_t> at;
  each_match(values, each, [&](std::uint64_t match) {
    at = match;
    return false;
  });
  return at;
}

}  // namespace dlscope::core
