// MemoryOwners: the whole allocation that an object's memory is part of, found by following the object to the one that owns the
// memory: a NumPy array's base, a memoryview's object, a PyTorch tensor's storage, an Arrow buffer's parent. One row per type.
// None of a user's code runs: attributes are those that C code stores, classes are the libraries' own. Memory that no row knows
// (behind a capsule, of another library) has no known allocation.
// thread: GIL held. No exception is left set except KeyboardInterrupt. Keeps types and one storage alive, for one scan.
#pragma once

#include <optional>
#include <vector>

#include "core/tensor/tensor_desc.h"
#include "embed/objects/pointer_table.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// A PyTorch storage and its memory. Kept alive, so that no other storage can be at its address.
struct KnownStorage {
  PyRef object;
  core::ByteRange memory;
};

// What an object says about its memory, besides the memory that it owns.
struct OwnerStep {
  PyRef next;  // it shows memory of this object
  // Who says so; nullopt: exporter or base, whichever the object is.
  std::optional<core::AllocationSource> source;
  KnownStorage& last_storage;  // asked before: tensors of one storage are often neighbours
  // TensorDesc::allocation_references and _referrer, where the owner is none of the objects that were asked. Only counted where
  // is_worth_counting().
  std::uint32_t references = 0;
  core::Address referrer = 0;
};

class MemoryOwners {
 public:
  // Fills desc.allocation. desc describes the object, just now. Only for host memory; an allocation that does not contain the
  // extent is dropped.
  void find(PyObject* object, core::TensorDesc& desc) {
    desc.allocation = {};
    if (!desc.has_layout || desc.is_copied == core::Tri::yes) return;
    if (desc.device != core::kCpuDevice && core::device_memory(desc.device) != core::DeviceMemory::host) return;
    if (const Step step = step_of(Py_TYPE(object)); step != nullptr) follow(object, step, desc);
  }

  // All the memory that the object owns; empty: none, or not known. is_described: `desc` is of this very object, not of one that
  // led to it. The range is returned in registers: written to memory in halves and loaded whole, it would stall every import.
  using Step = core::ByteRange (*)(PyObject* object, const core::TensorDesc& desc, bool is_described, OwnerStep& out);

 private:
  [[nodiscard]] Step step_of(PyTypeObject* type) {
    if (type == last_type_) return last_step_;
    const std::uint32_t index = index_.find(type);
    last_step_ = index != PointerTable::kAbsent ? steps_[index] : learn(type);
    last_type_ = type;
    return last_step_;
  }
  [[nodiscard]] Step learn(PyTypeObject* type);
  void follow(PyObject* object, Step step, core::TensorDesc& desc);

  PointerTable index_;
  std::vector<Step> steps_;   // null: no row knows such objects
  std::vector<PyRef> types_;  // kept alive: their addresses are the keys
  PyTypeObject* last_type_ = nullptr;
  Step last_step_ = nullptr;
  KnownStorage last_storage_;
};

}  // namespace dlscope::embed
