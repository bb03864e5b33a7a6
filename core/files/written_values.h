// WrittenValues: numbers of fewer than 8 bits, of which several share a byte in memory, as a file has them. Neither NumPy nor a text has
// such bytes, so .npy has the next wider numbers and .csv the values; .safetensors has two float4_e2m1fn in a byte and four float6 in three.
// That format says how many bytes they are, not in which bits each lies: they are written as DLPack has them, the first one lowest, and
// read the same way.
// thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/files/file_format.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

[[nodiscard]] constexpr bool is_packed(DType dtype) { return dtype.bits < 8; }

// The dtype whose numbers stand for these in a file: int8, uint8, bool or float32 for packed ones in .npy, else the same.
[[nodiscard]] DType written_dtype(DType dtype, TensorFileFormat format);

// Where the elements are vectors of packed numbers, as PyTorch's float4_e2m1fn_x2: their lanes as a last axis.
[[nodiscard]] Layout with_lanes_as_axis(DType dtype, LayoutView layout);
// The shape that is written: the last axis counts the numbers. layout: with_lanes_as_axis().
[[nodiscard]] std::vector<std::int64_t> written_shape(DType dtype, LayoutView layout);

class WrittenValues {
 public:
  // Of numbers that are packed in memory.
  WrittenValues(DType dtype, TensorFileFormat format);

  // values: a byte each, as ElementReader gives them. Of a format that packs them: of a multiple of 8 numbers, or the last ones.
  // Valid until the next call.
  [[nodiscard]] std::span<const std::byte> of(std::span<const std::byte> values);

 private:
  DType dtype_;
  bool packs_;
  std::size_t each_;              // bytes that are written of a number, where it is not packed
  std::vector<std::byte> table_;  // of each pattern of bits what is written
  std::vector<std::byte> out_;
};

}  // namespace dlscope::core
