// TensorReaders: who reads the bytes of a snapshot's tensors: the given reader those of the host, the driver's those of CUDA devices,
// where the driver has confirmed that they are where their producer says.
// thread: one; the readers it gives are for any.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "core/devices/cuda_reader.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// The bytes can be read when somebody asks for them: on the host, or on a CUDA device where nobody contradicts anybody about it.
[[nodiscard]] bool may_be_read(const Snapshot& snapshot, const TensorRecord& tensor);

class TensorReaders {
 public:
  // `host` must outlive it.
  explicit TensorReaders(const MemoryReader& host, std::stop_token stop = {}) : host_(host), stop_(std::move(stop)) {}

  // For a tensor that may be read. Opens a device's reader the first time; fails in words.
  [[nodiscard]] Result<const MemoryReader*> of(const TensorRecord& tensor);
  // Why a reader of ours fell short, as ": words"; "" where it does not say.
  [[nodiscard]] std::string problem(const TensorRecord& tensor) const;

 private:
  const MemoryReader& host_;
  std::stop_token stop_;
  std::map<std::int32_t, Result<std::unique_ptr<CudaReader>>> devices_;  // by ordinal
};

}  // namespace dlscope::core
