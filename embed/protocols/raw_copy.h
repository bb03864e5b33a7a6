// RawCopy: the bytes of the struct that a producer handed over, copied while it existed, to be shown to a person. They are not
// trusted: only the layout of the fields is known.
// thread: GIL held.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/memory/memory_reader.h"
#include "core/tensor/tensor_desc.h"
#include "embed/python_api.h"

namespace dlscope::embed {

// A field of a struct by its name. type: as in dlpack.h or C.
struct RawField {
  const char* name = "";
  std::size_t offset = 0, size = 0;
  const char* type = "";
};

struct RawBlock {
  core::Address address = 0;     // 0: NULL
  std::size_t size = 0;          // the expected size
  std::vector<std::byte> bytes;  // the bytes that could be read from its beginning
};

struct RawCopy {
  core::Protocol protocol = core::Protocol::none;  // none: nothing was handed over
  core::CapsuleKind capsule = core::CapsuleKind::none;
  std::string capsule_name;  // as received: "dltensor_versioned"
  bool held = false;         // the user's own capsule, which was only read
  bool taken = false;        // renamed, and its deleter called once; false: left to its own destructor
  RawBlock head, shape, strides;
  std::string format;  // of a buffer

  [[nodiscard]] std::span<const RawField> fields() const;
};

// Copies the managed struct at `managed` and its arrays, by `reader`: any address is safe.
void copy_managed(core::Address managed, core::CapsuleKind kind, const core::MemoryReader& reader, RawCopy& out);
// The same for a held buffer.
void copy_view(const BufferView& view, const core::MemoryReader& reader, RawCopy& out);

}  // namespace dlscope::embed
