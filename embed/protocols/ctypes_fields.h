// Whether the buffer format of a ctypes structure leaves out where some of its fields are.
// thread: GIL held. Runs no user code. No exception is left set except KeyboardInterrupt.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

// Of a ctypes object, or a memoryview of one; false for any other. In the format of a structure (Modules/_ctypes/stgdict.c, as
// PEP 3118 has it), the fields that it inherits are missing without a gap in their place, a bit field looks like a whole number,
// and a union like one byte: read by such a format, other fields would get bytes that are not theirs.
[[nodiscard]] bool hides_ctypes_fields(PyObject* object);

}  // namespace dlscope::embed
