// TensorFile: the arrays of a .npy, .npz or .safetensors file as tensors in memory, without
// Python and without executing anything from the file. Uncompressed arrays are mapped,
// compressed ones are unpacked into memory. All sizes and offsets are checked first.
// thread: any. The tensors' memory is valid as long as the object; read it
// through a MemoryReader, because another program may shorten the file.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/files/mapped_file.h"
#include "core/files/npy_header.h"
#include "core/files/safetensors_header.h"
#include "core/files/zip_archive.h"
#include "core/inventory/snapshot.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

struct FileTensor {
  std::string name;
  std::string why_not;  // not "": why the array could not be described; the members below are then not filled
  DType dtype = {};
  std::shared_ptr<const ItemType> item = {};  // as in NpyType
  Layout layout = {};
  Address address = 0;
  bool unpacked = false;  // true: a decompressed copy; false: mapped from the file
};

// Half of what the machine has and the process can still get: the limit of its container counts.
[[nodiscard]] std::uint64_t most_unpacked_bytes();

// Bytes that were unpacked so far, of all that are to be.
using UnpackProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

class TensorFile {
 public:
  // The extension of the name decides the format. Fails with one line, "PATH: why"; when it was stopped, with
  // ErrorKind::cancelled. most_unpacked: bytes that the compressed arrays may take in memory; those for which it does not suffice
  // are listed with the reason, and not read; so are those whose bytes are damaged, if there are others.
  // Unpacking may take minutes: `progress` is called every few milliseconds.
  [[nodiscard]] static Result<TensorFile> open(const std::string& path, const std::stop_token& stop = {},
                                               std::uint64_t most_unpacked = most_unpacked_bytes(),
                                               const UnpackProgress& progress = {});

  [[nodiscard]] const std::vector<FileTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::string& kind() const { return kind_; }  // "npy", "npz", "safetensors"
  [[nodiscard]] const FileMetadata& metadata() const { return metadata_; }  // of a .safetensors file
  [[nodiscard]] std::uint64_t unpacked_bytes() const;               // memory that unpacked arrays take
  // May block where the disk does not answer. Unpacked arrays are as they were when it was opened.
  [[nodiscard]] SinceOpened since_opened() const { return file_.since_opened(); }

 private:
  struct Unpacking;
  explicit TensorFile(MappedFile file) : file_(std::move(file)) {}
  [[nodiscard]] Result<void> add_npy(const std::string& path);
  [[nodiscard]] Result<void> add_npz(Unpacking unpacking);
  [[nodiscard]] Result<void> add_npz_entry(std::string name, const ZipEntry& entry, const ReadBytes& whole,
                                           Unpacking& unpacking);
  [[nodiscard]] Result<void> add_safetensors();
  [[nodiscard]] Result<void> add_array(std::string name, const NpyHeader& header, Address base, std::uint64_t size,
                                       bool unpacked);
  void refuse(std::string name, std::string why_not);

  std::string kind_;
  MappedFile file_;
  std::vector<UnpackedMemory> unpacked_;
  std::vector<FileTensor> tensors_;
  FileMetadata metadata_;
};

// Whether the name has an extension that open() knows.
[[nodiscard]] bool is_tensor_file(std::string_view path);

// A snapshot of its tensors, analysed like one of a live process; stopped, it lacks what was not known by then. `file` must be
// alive while values are read.
[[nodiscard]] SnapshotPtr snapshot_of(const TensorFile& file, StatisticsMethod statistics = StatisticsMethod::none,
                                      const std::stop_token& stop = {});

}  // namespace dlscope::core
