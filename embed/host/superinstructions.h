// Superinstructions of Python 3.12: its compiler joins pairs of instructions (LOAD_FAST__LOAD_FAST), and any event of
// sys.monitoring that comes or goes in a code object separates them for good, also in code where nothing is waited for: a tight
// loop then takes 1.04 to 1.08 times as long. This joins them again, as the compiler did. Other versions have no such
// instructions (before 3.12 no events, from 3.13 on the pairs are real instructions, which stay).
// thread: GIL held.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed::superinstructions {

// Prepares restore(). table: a tuple (bytes of 256: the instruction that a specialised one stands for; bytes of 256:
// how many caches follow an instruction, 255 where that is not known; a tuple of pairs as (first, second, joined)). sample:
// code that never ran and that has each pair; unless the table explains its instructions to the last one, nothing is ever
// changed. Returns whether it does. No exception is left set.
bool begin(PyObject* table, PyObject* sample);
// Joins the pairs of this code object. An instrumented instruction is in no pair.
void restore(PyObject* code);

}  // namespace dlscope::embed::superinstructions
