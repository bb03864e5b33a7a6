// Copies that dlscope makes of a HeldTensor, each of them entered in the ledger (Runtime::note_copy).
// thread: GIL held; it is given to others while bytes are copied.
#pragma once

#include <string_view>
#include <vector>

#include "core/transfer/copy_in_parts.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

enum class CopyOrder : std::uint8_t {
  c,
  keep,  // the axes in the order of their strides, without gaps
};

struct CopyRequest {
  CopyOrder order = CopyOrder::c;
  std::optional<core::DType> dtype = {};
  std::optional<core::DeviceId> device = {};  // can_allocate_on() it; nullopt: host memory
  bool may_leave_device = false;         // a CUDA tensor may be brought to the host by dlscope itself
  std::string_view refusal = {};         // of its library, which was asked first: part of the words where we cannot either
  std::string_view why;  // for the ledger: the call that made it, "dlscope.copy()"
  // Told now and then how far it is, without the GIL; false: the copy is given up, as a KeyboardInterrupt. Empty: in one go.
  core::CopyProgress progress = {};
  bool compare = false;  // afterwards, every element; a difference is a RuntimeError (somebody wrote meanwhile)
  std::uint64_t* ns = nullptr;  // where to write how long copying alone took
};

// A copy where it was asked for. Null with a Python error set: BufferError when its bytes cannot be read here or the driver failed,
// ValueError for a device that cannot be had, MemoryError, TypeError for a conversion that does not exist.
[[nodiscard]] std::shared_ptr<HeldTensor> copy_of(const HeldTensor& from, const CopyRequest& wanted);

// Whether its elements can be read here: in mapped host memory, or by the CUDA driver where `wanted` lets them. False: BufferError.
[[nodiscard]] bool is_reachable(const HeldTensor& from, const CopyRequest& wanted);

// Strides in bits of a tensor of `like`'s shape without gaps: in C order, or with its axes in the order of `like`'s strides.
[[nodiscard]] std::vector<std::int64_t> dense_strides(const HeldTensor& like, CopyOrder order, std::uint32_t item_bits);

// Its strides are those of C order, axes of one element aside.
[[nodiscard]] bool is_c_contiguous(const HeldTensor& tensor);

}  // namespace dlscope::embed
