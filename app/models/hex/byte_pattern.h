// BytePattern: what to search for in memory, parsed from typed text: bytes, text, or a value of a dtype. No I/O; thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/tensor_numbers.h"
#include "core/search/value_test.h"
#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::app {

// How the numbers of a tensor lie in memory: for a value that is typed without the name of a dtype.
struct OwnNumbers {
  core::TensorNumbers numbers;
  std::uint32_t item_bits = 0;  // of an element: a number of fewer than 8 bits may have a byte of its own
  core::SignBits signs = {};    // a value that is typed is the one that the library means
  std::optional<core::FieldLayout> item = {};  // of elements that are single dates, durations or texts, and no numbers
};
[[nodiscard]] OwnNumbers own_numbers(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

class BytePattern {
 public:
  static constexpr std::size_t kMaxBytes = 256;

  // "de ad ?? ef", "0xdead": bytes in memory order, ?? is any byte. "'text'": its bytes. "float32 1.5", "int16 -3", "float64
  // nan": values of that dtype. "= 1.5", "nan": of the numbers `own`, in their byte order; so is the name of their dtype. "= 2024-02-29",
  // "= 'text'": of the dates or texts `own` (core/tensor/typed_item.h).
  // "nan:0x1", "float32 nan:0x1": NaN with this payload (the fraction below the quiet bit). Fails with a message.
  [[nodiscard]] static core::Result<BytePattern> parse(std::string_view text, std::optional<OwnNumbers> own);

  [[nodiscard]] std::size_t size() const { return size_; }  // bytes
  // A value of the numbers `own`, typed without the name of a dtype: only where the tensor's elements may lie is it meant.
  [[nodiscard]] bool is_of_own() const { return is_of_own_; }
  [[nodiscard]] const std::string& description() const {
    return description_;
  }  // "the bytes de ad", "float32 values equal to 1.5", "big-endian float32 NaN"

  // The first, or the last, match in `bytes` among the places first, first + step, ...; it must be complete. step: 1, or for a value
  // a divisor of size().
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::byte> bytes, std::size_t first, std::size_t step = 1) const;
  [[nodiscard]] std::optional<std::size_t> find_last(std::span<const std::byte> bytes, std::size_t first,
                                                     std::size_t step = 1) const;

 private:
  [[nodiscard]] static core::Result<BytePattern> of_hex(std::string_view text);
  [[nodiscard]] static core::Result<BytePattern> of_text(std::string_view text);
  [[nodiscard]] static core::Result<BytePattern> of_value(const OwnNumbers& numbers, std::string_view value);
  [[nodiscard]] static core::Result<BytePattern> of_item(const core::FieldLayout& item, std::string_view value);
  [[nodiscard]] static core::Result<BytePattern> of_payload(const core::TensorNumbers& numbers, std::string_view payload);
  [[nodiscard]] bool lies_at(const std::byte* at) const;
  [[nodiscard]] std::optional<std::size_t> find_value(std::span<const std::byte> bytes, std::size_t first, std::size_t step) const;
  void choose_rare_byte();
  void set_bits(std::vector<std::byte> bits, core::DType dtype);

  std::size_t size_ = 0;
  std::vector<std::byte> bytes_, mask_;  // compared where the mask has a 1 bit; may be empty where there is a test_
  std::optional<std::size_t> rare_;      // of bytes_: one that is compared whole, and found first
  std::optional<core::ValueTest> test_;  // of a value
  std::uint8_t reversed_bytes_ = 0;      // of what test_ tests, as TensorNumbers has it
  bool is_of_own_ = false;
  std::string description_;
};

}  // namespace dlscope::app
