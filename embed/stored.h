// Reads what an object holds without running user code: no property, no __getattr__, no __getattribute__, no descriptor written
// in Python, no __eq__ of a key. What the interpreter's C code stores is read through its own descriptors.
// thread: GIL held. No exception is left set except KeyboardInterrupt.
#pragma once

#include <string>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

// The real dict behind a class's read-only __dict__; to be iterated, not kept. Empty when there is none.
[[nodiscard]] PyRef dict_of_class(PyObject* type);
// The value of `name` in the class's own dict, unevaluated: a property is returned as a property. Empty when there is none.
[[nodiscard]] PyRef stored_in_dict_of(PyObject* type, const char* name);
// The same along the method resolution order.
[[nodiscard]] PyRef stored_in_class(PyObject* type, const char* name);

// The value of an attribute stored by C code (a slot, a member, a getter of the interpreter or an extension), or in the
// instance's dict. Empty for anything that Python code would have to compute.
[[nodiscard]] PyRef stored_attribute(PyObject* object, const char* name);

// The instance's dict; empty when it has none. From 3.11 on Python creates the dict when it is first requested: call only if
// something in it is needed (holds_any()).
[[nodiscard]] PyRef dict_of_instance(PyObject* object);

// An entry of __slots__ of a class.
struct SlotName {
  PyRef name, descriptor;
};
[[nodiscard]] std::vector<SlotName> slots_of(PyObject* type);
[[nodiscard]] PyRef slot_value(const SlotName& slot, PyObject* object);

// What the object refers to according to its tp_traverse, as for the garbage collector: borrowed references, valid until Python
// runs. Empty for objects that are not garbage-collected.
[[nodiscard]] std::vector<PyObject*> referents_of(PyObject* object);

// What Python code raised at a look since the last call, a hook of the script's (sys.addaudithook) or a getter written in Python:
// "RuntimeError: not allowed", of the first; "": nothing.
[[nodiscard]] std::string take_forbidden_look();
// Clears a pending exception of a look, unless it is an interrupt; if Python code raised it, take_forbidden_look() tells it.
void clear_failed_look();

}  // namespace dlscope::embed
