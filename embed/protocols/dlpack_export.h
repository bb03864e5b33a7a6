// Handing a HeldTensor to a DLPack consumer: managed structs and the capsules that carry them. Strides are always there, the byte
// offset is folded into `data` wherever that is an address; every struct holds the tensor until its deleter ran.
// thread: GIL held, except for the deleters, which anyone may call anywhere.
#pragma once

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// Whether a struct can be made of it at all; null: yes, else the reason.
[[nodiscard]] const char* why_not_exportable(const HeldTensor& tensor);

enum class WasCopied : std::uint8_t { no, for_this_consumer };
// A new capsule. Needs why_not_exportable() == null. kind dltensor: the caller has seen that read-only memory does not get out.
// Empty with a Python error set.
[[nodiscard]] PyRef make_capsule(HeldTensorPtr tensor, core::CapsuleKind kind, WasCopied copied);

// The table behind Tensor.__dlpack_c_exchange_api__: a capsule named "dlpack_exchange_api". What it needs of the Python type comes
// from the two functions. Empty with a Python error set.
struct ExchangeHooks {
  HeldTensorPtr (*tensor_of)(PyObject* object) = nullptr;     // empty with a Python error set
  PyRef (*wrap)(HeldTensorPtr tensor) = nullptr;              // a new dlscope.Tensor; empty with a Python error set
};
[[nodiscard]] PyRef make_exchange_table(const ExchangeHooks& hooks);

}  // namespace dlscope::embed
