// From any object to a HeldTensor: the consumer's side of from_dlpack() and asdlpack(), with what the table of libraries knows of
// the object's type.
// thread: GIL held; foreign code runs inside. What fails leaves a Python error set.
#pragma once

#include "embed/protocols/dlpack.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

struct TakenTensor {
  std::shared_ptr<HeldTensor> held;  // null: a Python error is set
  PyRef owner;                       // see Tensor.owner
};

// Through __dlpack__, or a bare capsule. device: where it shall be; copy: the caller's policy. Where a copy in host memory was
// asked for, or is needed to get there and nobody else makes it, it is dlscope's own, in the ledger under `why`.
[[nodiscard]] TakenTensor take_by_dlpack(PyObject* object, const TakeRequest& wanted, std::string_view why);

// Through whatever protocol the object has: __dlpack__, __array_interface__, __cuda_array_interface__, the buffer protocol. Shares
// its memory, and holds the exporter.
[[nodiscard]] TakenTensor take_by_any(PyObject* object);

// What a copy is made from, for copy_of() with may_leave_device: a Tensor and host memory as they are; memory elsewhere after its own
// library has brought it to the host, or as it is where the CUDA driver must. device: where the copy shall be; where dlscope has no memory
// of its own (can_allocate_on()), what is taken is the library's copy there.
[[nodiscard]] TakenTensor take_to_copy(PyObject* object, const std::optional<core::DeviceId>& device, std::string_view why);

// Another object over the very same numbers, where the library keeps this one from being handed over as it is though nothing
// speaks against a copy: a parameter that requires gradients, a variable. Empty: none, or a KeyboardInterrupt is set.
[[nodiscard]] PyRef view_to_copy_from(PyObject* object);

}  // namespace dlscope::embed
