// Writing a tensor as a file: .npy, .safetensors or .csv, its elements in C order whatever its strides. Nothing of its size is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/elements/element_reader.h"
#include "core/files/file_format.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// The layout's numbers and the reader outlive the export.
struct ExportedTensor {
  std::string_view name;  // .safetensors names its tensors
  DType dtype;
  LayoutView layout;      // validated
  Address address = 0;    // of element [0,...,0]; of packed ones perhaps in the middle of the byte:
  ElementSource source;
  unsigned first_bit = 0;  // of that byte
};

// "npy", "safetensors", "csv": the end of the file's name.
[[nodiscard]] const char* file_extension(TensorFileFormat format);
// Why the format cannot hold such a tensor, in words; "" where it can.
[[nodiscard]] std::string why_not_exportable(const ExportedTensor& tensor, TensorFileFormat format);

using ByteSink = std::function<bool(std::string_view)>;                               // false: stop
using ExportProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;  // bytes; false: cancelled
// Fails in words: what the format cannot hold, a byte that cannot be read; cancelled when the sink or the progress says so.
[[nodiscard]] Result<void> export_tensor(const ExportedTensor& tensor, TensorFileFormat format, const ByteSink& sink,
                                         const ExportProgress& progress);

}  // namespace dlscope::core
