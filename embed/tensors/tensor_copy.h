// Makes dlscope's own copies of a HeldTensor, each entered in the ledger (Runtime::note_copy).
// thread: GIL held; released while bytes are copied.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/memory/address_map.h"
#include "core/transfer/copy_in_parts.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

enum class CopyOrder : std::uint8_t {
  c,
  keep,  // keeps the order of the axes by their strides, without gaps
};

// What became of a copy.
struct Filled {
  bool complete = true;  // false: it was stopped
  std::uint64_t ns = 0;  // of the copying alone
  std::uint64_t plain_ns = 0;  // as in core::wire::Copied
  std::string path = {};
  bool compared = false;         // every element was compared with the source afterwards
  bool equal = true;             // and is equal
  std::string why_not_compared = {};  // where that was asked for
};

struct CopyRequest {
  CopyOrder order = CopyOrder::c;
  std::optional<core::DType> dtype = {};
  std::optional<core::DeviceId> device = {};  // must pass can_allocate_on(); nullopt: host memory
  bool may_leave_device = false;         // dlscope itself may copy a CUDA tensor to the host
  std::string_view refusal = {};         // of its library, which was asked first; part of the message when we fail, too
  std::string_view why;  // for the ledger: the call that requested it, "dlscope.copy()"
  // Called now and then, without the GIL; false: stop the copy, as a KeyboardInterrupt. Empty: only what a signal handler raises
  // (Ctrl+C) stops it, if it is large or made by the CUDA driver.
  core::CopyProgress progress = {};
  bool compare = false;  // compare every element afterwards; a difference (a concurrent write) is a RuntimeError
  const HeldTensor* original = nullptr;  // what the source is its library's copy of, which is what is compared with; null: nothing
  bool measure = false;  // measure how fast a plain copy is here, once; false: it is only told where that is known
  Filled* filled = nullptr;  // where to write down what became of it; null: nowhere
  bool keeps_gil = false;  // while it is found out whether the source can be read: no other thread may take it meanwhile
};

// A copy as requested. Null with a Python error set: BufferError: its bytes cannot be read here, or the driver failed;
// ValueError: an unavailable device; MemoryError; TypeError: an unsupported conversion; or what a signal handler raised
// meanwhile.
[[nodiscard]] std::shared_ptr<HeldTensor> copy_of(const HeldTensor& from, const CopyRequest& wanted);

// The same in two steps, for a source that is had only once: everything that can fail before the first byte is copied, except for
// the driver; then the copying. from: in the first step only its description and its memory are looked at. nullopt: as above.
[[nodiscard]] std::optional<NewTensor> target_for_copy(const HeldTensor& from, const CopyRequest& wanted);
[[nodiscard]] std::shared_ptr<HeldTensor> copy_to_target(const HeldTensor& from, NewTensor made, const CopyRequest& wanted);

// Whether its elements can be read here: in mapped host memory whose pages come in time, or by the CUDA driver where `wanted`
// allows it. False: BufferError is set.
[[nodiscard]] bool is_reachable(const HeldTensor& from, const CopyRequest& wanted);

// Whether the files that are mapped in the range are long enough for it (core/memory/file_mapping.h). True also when this process
// cannot try its own memory.
[[nodiscard]] bool files_reach_end(const core::AddressMap& map, core::ByteRange range);

// Strides in bits, without gaps, for `like`'s shape: in C order, or with the axes in the order of `like`'s strides.
[[nodiscard]] std::vector<std::int64_t> dense_strides(const HeldTensor& like, CopyOrder order, std::uint32_t item_bits);

// Whether its strides are those of C order; strides of axes of size 1 are ignored.
[[nodiscard]] bool is_c_contiguous(const HeldTensor& tensor);

}  // namespace dlscope::embed
