// The objects of one call into the module, described and compared.
// thread: GIL held; released while the analysis runs.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "embed/objects/describer.h"

namespace dlscope::embed {

// Analyses what the builder holds, without the GIL, and returns the snapshot. exports: keep: the tensors' exports still exist.
[[nodiscard]] std::shared_ptr<core::Snapshot> analysed(core::SnapshotBuilder& builder, Export exports);

class Subjects {
 public:
  // exports: keep: until this object's end all exports exist at once, so what has different memory has different addresses, and
  // the memory can be read and written.
  explicit Subjects(Export exports);

  // False with a Python error set: the object offers no protocol, or the user interrupted.
  [[nodiscard]] bool add(PyObject* object, std::string_view name = {});
  // With the versions of the tensors' libraries.
  [[nodiscard]] std::shared_ptr<core::Snapshot> finish();

 private:
  core::SnapshotBuilder builder_;
  TypeTable types_;
  Describer describer_;
  Description description_;
  std::vector<HeldMemory> kept_;
};

}  // namespace dlscope::embed
