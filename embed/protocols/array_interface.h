// __array_interface__ (version 3) and __cuda_array_interface__ (versions 2 and 3): dictionaries with an address, a shape and a
// typestr. Masked arrays are refused with the reason.
// thread: GIL held. Getting the attribute runs foreign code; no exception is left set except KeyboardInterrupt.
#pragma once

#include "embed/libraries/library.h"
#include "embed/description.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// session (may be null) is asked for the dtype when the typestr says raw bytes. Fills description.desc and returns true, or adds a
// refusal and returns false.
[[nodiscard]] bool describe_array_interface(PyObject* object, LibrarySession* session, Elements elements,
                                            Description& description);
[[nodiscard]] bool describe_cuda_array_interface(PyObject* object, Elements elements, Description& description);

// While one exists, its thread reads this object's interfaces only to look: nobody uses the address afterwards.
class OnlyLooking {
 public:
  explicit OnlyLooking(PyObject* object);
  ~OnlyLooking();
  OnlyLooking(const OnlyLooking&) = delete;
  OnlyLooking& operator=(const OnlyLooking&) = delete;

 private:
  PyObject* before_;
};
[[nodiscard]] bool is_only_looked_at(PyObject* object);

}  // namespace dlscope::embed
