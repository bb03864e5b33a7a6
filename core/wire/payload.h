// Encoding and decoding of one message's payload: fixed-width little-endian integers; texts preceded by their length (32 bits).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/utf8.h"

namespace dlscope::core::wire {

class PayloadWriter {
 public:
  template <std::integral T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i)));
    }
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  // The numbers one after another, without a count in front.
  template <class T>
  void numbers(std::span<const T> values) {
    static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    const auto bytes = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads what PayloadWriter wrote, bounds-checked. After the first malformed field, failed() is true and every further read
// returns zero or an empty value, so callers read a whole message and check once. Borrows the bytes.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::integral T>
  T number() {
    if (rest_.size() < sizeof(T)) {
      fail();
      return T{};
    }
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value = static_cast<std::make_unsigned_t<T>>(value | (std::to_integer<std::uint64_t>(rest_[i]) << (8 * i)));
    }
    rest_ = rest_.subspan(sizeof(T));
    return static_cast<T>(value);
  }
  // Fills all of `out`; fails when fewer numbers are left.
  template <class T>
  void numbers(std::span<T> out) {
    static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<T>);
    if (rest_.size() < out.size_bytes()) return fail();
    if (!out.empty()) std::memcpy(out.data(), rest_.data(), out.size_bytes());
    rest_ = rest_.subspan(out.size_bytes());
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  bool flag() {
    const auto value = number<std::uint8_t>();
    if (value > 1) fail();
    return value == 1;
  }
  // An enumerator; `last` is the highest valid one.
  template <class Enum>
  Enum choice(Enum last) {
    using Number = std::underlying_type_t<Enum>;
    const auto value = number<Number>();
    if (value > static_cast<Number>(last)) {
      fail();
      return Enum{};
    }
    return static_cast<Enum>(value);
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string value(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

// Writes the text; one longer than `cap` bytes is cut there, between two characters, and "... (N bytes more)" is appended.
inline void put_capped(PayloadWriter& out, std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return out.text(text);
  const std::string_view kept = utf8_prefix(text, cap);
  out.text(std::string(kept) + "\n... (" + std::to_string(text.size() - kept.size()) + " bytes more)\n");
}

// Reads a text; one longer than `most` bytes makes the message malformed.
inline std::string get_bounded(PayloadReader& in, std::size_t most) {
  std::string text = in.text();
  if (text.size() > most) in.fail();
  return text;
}

template <class T>
void put_optional(PayloadWriter& out, const std::optional<T>& value) {
  out.flag(value.has_value());
  if (value) out.number(*value);
}

template <class T>
std::optional<T> get_optional(PayloadReader& in) {
  if (!in.flag()) return std::nullopt;
  return in.number<T>();
}

// Makes the variant hold a default-constructed alternative number `index`; does nothing when there is no such alternative.
template <class Variant, std::size_t I = 0>
void emplace_index(Variant& variant, std::size_t index) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index == I) {
      variant.template emplace<I>();
    } else {
      emplace_index<Variant, I + 1>(variant, index);
    }
  }
}

}  // namespace dlscope::core::wire
