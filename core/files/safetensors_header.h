// The header of a .safetensors file: a length, then JSON with a dtype, a shape and a byte range for each name. Everything in it
// is checked against the size of the file; its metadata are kept as text. thread: any.
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

// What the file says of itself, as text: as whoever wrote it wanted, checked by nobody. Safe to draw and print.
struct FileMetadata {
  struct Entry {
    std::string key, text;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;   // in the order of the file, cut to a length that can be shown
  std::uint64_t left_out = 0;   // further ones, and those that are no text
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  // in the order of their offsets
  FileMetadata metadata;                  // "__metadata__"
};

// The format's name of a dtype: "BF16"; "" if it has none.
[[nodiscard]] std::string_view safetensors_dtype(DType dtype);

// Fails when a range lies outside the file, two overlap, or one does not fit its shape.
[[nodiscard]] Result<SafetensorsHeader> read_safetensors_header(std::uint64_t file_bytes, const ReadBytes& read);

}  // namespace dlscope::core
