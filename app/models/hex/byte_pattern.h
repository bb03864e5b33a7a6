// BytePattern: what to search for in memory, parsed from typed text: bytes, text, or a value of a dtype. No I/O; thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/search/value_test.h"
#include "core/tensor/dtype.h"

namespace dlscope::app {

class BytePattern {
 public:
  static constexpr std::size_t kMaxBytes = 256;

  // "de ad ?? ef", "0xdead": bytes in memory order, ?? is any byte. "'text'": its bytes. "float32 1.5", "int16 -3", "float64
  // nan": values of that dtype. "= 1.5", "nan": of the dtype `own`. "nan:0x1", "float32 nan:0x1": NaN with this payload (the
  // fraction below the quiet bit). Fails with a message.
  [[nodiscard]] static core::Result<BytePattern> parse(std::string_view text, std::optional<core::DType> own);

  [[nodiscard]] std::size_t size() const { return size_; }  // bytes
  // The alignment of matches, counted from the search's origin. 1: anywhere; for a value: the size of its dtype.
  [[nodiscard]] std::size_t step() const { return step_; }
  [[nodiscard]] const std::string& description() const {
    return description_;
  }  // "the bytes de ad", "float32 values equal to 1.5"

  // The first, or the last, match in `bytes` among the places first, first + step(), ...; it must be complete.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::byte> bytes, std::size_t first) const;
  [[nodiscard]] std::optional<std::size_t> find_last(std::span<const std::byte> bytes, std::size_t first) const;

 private:
  [[nodiscard]] static core::Result<BytePattern> of_hex(std::string_view text);
  [[nodiscard]] static core::Result<BytePattern> of_text(std::string_view text);
  [[nodiscard]] static core::Result<BytePattern> of_value(core::DType dtype, std::string_view value);
  [[nodiscard]] static core::Result<BytePattern> of_payload(core::DType dtype, std::string_view payload);
  [[nodiscard]] bool lies_at(const std::byte* at) const;

  std::size_t size_ = 0, step_ = 1;
  std::vector<std::byte> bytes_, mask_;  // compared where the mask has a 1 bit
  std::optional<core::ValueTest> test_;  // in place of bytes_ and mask_
  std::string description_;
};

}  // namespace dlscope::app
