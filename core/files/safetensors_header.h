// The header of a .safetensors file: a length, then JSON with a dtype, a shape and a byte range for each name. Everything in it
// is checked against the size of the file. thread: any.
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

// The format's name of a dtype: "BF16"; "" if it has none.
[[nodiscard]] std::string_view safetensors_dtype(DType dtype);

// The entries in the order of their offsets. Fails when a range lies
// outside the file, two overlap, or one does not fit its shape.
[[nodiscard]] Result<std::vector<SafetensorsEntry>> read_safetensors_header(std::uint64_t file_bytes, const ReadBytes& read);

}  // namespace dlscope::core
