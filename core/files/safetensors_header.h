// The header of a .safetensors file: a length, then JSON with a dtype, a shape and a range of bytes for every name. Everything it says
// is checked against the size of the file before anyone uses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/files/npy_header.h"

namespace dlscope::core {

struct SafetensorsEntry {
  std::string name;
  NpyType type;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0, bytes = 0;  // from the start of the file
};

// "BF16"; "" for a dtype the format does not have.
[[nodiscard]] std::string_view safetensors_dtype(DType dtype);

// In the order of their bytes. Fails when a range leaves the file, two overlap, or one does not have its shape's size.
[[nodiscard]] Result<std::vector<SafetensorsEntry>> read_safetensors_header(std::uint64_t file_bytes, const ReadBytes& read);

}  // namespace dlscope::core
