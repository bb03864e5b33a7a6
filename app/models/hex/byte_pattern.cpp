#include "app/models/hex/byte_pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "app/models/text/address_text.h"
#include "app/models/text/format.h"
#include "app/models/values/typed_element.h"
#include "core/elements/reverse_bytes.h"
#include "core/inventory/single_item.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/tensor/element.h"
#include "core/tensor/float_layout.h"
#include "core/tensor/item_type.h"
#include "core/tensor/typed_item.h"

namespace dlscope::app {
namespace {

using core::ErrorKind;

constexpr std::size_t kShownText = 40;
constexpr std::size_t kBlock = std::size_t{1} << 14;  // bytes that are looked through several times: they stay in the nearest cache
constexpr std::size_t kMaxValue = 32;                 // bytes of one number
constexpr std::size_t kMaxItemBytes = 4096;           // of a text; a block has several of them

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

bool has_nan(core::DType dtype) {
  if (!core::can_be_special(dtype) || dtype.code == static_cast<std::uint8_t>(core::DTypeCode::bool_)) return false;
  if (dtype.bits > 8) return true;
  for (unsigned pattern = 0; pattern < 1U << dtype.bits; ++pattern) {  // some small floats have none
    const std::byte byte{static_cast<unsigned char>(pattern)};
    if (core::decode_element({dtype.code, dtype.bits, 1}, {&byte, 1}, 0).value_class == core::ValueClass::nan) return true;
  }
  return false;
}

std::string name_of(const core::TensorNumbers& numbers) {
  return (numbers.reversed_bytes == 0 ? "" : "big-endian ") + core::dtype_name(numbers.dtype);
}

}  // namespace

OwnNumbers own_numbers(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  OwnNumbers own{core::numbers_of(snapshot, tensor), tensor.item_bits, core::sign_bits_of(snapshot, tensor)};
  const core::FieldLayout* const item = core::single_item(snapshot, tensor);
  if (item != nullptr && (core::is_time(*item) || core::is_text(*item))) own.item = *item;
  return own;
}

core::Result<BytePattern> BytePattern::parse(std::string_view text, std::optional<OwnNumbers> own) {
  text = trimmed(text);
  if (text.empty())
    return core::fail(ErrorKind::invalid, "Type bytes (de ad ?? ef), text in quotes, or a value (float32 1.5, = 1.5, nan).");
  if (text.front() == '\'' || text.front() == '"') return of_text(text);
  const bool of_own = text.front() == '=' || is_nan_word(text);
  if (of_own) {
    if (!own) return core::fail(ErrorKind::invalid, "Which dtype? Name it in front of the value, as in float32 1.5.");
    auto value = of_value(*own, trimmed(text.front() == '=' ? text.substr(1) : text));
    if (value) value->is_of_own_ = true;
    return value;
  }
  const std::size_t space = text.find(' ');
  if (space != std::string_view::npos) {
    if (const auto dtype = core::dtype_from_name(text.substr(0, space))) {
      const bool is_own = own && own->numbers.dtype == *dtype;
      return of_value(is_own ? *own : OwnNumbers{{*dtype}, dtype->item_bits(), {}}, trimmed(text.substr(space)));
    }
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
  out.choose_rare_byte();
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
  out.choose_rare_byte();
  out.description_ = fmt::format("the text “{}”", shortened(inside, kShownText));
  return out;
}

core::Result<BytePattern> BytePattern::of_value(const OwnNumbers& own, std::string_view value) {
  core::TensorNumbers numbers = own.numbers;
  core::DType& dtype = numbers.dtype;
  if (own.item) return of_item(*own.item, value);
  if (dtype.code == core::kItemCode)
    return core::fail(ErrorKind::unsupported,
                      "Records are not searched for a value: choose a field, name a dtype in front of the value, as in float32 1.5, or "
                      "search for bytes.");
  const bool has_own_byte = dtype.lanes == 1 && dtype.bits < 8 && own.item_bits == 8;
  if (dtype.bits == 0 || (dtype.bits % 8 != 0 && !has_own_byte))
    return core::fail(ErrorKind::unsupported, fmt::format("Values of {} do not fill whole bytes one by one: search for bytes instead.",
                                                          core::dtype_name(dtype)));
  dtype.lanes = 1;  // each lane is a value
  if (is_nan_word(value) && value.size() > 3) return of_payload(numbers, value.substr(4));
  const std::string name = name_of(numbers);
  const bool nan = is_nan_word(value);
  auto test = core::ValueTest::make(dtype, nan ? core::SearchedValue::nan : core::SearchedValue::equal, nan ? "" : value, own.signs);
  if (!test) return core::fail(test.error().kind, test.error().message + ".");
  if (nan && !has_nan(dtype)) return core::fail(ErrorKind::invalid, name + " has no NaN.");
  BytePattern out;
  out.test_ = *test;
  out.size_ = (dtype.bits + 7u) / 8u;
  out.reversed_bytes_ = numbers.reversed_bytes;
  out.description_ = nan ? name + " NaN" : fmt::format("{} values equal to {}", name, shortened(value, kShownText));
  if (nan) return out;
  if (auto bits = typed_element(dtype, value, own.signs)) out.set_bits(std::move(*bits), dtype);
  return out;
}

core::Result<BytePattern> BytePattern::of_item(const core::FieldLayout& item, std::string_view value) {
  if (item.bytes > kMaxItemBytes)
    return core::fail(ErrorKind::unsupported,
                      fmt::format("Texts of more than {} bytes are searched by “Go to” in the Values.", kMaxItemBytes));
  auto bytes = core::typed_item(item, value);
  if (!bytes) return core::fail(bytes.error().kind, bytes.error().message + ".");
  BytePattern out;
  out.bytes_ = std::move(*bytes);
  out.size_ = out.bytes_.size();
  out.mask_.assign(out.size_, std::byte{0xff});
  out.choose_rare_byte();
  out.description_ = fmt::format("{} values equal to {}", core::item_of_value(item).name,
                                 shortened(core::format_field(item, out.bytes_), kShownText));
  return out;
}

// Of a wide value: the test would go through all bytes once for each place in it. Where one pattern of bits alone is equal to the value,
// which NaN, 0 and True have several of, it is found at any byte by looking for one of its bytes.
void BytePattern::set_bits(std::vector<std::byte> bits, core::DType dtype) {
  const bool is_complex = dtype.code == static_cast<std::uint8_t>(core::DTypeCode::complex);  // either part may be 0 or NaN
  if (is_complex || size_ != sizeof(std::uint64_t) || bits.size() != size_ || !test_->matches(bits, 0)) return;
  const core::ValueClass value_class = core::decode_element(dtype, bits, 0).value_class;
  if (value_class == core::ValueClass::zero || value_class == core::ValueClass::nan) return;
  bytes_ = std::move(bits);
  mask_.assign(size_, std::byte{0xff});
  if (reversed_bytes_ != 0) std::ranges::reverse(bytes_);
  choose_rare_byte();
}

// Sign and quiet bit are ignored, except for payload 0, which without the quiet bit would be an infinity.
core::Result<BytePattern> BytePattern::of_payload(const core::TensorNumbers& numbers, std::string_view text) {
  const core::DType dtype = numbers.dtype;
  const std::string name = name_of(numbers);
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
  out.size_ = dtype.bits / 8u;
  for (std::size_t i = 0; i < out.size_; ++i) {
    out.bytes_.push_back(static_cast<std::byte>(bits >> (8 * i)));
    out.mask_.push_back(static_cast<std::byte>(mask >> (8 * i)));
  }
  if (numbers.reversed_bytes != 0) {
    std::ranges::reverse(out.bytes_);
    std::ranges::reverse(out.mask_);
  }
  out.choose_rare_byte();
  out.description_ = fmt::format("{} NaN with payload 0x{:x}", name, *payload);
  return out;
}

// Of the bytes that are compared whole the first one that is neither 0 nor 255, which most memory is full of.
void BytePattern::choose_rare_byte() {
  for (std::size_t i = 0; i < size_; ++i) {
    if (mask_[i] != std::byte{0xff}) continue;
    if (!rare_) rare_ = i;
    if (bytes_[i] == std::byte{0} || bytes_[i] == std::byte{0xff}) continue;
    rare_ = i;
    return;
  }
}

bool BytePattern::lies_at(const std::byte* at) const {
  if (bytes_.empty()) {
    if (reversed_bytes_ == 0) return test_->matches({at, size_}, 0);
    std::array<std::byte, kMaxValue> turned{};
    core::reverse_bytes(reversed_bytes_, {at, size_}, turned.data());
    return test_->matches(std::span(turned).first(size_), 0);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (((at[i] ^ bytes_[i]) & mask_[i]) != std::byte{0}) return false;
  }
  return true;
}

// Block by block. The test takes values side by side, so it goes through a block once for each distance that a place may have from the
// multiples of the size.
std::optional<std::size_t> BytePattern::find_value(std::span<const std::byte> bytes, std::size_t first, std::size_t step) const {
  std::array<std::byte, kBlock> turned;
  const std::size_t block = kBlock / size_ * size_;
  for (std::size_t from = first; from + size_ <= bytes.size(); from += block) {
    std::optional<std::size_t> best;
    for (std::size_t begin = from; begin < from + size_ && begin + size_ <= bytes.size(); begin += step) {
      auto part = bytes.subspan(begin, std::min(block, bytes.size() - begin) / size_ * size_);
      if (reversed_bytes_ != 0) {
        core::reverse_bytes(reversed_bytes_, part, turned.data());
        part = std::span(turned).first(part.size());
      }
      const auto found = test_->first(part, size_);
      if (found) best = std::min(best.value_or(bytes.size()), begin + static_cast<std::size_t>(*found) * size_);
    }
    if (best) return best;
  }
  return std::nullopt;
}

std::optional<std::size_t> BytePattern::find(std::span<const std::byte> bytes, std::size_t first, std::size_t step) const {
  if (first > bytes.size() || bytes.size() - first < size_) return std::nullopt;
  if (test_ && (step > 1 || bytes_.empty())) return find_value(bytes, first, step);
  for (std::size_t at = first; at + size_ <= bytes.size(); at += step) {
    if (step == 1 && rare_) {
      const void* const hit =
          std::memchr(bytes.data() + at + *rare_, std::to_integer<int>(bytes_[*rare_]), bytes.size() - size_ + 1 - at);
      if (hit == nullptr) return std::nullopt;
      at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data()) - *rare_;
    }
    if (lies_at(bytes.data() + at)) return at;
  }
  return std::nullopt;
}

// Blocks without a match are passed at the speed of find(); only in the last one with a match places are tried one by one.
std::optional<std::size_t> BytePattern::find_last(std::span<const std::byte> bytes, std::size_t first, std::size_t step) const {
  if (first > bytes.size() || bytes.size() - first < size_) return std::nullopt;
  const std::size_t at_once = kBlock / step;
  for (std::size_t left = (bytes.size() - first - size_) / step + 1; left > 0;) {
    const std::size_t places = std::min(left, at_once);
    const std::byte* const begin = bytes.data() + first + (left - places) * step;
    if (find({begin, (places - 1) * step + size_}, 0, step)) {
      for (std::size_t i = places; i-- > 0;) {
        if (lies_at(begin + i * step)) return static_cast<std::size_t>(begin - bytes.data()) + i * step;
      }
    }
    left -= places;
  }
  return std::nullopt;
}

}  // namespace dlscope::app
