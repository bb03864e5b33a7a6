// Reading what an object holds without running anything of the user's: no property, no __getattr__, no __getattribute__, no
// descriptor written in Python, no __eq__ of a key. What C code of the interpreter stores is read through its own descriptors.
// thread: GIL held. No exception is left set unless it is KeyboardInterrupt.
#pragma once

#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

// The dict behind a class's read-only __dict__: the real one, to be walked and not kept. Empty where there is none.
[[nodiscard]] PyRef dict_of_class(PyObject* type);
// What stands under `name` in the class's own dict, as it is: a property is a property. Empty when nothing does.
[[nodiscard]] PyRef stored_in_dict_of(PyObject* type, const char* name);
// The same along the method resolution order.
[[nodiscard]] PyRef stored_in_class(PyObject* type, const char* name);

// The value of an attribute that C code stores (a slot, a member, a getter of the interpreter or an extension), or that lies in the
// instance's dict. Empty for anything that would have to be computed by Python code.
[[nodiscard]] PyRef stored_attribute(PyObject* object, const char* name);

// The instance's dict; empty when it has none. From 3.11 on Python makes the dict when it is first asked for: ask only where
// something in it is worth it (holds_any()).
[[nodiscard]] PyRef dict_of_instance(PyObject* object);

// A member of __slots__ of one of the classes.
struct SlotName {
  PyRef name, descriptor;
};
[[nodiscard]] std::vector<SlotName> slots_of(PyObject* type);
[[nodiscard]] PyRef slot_value(const SlotName& slot, PyObject* object);

// What the object's C code says it refers to, as the garbage collector asks it: borrowed references, valid until anything runs.
// Empty for objects that are not collected.
[[nodiscard]] std::vector<PyObject*> referents_of(PyObject* object);

}  // namespace dlscope::embed
