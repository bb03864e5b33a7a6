#include "core/search/value_test.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "core/tensor/element.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {
namespace {

DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }

bool is_float(DType dtype) {
  const auto code = code_of(dtype);
  return code != DTypeCode::int_ && code != DTypeCode::uint && code != DTypeCode::bool_ && code != DTypeCode::opaque &&
         code != DTypeCode::complex;
}

Value decode_bits(DType dtype, std::uint64_t bits) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return decode_element({dtype.code, dtype.bits, 1}, bytes, 0);
}

// Parses a number as Python writes it; case does not matter, as in float("NaN").
std::optional<double> parse_real(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || copy.find_first_of("xXpP(") != std::string::npos) return std::nullopt;
  return value;
}

// The nearest value of a float format of at most 16 bits, found by comparing with all of them, so that no rounding code is
// needed; of two equally near values the one with the even bit pattern.
std::optional<double> nearest_small_float(DType dtype, double wanted) {
  std::optional<double> best;
  double best_error = 0, largest = 0;
  std::uint64_t best_bits = 0;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << dtype.bits); ++bits) {
    const double value = decode_bits(dtype, bits).real;
    if (!std::isfinite(value)) continue;
    largest = std::max(largest, std::abs(value));
    const double error = std::abs(value - wanted);
    if (!best || error < best_error || (error == best_error && best_bits % 2 != 0 && bits % 2 == 0)) {
      best = value;
      best_error = error;
      best_bits = bits;
    }
  }
  return std::abs(wanted) > largest ? std::nullopt : best;
}

// `wanted` rounded to the dtype's precision; nullopt: out of its range.
std::optional<double> rounded_to(DType dtype, double wanted, std::string_view text) {
  if (dtype.bits <= 16) return nearest_small_float(dtype, wanted);
  if (dtype.bits == 64) return std::isfinite(wanted) ? std::optional(wanted) : std::nullopt;
  const float value = std::strtof(std::string(text).c_str(), nullptr);  // from the text: a double in between would round twice
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// The value's only bit pattern. (Zero has two and is matched by its magnitude instead.)
std::uint64_t bits_of(DType dtype, double value) {
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << dtype.bits); ++bits) {
    if (decode_bits(dtype, bits).real == value) return bits;
  }
  return 0;
}

// What is stored where the library means this bit pattern.
std::uint64_t stored_bits(DType dtype, std::uint64_t meant, SignBits signs) {
  std::array<std::byte, sizeof meant> bytes{};
  std::memcpy(bytes.data(), &meant, sizeof meant);
  apply_sign_bits(dtype, signs, std::span(bytes).first((dtype.bits + 7U) / 8));
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data(), sizeof stored);
  return stored;
}

// The fraction bits of an IEEE 754 format (or bfloat16) whose words are compared directly; 0 for any other dtype.
unsigned ieee_fraction_bits(DType dtype) {
  const unsigned bits = code_of(dtype) == DTypeCode::complex ? dtype.bits / 2u : dtype.bits;
  if (code_of(dtype) == DTypeCode::bfloat) return bits == 16 ? 7 : 0;
  if (code_of(dtype) != DTypeCode::float_ && code_of(dtype) != DTypeCode::complex) return 0;
  return bits == 16 ? 10 : bits == 32 ? 23 : bits == 64 ? 52 : 0;
}

constexpr std::size_t kBlockWords = 4096;  // fits into the level-1 cache

// Counts the words w for which (w & mask) lies in one of two ranges, given as low and span.
template <class Word>
struct WordScan {
  Word mask, low0, span0, low1, span1;

  [[nodiscard]] bool hit(Word word) const {
    const Word w = word & mask;
    return static_cast<Word>(w - low0) <= span0 || static_cast<Word>(w - low1) <= span1;
  }
  // Without branches, so that the compiler vectorises the loop.
  [[nodiscard]] std::size_t count(const std::byte* from, std::size_t words) const {
    Word hits = 0;  // kBlockWords fits every Word type used here (8-bit words are not)
    for (std::size_t i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
      const Word w = word & mask;
      hits = static_cast<Word>(hits + (static_cast<Word>(static_cast<Word>(w - low0) <= span0) |
                                       static_cast<Word>(static_cast<Word>(w - low1) <= span1)));
    }
    return hits;
  }
  // The words of one element.
  [[nodiscard]] std::size_t hits(const std::byte* from, std::size_t words) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
      out += hit(word) ? 1 : 0;
    }
    return out;
  }
};

template <class Word>
std::uint64_t count_matches(const WordScan<Word>& words, std::span<const std::byte> bytes, std::size_t each) {
  std::uint64_t found = 0;
  const std::size_t elements = bytes.size() / each, per_element = each / sizeof(Word);
  for (std::size_t first = 0; per_element == 1 && first < elements; first += kBlockWords)
    found += words.count(bytes.data() + first * each, std::min(kBlockWords, elements - first));
  for (std::size_t i = 0; per_element > 1 && i < elements; ++i)
    found += words.hits(bytes.data() + i * each, per_element) != 0 ? 1 : 0;
  return found;
}

// ValueTest::each_match(). Each value is tested at most twice: with its block, and by itself in a block that has a match.
// hits_of(first, count): the hits in these elements; one element has at most a few.
template <class HitsOf>
std::uint64_t visit_matches(std::uint64_t elements, std::uint64_t block, const HitsOf& hits_of,
                            const std::function<bool(std::uint64_t)>& found) {
  for (std::uint64_t first = 0; first < elements; first += block) {
    const std::uint64_t count = std::min(block, elements - first);
    std::uint64_t left = hits_of(first, count);
    for (std::uint64_t i = 0; left > 0 && i < count; ++i) {
      const std::uint64_t hits = hits_of(first + i, 1);
      left -= hits;
      if (hits > 0 && !found(first + i)) return first + i + 1;
    }
  }
  return elements;
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
    return fail(ErrorKind::unsupported, "records, dates and texts are not searched");
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

// The ranges of NaN, infinity and subnormal numbers in IEEE 754 bit patterns with the sign masked off.
void ValueTest::prepare_words() {
  const unsigned fraction = ieee_fraction_bits(dtype_);
  if (fraction == 0) {
    if (code_of(dtype_) == DTypeCode::bool_ || !can_be_special(dtype_)) number_ = 0;
    return;
  }
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
  const std::string name = dtype_name(dtype_);
  const auto code = code_of(dtype_);
  if (code == DTypeCode::complex || dtype_.lanes != 1)
    return fail(ErrorKind::unsupported,
                fmt::format("one number is not a value of {}; NaN and infinity can be searched for", name));
  if (is_float(dtype_)) {
    const auto wanted = parse_real(text);
    if (!wanted)
      return fail(ErrorKind::invalid, fmt::format("'{}' is not a number; {} has values such as 0.5, 1e-3, nan, inf", text, name));
    const auto value = std::isinf(*wanted) ? wanted : rounded_to(dtype_, *wanted, text);
    if (!value) return fail(ErrorKind::invalid, fmt::format("{} has no value as large as {}", name, text));
    // 1 or -1. The value itself may have no bits: infinity in a format without one, which nothing is equal to.
    const double sign = signs_.any() ? decode_bits(dtype_, stored_bits(dtype_, bits_of(dtype_, 1), signs_)).real : 1;
    number_ = *value * sign;
    if (dtype_.bits < 16 || ieee_fraction_bits(dtype_) == 0) return {};
    word_bytes_ = dtype_.bits / 8u;
    if (number_ == 0) {
      mask_ = (std::uint64_t{1} << (dtype_.bits - 1)) - 1;
      ranges_[0] = {0, 0};
    } else {
      const std::uint64_t bits = bits_of(dtype_, number_);
      ranges_[0] = {bits, bits};
    }
    return {};
  }
  // Integers and bools; "True" and "False" count as 1 and 0.
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
    return fail(ErrorKind::invalid, fmt::format("'{}' is not an integer, and {} holds nothing else", text, name));
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
      if (value.kind == ValueKind::real) return value.real == number_;
      return value.as_unsigned >= ranges_[0].low && value.as_unsigned <= ranges_[0].high;
  }
  return false;
}

bool ValueTest::matches(std::span<const std::byte> piece, std::size_t bit) const {
  for (unsigned lane = 0; lane < dtype_.lanes && bit + (lane + std::size_t{1}) * dtype_.bits <= piece.size() * 8; ++lane) {
    if (value_matches(piece, bit, lane)) return true;
  }
  return false;
}

template <class Use>
bool ValueTest::by_words(std::size_t each, const Use& use) const {
  const auto words = [&]<class Word>(Word) {
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

std::uint64_t ValueTest::count(std::span<const std::byte> values, std::size_t each) const {
  std::uint64_t found = 0;
  if (by_words(each, [&](const auto& words) { found = count_matches(words, values, each); })) return found;
  if (each == 1) {
    for (const std::byte value : values) found += byte_matches_[std::to_integer<unsigned>(value)] ? 1 : 0;
    return found;
  }
  for (std::size_t at = 0; at + each <= values.size(); at += each) found += value_matches(values.subspan(at, each), 0, 0) ? 1 : 0;
  return found;
}

std::uint64_t ValueTest::each_match(std::span<const std::byte> values, std::size_t each,
                                    const std::function<bool(std::uint64_t)>& found) const {
  const std::uint64_t elements = values.size() / each;
  std::uint64_t passed = 0;
  const auto use_words = [&]<class Word>(const WordScan<Word>& words) {
    const std::size_t per_element = each / sizeof(Word);
    const auto hits = [&](std::uint64_t first, std::uint64_t count) -> std::uint64_t {
      const std::byte* const at = values.data() + first * each;
      return count == 1 ? words.hits(at, per_element) : words.count(at, count * per_element);
    };
    passed = visit_matches(elements, std::max<std::size_t>(1, kBlockWords / per_element), hits, found);
  };
  if (by_words(each, use_words)) return passed;
  const auto hits = [&](std::uint64_t first, std::uint64_t some) { return count(values.subspan(first * each, some * each), each); };
  return visit_matches(elements, each == 1 ? kBlockWords : 1, hits, found);
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
