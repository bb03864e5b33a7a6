// Finds the Python object of a tensor in a snapshot again, by its names. Only the same object over the same memory counts, not
// another object that has the name by now.
// thread: Python's main thread, GIL held; the producers' code runs inside.
#pragma once

#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "embed/description.h"
#include "embed/objects/describer.h"
#include "embed/objects/type_table.h"
#include "embed/py_ref.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

// What identifies a tensor: all of it has to be equal.
struct TensorIdentity {
  PyObject* object = nullptr;  // an address to compare, not a reference; null: any object
  core::Address address = 0;  // 0 for one that hands over copies: each is elsewhere
  core::DType dtype;
  core::DeviceId device;
  std::vector<std::int64_t> shape, stride_bits;
  bool operator==(const TensorIdentity&) const = default;
};

struct FoundTensor {
  PyRef object;  // empty: why_not says why, or an interrupt is pending as a Python error
  std::string why_not;
  TensorIdentity identity;  // with its object
  Description description;  // what it says of itself now
};

class TensorFinder {
 public:
  explicit TensorFinder(const ScanPlace& place);

  // Tries the names in their order. identity_of() and names_of() take both arguments from a snapshot. exports: keep: the result's
  // description holds the memory.
  [[nodiscard]] FoundTensor find(const std::vector<std::string>& names, const TensorIdentity& identity,
                                 Export exports = Export::give_back);
  [[nodiscard]] FoundTensor find(const core::Snapshot& snapshot, std::uint32_t tensor);
  // What the object says of itself now, whatever its names are. Without an identity where an interrupt is pending.
  [[nodiscard]] FoundTensor describe(PyObject* object);
  [[nodiscard]] Describer& describer() { return describer_; }

 private:
  // Fills the description and the identity of `found`. False: an interrupt is pending.
  [[nodiscard]] bool describe(PyObject* object, TypeFacts& facts, FoundTensor& found);

  const ScanPlace& place_;
  core::SnapshotBuilder unused_;
  TypeTable types_;
  Describer describer_;
};

[[nodiscard]] TensorIdentity identity_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor);
[[nodiscard]] std::vector<std::string> names_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// why_not: of a FoundTensor. "x no longer exists. Scan again (Run menu) to see what there is now."
[[nodiscard]] std::string look_again_text(const std::string& why_not);

}  // namespace dlscope::embed
