// The producer's half of DLPack: managed structs of a HeldTensor, and their capsules. Strides are always set, and the byte offset
// is included in `data` wherever `data` is an address. Every struct holds the tensor until its deleter has run.
// thread: GIL held, except for the deleters, which may be called on any thread.
#pragma once

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// Why no struct can be made of it; null: it can.
[[nodiscard]] const char* why_not_exportable(const HeldTensor& tensor);

enum class WasCopied : std::uint8_t { no, for_this_consumer };
// A new capsule; why_not_exportable() must be null. For kind dltensor the caller must refuse read-only memory, which a legacy
// capsule cannot express. Empty with a Python error set.
[[nodiscard]] PyRef make_capsule(HeldTensorPtr tensor, core::CapsuleKind kind, WasCopied copied);

// The table behind Tensor.__dlpack_c_exchange_api__, in a capsule named "dlpack_exchange_api". The two functions connect it to
// the Python type. Empty with a Python error set.
struct ExchangeHooks {
  HeldTensorPtr (*tensor_of)(PyObject* object) = nullptr;     // empty with a Python error set
  PyRef (*wrap)(HeldTensorPtr tensor) = nullptr;              // a new dlscope.Tensor; empty with a Python error set
};
[[nodiscard]] PyRef make_exchange_table(const ExchangeHooks& hooks);

}  // namespace dlscope::embed
