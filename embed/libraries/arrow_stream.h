// An object's memory by the Arrow C stream interface, which passes addresses and copies nothing
// (https://arrow.apache.org/docs/format/CDataInterface.html).
// thread: GIL held; the library's code runs inside.
#pragma once

#include <cstdint>
#include <deque>

#include "embed/py_ref.h"

namespace dlscope::embed {

// The ABI of the interface, as in the specification.
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

template <class Struct>
struct Released {
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  Struct value{};
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
};

constexpr int kDeepestArrow = 16;  // of lists and structs in one another

// What a stream gives; its addresses hold until it is destroyed.
struct ArrowExport {
  Released<ArrowSchema> schema;
  std::deque<Released<ArrowArray>> chunks;
};

// Reads the stream of an object of a library, null: none. False: it gives none, or fails; a KeyboardInterrupt may be set.
[[nodiscard]] bool read_arrow_stream(PyObject* object, ArrowExport& out);
// Whether the array or one in it has its values in a dictionary.
[[nodiscard]] bool has_dictionary(const ArrowSchema& schema, int depth = 0);

}  // namespace dlscope::embed
