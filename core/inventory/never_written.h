// The bytes that the write probe leaves alone, whichever tensor it would write through: those that somebody promised never to
// change, and the addresses of Python objects, which another thread may follow at any time. thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Immutable by contract, or a `bytes` object.
[[nodiscard]] bool is_immutable(const Snapshot& snapshot, const TensorRecord& tensor);
// PyTorch's copy-on-write: its lazy clones have these bytes, too, and a write through the library goes to a copy of them.
[[nodiscard]] bool is_copy_put_off(const TensorRecord& tensor);
// Some of its elements are, or contain, addresses of Python objects.
[[nodiscard]] bool holds_objects(const Snapshot& snapshot, const TensorRecord& tensor);

// Made once for a proof: looks at every tensor of the snapshot, which must outlive it.
class NeverWritten {
 public:
  explicit NeverWritten(const Snapshot& snapshot);

  struct Owner {
    bool immutable = false;  // false: it holds objects, or it is not known whose it is
    std::string why;         // "the byte is one of j (jaxlib.ArrayImpl), which is immutable"
    bool is_known = false;   // with why "": the tensor is known to own its memory, or to be of its owner's who may write it
  };
  // Whose byte this is, at an address of this process; why "": nobody's who forbids writing it.
  [[nodiscard]] Owner owner_of(Address address) const;

 private:
  struct Part {
    ByteRange range;       // as Snapshot::compared_extent()
    Address furthest = 0;  // end of this range and of all before it
    std::uint32_t tensor = 0;
  };
  [[nodiscard]] const TensorRecord* tensor_at(Address compared) const;

  const Snapshot& snapshot_;
  std::vector<Part> parts_;                  // sorted by where they begin
  std::vector<std::uint32_t> mapped_again_;  // tensors whose pages are mapped at several addresses
};

}  // namespace dlscope::core
