// Fills a new tensor with the elements of another one: on the host, or by the CUDA driver.
// thread: GIL held; released while bytes are copied and compared.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "embed/tensors/tensor_copy.h"

namespace dlscope::embed {

// bytes: of `to`; null: on a device. `from` must be reachable (is_reachable()) and convertible to the dtype of `to`. Not
// `complete`: it was stopped; where a signal handler did so, its exception is pending. Fails with a message.
[[nodiscard]] core::Result<Filled> fill_copy(const HeldTensor& from, const HeldTensor& to, std::byte* bytes,
                                             const CopyRequest& wanted);

// The way of a copy in host memory, for the ledger: "cpu -> cpu, runs of 4096 bytes". The shapes must be equal.
[[nodiscard]] std::string host_path(const HeldTensor& from, const HeldTensor& to);

}  // namespace dlscope::embed
