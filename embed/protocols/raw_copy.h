// RawCopy: the bytes of the struct a producer handed over, copied out while it lived, for a person to look at. Nothing in
// it is believed: which fields they are is all that is known.
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

// A field of a struct, under its own name. type: of dlpack.h or of C, as a reader of the header knows it.
struct RawField {
  const char* name = "";
  std::size_t offset = 0, size = 0;
  const char* type = "";
};

struct RawBlock {
  core::Address address = 0;     // 0: NULL
  std::size_t size = 0;          // it should have
  std::vector<std::byte> bytes;  // what could be read of it: its front
};

struct RawCopy {
  core::Protocol protocol = core::Protocol::none;  // none: nothing was handed over
  core::CapsuleKind capsule = core::CapsuleKind::none;
  std::string capsule_name;  // as it was got: "dltensor_versioned"
  bool held = false;         // the user's own capsule: looked at, not taken
  bool taken = false;        // renamed, its deleter called once; false: left to its own destructor
  RawBlock head, shape, strides;
  std::string format;  // of a buffer

  [[nodiscard]] std::span<const RawField> fields() const;
};

// The managed struct at `managed` and the arrays it points at, through `reader`: any address may be given.
void copy_managed(core::Address managed, core::CapsuleKind kind, const core::MemoryReader& reader, RawCopy& out);
// The same for a buffer that is held.
void copy_view(const BufferView& view, const core::MemoryReader& reader, RawCopy& out);

}  // namespace dlscope::embed
