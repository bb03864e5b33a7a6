// TensorFile: the arrays of a .npy, .npz or .safetensors file as tensors in memory, without Python and without running anything that is
// in the file. What is not compressed is mapped, not read; the rest is unpacked. Every size and offset in the file is checked first.
// thread: any; the values may be read (through a MemoryReader: another program may cut the file) as long as it lives.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/files/mapped_file.h"
#include "core/files/npy_header.h"
#include "core/inventory/snapshot.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

struct FileTensor {
  std::string name;
  std::string why_not;  // it could not be described: why, in words; then the rest is not filled
  DType dtype;
  Layout layout;
  Address address = 0;
  bool unpacked = false;  // a copy: the file has it compressed
};

class TensorFile {
 public:
  // By the end of its name. Fails with one line, "PATH: why".
  [[nodiscard]] static Result<TensorFile> open(const std::string& path);

  [[nodiscard]] const std::vector<FileTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::string& kind() const { return kind_; }  // "npy", "npz", "safetensors"

 private:
  explicit TensorFile(MappedFile file) : file_(std::move(file)) {}
  [[nodiscard]] Result<void> add_npy(const std::string& path);
  [[nodiscard]] Result<void> add_npz();
  [[nodiscard]] Result<void> add_safetensors();
  [[nodiscard]] Result<void> add_array(std::string name, const NpyHeader& header, Address base, std::uint64_t size,
                                       bool unpacked);

  std::string kind_;
  MappedFile file_;
  std::vector<UnpackedMemory> unpacked_;
  std::vector<FileTensor> tensors_;
};

// The end of the name says that it is such a file.
[[nodiscard]] bool is_tensor_file(std::string_view path);

// A snapshot of its tensors, analysed as one of a live process. `file` must outlive whoever reads values.
[[nodiscard]] SnapshotPtr snapshot_of(const TensorFile& file, StatisticsMethod statistics = StatisticsMethod::none);

}  // namespace dlscope::core
