// dlscope.Tensor: the Python object around a HeldTensor: its attributes and its destruction. Its protocols are in
// tensor_dlpack.cpp (DLPack) and tensor_interfaces.cpp (buffer protocol, array interfaces).
// thread: GIL held.
#pragma once

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

struct TensorObject {
  PyObject_HEAD
  HeldTensorPtr held;   // null once closed
  HeldTensorPtr lent;   // what an array interface named the address of: nothing but this object keeps that for who read it
  PyRef owner;          // see Tensor.owner
  PyObject* weak_references;
};

// Creates the type and adds it to the module as `Tensor`. False with a Python error set.
[[nodiscard]] bool add_tensor_type(PyObject* module);
[[nodiscard]] bool is_tensor(PyObject* object);

// A new Tensor. owner: the Python object that owns the memory, a weak reference to it, or empty. Empty with a Python error set on
// failure.
[[nodiscard]] PyRef wrap_tensor(HeldTensorPtr held, PyRef owner);

// The tensor held by a Tensor object; null with a ValueError set: it is closed.
[[nodiscard]] HeldTensorPtr held_by(PyObject* tensor);

}  // namespace dlscope::embed
