// Writes a tensor as a .npy, .safetensors or .csv file, its elements in C order whatever its strides. Memory use does not depend
// on the tensor's size. thread: any.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/elements/element_reader.h"
#include "core/files/file_format.h"
#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"
#include "core/tensor/layout.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Borrowed during the export: the name, the layout's numbers and the source's reader.
struct ExportedTensor {
  std::string_view name;  // written to .safetensors and .csv
  DType dtype;
  LayoutView layout;      // validated
  Address address = 0;    // of the byte in which element [0,...,0] begins
  ElementSource source;
  unsigned first_bit = 0;  // the bit of that byte at which it begins; not 0 only for packed sub-byte elements
  SignBits signs = {};     // written are the values they mean
  const ItemType* item = nullptr;  // of elements without a DLPack dtype, where their type is known
};

// The file name extension: "npy", "safetensors", "csv".
[[nodiscard]] const char* file_extension(TensorFileFormat format);
// Why the format cannot hold this tensor; "" if it can.
[[nodiscard]] std::string why_not_exportable(const ExportedTensor& tensor, TensorFileFormat format);

// What stands for its values in the file, where these are others than those of the tensor: "each int4 as int8, because ..."; "" if they
// are its own.
[[nodiscard]] std::string written_instead(const ExportedTensor& tensor, TensorFileFormat format);

// Vectors of packed numbers are written number by number, so that the last axis is as much longer.
[[nodiscard]] std::vector<std::int64_t> shape_in_file(const ExportedTensor& tensor, TensorFileFormat format);

using ByteSink = std::function<bool(std::string_view)>;                               // false: stop
using ExportProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;  // bytes; false: cancelled
// Fails when the format cannot hold the tensor or a byte cannot be
// read; with `cancelled` when the sink or the progress returns false.
[[nodiscard]] Result<void> export_tensor(const ExportedTensor& tensor, TensorFileFormat format, const ByteSink& sink,
                                         const ExportProgress& progress);

}  // namespace dlscope::core
