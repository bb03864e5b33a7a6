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
  [[nodiscard]] bool element_hit(const std::byte* from, std::size_t words) const {
    for (std::size_t i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
      if (hit(word)) return true;
    }
    return false;
  }
};

template <class Word>
ValueTest::Matches scan(const WordScan<Word>& words, std::span<const std::byte> bytes, std::size_t each) {
  ValueTest::Matches found;
  const std::size_t per_element = each / sizeof(Word);
  const std::size_t block = std::max<std::size_t>(1, kBlockWords / per_element);  // elements
  const std::size_t elements = bytes.size() / each;
  for (std::size_t first = 0; first < elements; first += block) {
    const std::size_t count = std::min(block, elements - first);
    const std::byte* const at = bytes.data() + first * each;
    const std::size_t hits = words.count(at, count * per_element);
    if (hits == 0) continue;
    if (per_element == 1 && found.count > 0) {
      found.count += hits;
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!words.element_hit(at + i * each, per_element)) continue;
      if (found.count++ == 0) found.first = first + i;
    }
  }
  return found;
}

}  // namespace

bool can_be_special(DType dtype) {
  if (!dtype_is_known(dtype)) return false;
  const auto code = code_of(dtype);
  return code != DTypeCode::int_ && code != DTypeCode::uint && code != DTypeCode::opaque;
}

Result<ValueTest> ValueTest::make(DType dtype, SearchedValue sought, std::string_view text) {
  const std::string name = dtype_name(dtype);
  if (!dtype_is_known(dtype)) return fail(ErrorKind::unsupported, fmt::format("the values of {} are not known", name));
  if (sought == SearchedValue::equal) {
    if (const auto number = parse_real(text); number && std::isnan(*number)) sought = SearchedValue::nan;
  }
  ValueTest test(dtype, sought);
  if (sought == SearchedValue::equal) {
    if (auto prepared = test.prepare_equal(text); !prepared) return std::unexpected(prepared.error());
  } else {
    test.prepare_words();
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
    number_ = *value;
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
  const std::uint64_t bits = (negative ? static_cast<std::uint64_t>(as_signed) : as_unsigned) & all;
  ranges_[0] = code == DTypeCode::bool_ && bits != 0 ? Range{1, all} : Range{bits, bits};
  mask_ = all;
  if (dtype_.bits == 16 || dtype_.bits == 32 || dtype_.bits == 64) word_bytes_ = dtype_.bits / 8u;
  return {};
}

bool ValueTest::value_matches(std::span<const std::byte> piece, std::size_t bit, unsigned lane) const {
  const Value value = decode_element(dtype_, piece, bit, lane);
  switch (sought_) {
    case SearchedValue::special:
      return (value.value_class != ValueClass::normal && value.value_class != ValueClass::zero) ||
             (value.kind == ValueKind::boolean && value.as_unsigned > 1);
    case SearchedValue::nan:
      return value.value_class == ValueClass::nan;
    case SearchedValue::infinite:
      return value.value_class == ValueClass::positive_infinity || value.value_class == ValueClass::negative_infinity;
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

ValueTest::Matches ValueTest::in_stretch(std::span<const std::byte> values, std::size_t each) const {
  const auto words = [&]<class Word>(Word) {
    const auto low = [&](std::size_t i) { return static_cast<Word>(ranges_[i].low); };
    // An unused second range is a copy of the first.
    const std::size_t second = ranges_[1].low <= ranges_[1].high ? 1 : 0;
    const auto span = [&](std::size_t i) { return static_cast<Word>(ranges_[i].high - ranges_[i].low); };
    return scan(WordScan<Word>{static_cast<Word>(mask_), low(0), span(0), low(second), span(second)}, values, each);
  };
  const bool whole = word_bytes_ != 0 && each * 8 == dtype_.bits;
  if (whole && word_bytes_ == 2) return words(std::uint16_t{});
  if (whole && word_bytes_ == 4) return words(std::uint32_t{});
  if (whole && word_bytes_ == 8) return words(std::uint64_t{});
  Matches found;
  // Each of the 256 byte values is decoded once.
  std::array<bool, 256> byte_matches{};
  const bool bytes = each == 1;
  for (unsigned value = 0; bytes && value < 256; ++value) {
    const std::byte byte{static_cast<unsigned char>(value)};
    byte_matches[value] = value_matches({&byte, 1}, 0, 0);
  }
  for (std::size_t i = 0; i < values.size() / each; ++i) {
    const bool hit =
        bytes ? byte_matches[std::to_integer<unsigned>(values[i])] : value_matches(values.subspan(i * each, each), 0, 0);
    if (hit && found.count++ == 0) found.first = i;
  }
  return found;
}

}  // namespace dlscope::core
