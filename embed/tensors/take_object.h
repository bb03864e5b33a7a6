// Makes a HeldTensor of any object: the consumer side of from_dlpack() and asdlpack(), using the library table's knowledge of the
// object's type.
// thread: GIL held; foreign code runs inside. On failure a Python error is set.
#pragma once

#include "embed/protocols/dlpack.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

struct TakenTensor {
  std::shared_ptr<HeldTensor> held;  // null: a Python error is set
  PyRef owner;                       // see Tensor.owner
  std::shared_ptr<HeldTensor> original = {};  // on its device, where `held` is the copy that its library brought to the host
};

// By __dlpack__, or from a bare capsule. device: where the tensor shall be; copy: the caller's policy. A copy in host memory,
// requested or needed to get there when no library makes it, is dlscope's own, in the ledger with `why`.
[[nodiscard]] TakenTensor take_by_dlpack(PyObject* object, const TakeRequest& wanted, std::string_view why);

// By whatever protocol the object has: __dlpack__, __array_interface__, __cuda_array_interface__, the buffer protocol. Shares its
// memory and holds the exporter.
[[nodiscard]] TakenTensor take_by_any(PyObject* object);

// The source for copy_of() with may_leave_device: a Tensor, or host memory, as it is; other memory after its own library has
// copied it to the host, or as it is when only the CUDA driver can do that. device: where the copy shall be; where dlscope cannot
// allocate (can_allocate_on()), the result is the library's copy there.
[[nodiscard]] TakenTensor take_to_copy(PyObject* object, const std::optional<core::DeviceId>& device, std::string_view why);

// Another object over the same numbers, where the library refuses to hand this one over although copying it is fine: a parameter
// that requires gradients, a variable. Empty: none, or a KeyboardInterrupt is set.
[[nodiscard]] PyRef view_to_copy_from(PyObject* object);

}  // namespace dlscope::embed
