// Reads the local variables of a frame without changing the frame.
// thread: GIL held. Runs nothing of the user's; no exception is left set unless it is KeyboardInterrupt.
#pragma once

#include <string>
#include <vector>

#include "embed/objects/user_code.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

struct Local {
  PyRef name, value;
};

// Bound variables only, in the order of the code. Empty for the frame of a module, whose names are its globals.
//
// Before 3.13 `frame.f_locals` of a function is a snapshot that the frame keeps: it would hold every tensor in it alive until the
// function ends or is asked again, and it is the very dict the function's own locals() gave away. So:
//   3.12 and later  each variable is asked for by name (PyFrame_GetVar), which makes no snapshot;
//   before          the snapshot is copied and, where nobody but the frame has it, the variables are taken out of it again. Not
//                   while a trace function is set: the interpreter writes the snapshot back into the frame when that function
//                   returns.
// Where the function itself holds what locals() gave it, that dict is brought up to date, as by any other call of locals().
[[nodiscard]] std::vector<Local> locals_of_frame(PyObject* frame);
// As locals_of_frame(), of a function's variables with these names (a tuple) only; what console code has added is not among them.
[[nodiscard]] std::vector<Local> variables_of_frame(PyObject* frame, PyObject* names);
// A new dict of them; empty with a Python error set.
[[nodiscard]] PyRef as_dict(const std::vector<Local>& locals);
// Names that console code gave a function's frame and that the function does not have (names: a dict; both are kept alive). Until
// forget_added_names() of that frame they are read as its locals, behind its variables.
void add_names_to_frame(PyObject* frame, PyObject* names);
void forget_added_names(PyObject* frame);
// Whether a trace function is set that makes the interpreter write snapshots back. Ours does not: it is announced once, by what
// sys.gettrace() shows for it (borrowed, kept by the caller).
[[nodiscard]] bool is_traced(PyObject* frame);
void set_own_tracer(PyObject* tracer);

// Whether the frame runs the user's code.
[[nodiscard]] bool frame_is_users(PyObject* frame);
// Whether it runs the code of a module (its locals are its globals).
[[nodiscard]] bool is_module_frame(PyObject* frame);

struct FrameFacts {
  std::string function;  // "Job.two"; before 3.11 as far as the first argument tells the class
  std::string file;
  unsigned line = 0;
};
[[nodiscard]] FrameFacts facts_of_frame(PyObject* frame);

}  // namespace dlscope::embed
