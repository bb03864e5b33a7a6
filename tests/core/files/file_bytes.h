// Files made byte by byte, as their formats say, for tests that then break them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/npy_header.h"

namespace dlscope::core::test {

using Bytes = std::string;

[[nodiscard]] Bytes npy(std::string_view descr, std::string_view shape, const Bytes& data, bool fortran_order = false,
                        int version = 1);
// With any text as header.
[[nodiscard]] Bytes npy_with_header(std::string header, const Bytes& data, int version = 1);
[[nodiscard]] Bytes safetensors(const std::string& json, const Bytes& data);

struct ZipMember {
  std::string name;
  Bytes content;
  bool compressed = false;
};
[[nodiscard]] Bytes zip(const std::vector<ZipMember>& members, bool zip64 = false);

template <class T>
[[nodiscard]] Bytes bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Reads from `bytes`, which must outlive it.
[[nodiscard]] ReadBytes reading(const Bytes& bytes);

// A file in the temporary folder, removed at the end of its life.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view suffix, const Bytes& content);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dlscope::core::test
