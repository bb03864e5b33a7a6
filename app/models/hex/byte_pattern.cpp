#include "app/models/hex/byte_pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "app/models/text/address_text.h"
#include "app/models/text/format.h"
#include "core/tensor/element.h"
#include "core/tensor/float_layout.h"

namespace dlscope::app {
namespace {

using core::ErrorKind;

constexpr std::size_t kShownText = 40;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

bool is_nan_word(std::string_view text) {
  return text.size() >= 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' && (text[2] | 0x20) == 'n' &&
         (text.size() == 3 || text[3] == ':');
}

}  // namespace

core::Result<BytePattern> BytePattern::parse(std::string_view text, std::optional<core::DType> own) {
  text = trimmed(text);
  if (text.empty())
    return core::fail(ErrorKind::invalid, "Type bytes (de ad ?? ef), text in quotes, or a value (float32 1.5, = 1.5, nan).");
  if (text.front() == '\'' || text.front() == '"') return of_text(text);
  const bool of_own = text.front() == '=' || is_nan_word(text);
  if (of_own) {
    if (!own) return core::fail(ErrorKind::invalid, "Which dtype? Name it in front of the value, as in float32 1.5.");
    return of_value(*own, trimmed(text.front() == '=' ? text.substr(1) : text));
  }
  const std::size_t space = text.find(' ');
  if (space != std::string_view::npos) {
    if (const auto dtype = core::dtype_from_name(text.substr(0, space))) return of_value(*dtype, trimmed(text.substr(space)));
  }
  return of_hex(text);
}

core::Result<BytePattern> BytePattern::of_hex(std::string_view text) {
  const auto wrong = [&] {
    return core::fail(
        ErrorKind::invalid,
        fmt::format("“{}” is neither bytes (de ad ?? ef), nor text in quotes, nor a value (float32 1.5, = 1.5, nan).",
                    shortened(text, kShownText)));
  };
  BytePattern out;
  std::string_view left = text;
  if (left.starts_with("0x") || left.starts_with("0X")) left.remove_prefix(2);
  while (!left.empty()) {
    if (left.front() == ' ') {
      left.remove_prefix(1);
      continue;
    }
    if (left.size() < 2 || out.bytes_.size() == kMaxBytes) return wrong();
    const bool any = left[0] == '?' && left[1] == '?';
    const auto high = hex_digit(left[0]), low = hex_digit(left[1]);
    if (!any && (!high || !low)) return wrong();
    out.bytes_.push_back(any ? std::byte{0} : static_cast<std::byte>(*high << 4 | *low));
    out.mask_.push_back(any ? std::byte{0} : std::byte{0xff});
    left.remove_prefix(2);
  }
  if (std::ranges::all_of(out.mask_, [](std::byte mask) { return mask == std::byte{0}; }))
    return core::fail(ErrorKind::invalid, "Give at least one byte: ?? alone matches everything.");
  out.size_ = out.bytes_.size();
  out.description_ = "the bytes " + shortened(text, kShownText);
  return out;
}

core::Result<BytePattern> BytePattern::of_text(std::string_view text) {
  std::string_view inside = text.substr(1);
  if (inside.size() > 1 && inside.back() == text.front()) inside.remove_suffix(1);
  if (inside.empty() || inside.size() > kMaxBytes)
    return core::fail(ErrorKind::invalid, fmt::format("Give 1 to {} characters between the quotes.", kMaxBytes));
  BytePattern out;
  for (const char c : inside) out.bytes_.push_back(static_cast<std::byte>(c));
  out.mask_.assign(out.bytes_.size(), std::byte{0xff});
  out.size_ = out.bytes_.size();
  out.description_ = fmt::format("the text “{}”", shortened(inside, kShownText));
  return out;
}

core::Result<BytePattern> BytePattern::of_value(core::DType dtype, std::string_view value) {
  if (is_nan_word(value) && value.size() > 3) return of_payload(dtype, value.substr(4));
  const std::string name = core::dtype_name(dtype);
  if (dtype.lanes != 1 || dtype.bits % 8 != 0)
    return core::fail(ErrorKind::unsupported,
                      fmt::format("Values of {} do not fill whole bytes one by one: search for bytes instead.", name));
  const bool nan = is_nan_word(value);
  auto test = core::ValueTest::make(dtype, nan ? core::SearchedValue::nan : core::SearchedValue::equal, nan ? "" : value);
  if (!test) return core::fail(test.error().kind, test.error().message + ".");
  if (nan && !core::can_be_special(dtype)) return core::fail(ErrorKind::invalid, name + " has no NaN.");
  BytePattern out;
  out.test_ = *test;
  out.size_ = out.step_ = dtype.bits / 8u;
  out.description_ = nan ? name + " NaN" : fmt::format("{} values equal to {}", name, shortened(value, kShownText));
  return out;
}

// Sign and quiet bit are ignored, except for payload 0, which without the quiet bit would be an infinity.
core::Result<BytePattern> BytePattern::of_payload(core::DType dtype, std::string_view text) {
  const std::string name = core::dtype_name(dtype);
  const auto layout = core::float_layout(dtype);
  const bool is_one_float = dtype.lanes == 1 && dtype.code != static_cast<std::uint8_t>(core::DTypeCode::complex);
  if (!layout || !layout->is_ieee || !is_one_float || layout->fraction_bits < 2)
    return core::fail(ErrorKind::unsupported, name + " has no NaN with a payload.");
  const auto payload = parse_number(trimmed(text));
  const std::uint64_t quiet = std::uint64_t{1} << (layout->fraction_bits - 1);
  if (!payload || *payload >= quiet)
    return core::fail(ErrorKind::invalid, fmt::format("A payload of {} is a number from 0 to 0x{:x}.", name, quiet - 1));
  const std::uint64_t exponent = ((std::uint64_t{1} << layout->exponent_bits) - 1) << layout->fraction_bits;
  const std::uint64_t bits = exponent | *payload | (*payload == 0 ? quiet : 0);
  const std::uint64_t mask = exponent | (quiet - 1) | (*payload == 0 ? quiet : 0);
  BytePattern out;
  out.size_ = out.step_ = dtype.bits / 8u;
  for (std::size_t i = 0; i < out.size_; ++i) {
    out.bytes_.push_back(static_cast<std::byte>(bits >> (8 * i)));
    out.mask_.push_back(static_cast<std::byte>(mask >> (8 * i)));
  }
  out.description_ = fmt::format("{} NaN with payload 0x{:x}", name, *payload);
  return out;
}

bool BytePattern::lies_at(const std::byte* at) const {
  if (test_) return test_->matches({at, size_}, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    if (((at[i] ^ bytes_[i]) & mask_[i]) != std::byte{0}) return false;
  }
  return true;
}

std::optional<std::size_t> BytePattern::find(std::span<const std::byte> bytes, std::size_t first) const {
  if (first > bytes.size() || bytes.size() - first < size_) return std::nullopt;
  if (test_) {  // aligned values
    const auto found = test_->first(bytes.subspan(first, (bytes.size() - first) / size_ * size_), size_);
    return found ? std::optional(first + static_cast<std::size_t>(*found) * size_) : std::nullopt;
  }
  const bool by_first_byte = step_ == 1 && mask_[0] == std::byte{0xff};
  for (std::size_t at = first; at + size_ <= bytes.size(); at += step_) {
    if (by_first_byte) {
      const void* const hit = std::memchr(bytes.data() + at, std::to_integer<int>(bytes_[0]), bytes.size() - size_ + 1 - at);
      if (hit == nullptr) return std::nullopt;
      at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data());
    }
    if (lies_at(bytes.data() + at)) return at;
  }
  return std::nullopt;
}

std::optional<std::size_t> BytePattern::find_last(std::span<const std::byte> bytes, std::size_t first) const {
  if (first > bytes.size() || bytes.size() - first < size_) return std::nullopt;
  if (test_ && !find(bytes, first))
    return std::nullopt;  // at memory speed; only when there is a match, places are tried one by one
  std::size_t at = first + (bytes.size() - first - size_) / step_ * step_;
  while (true) {
    if (lies_at(bytes.data() + at)) return at;
    if (at < first + step_) return std::nullopt;
    at -= step_;
  }
}

}  // namespace dlscope::app
