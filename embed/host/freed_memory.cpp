#include "embed/host/freed_memory.h"

#include <fmt/format.h>

#include "embed/libraries/library.h"
#include "embed/python_api.h"

namespace dlscope::embed {
namespace {

// NumPy refuses to resize an array that has a weak reference, with refcheck=False as well: a strong one changes nothing, because
// the export has one already. A tensor of PyTorch must not be kept, with the graph of its gradient, where the export is of a view.
PyRef reference_to(PyObject* object) {
  if (derives_from(Py_TYPE(object), "numpy", "ndarray")) return PyRef::share(object);
  PyRef reference = PyRef::steal(PyWeakref_NewRef(object, nullptr));
  if (!reference) clear_unless_interrupt();
  return reference;
}

// Empty: it is gone.
PyRef object_behind(const PyRef& reference) {
  if (PyWeakref_Check(reference.get()) == 0) return PyRef::share(reference.get());
  PyRef object = PyRef::steal(dlscope_call_no_args(reference.get()));
  return object.get() == Py_None ? PyRef{} : std::move(object);
}

// What the object says of itself now; without metadata where there is no such object.
FoundTensor look_again(const WatchedMemory& watched, const std::vector<std::string>& names, const TensorIdentity& identity,
                       const ScanPlace& place) {
  TensorFinder finder(place);
  if (watched.object) {
    const PyRef object = object_behind(watched.object);
    return object ? finder.describe(object.get()) : FoundTensor{};
  }
  FoundTensor found = finder.find(names, identity);
  return found.identity.object == identity.object ? std::move(found) : FoundTensor{};
}

}  // namespace

std::optional<WatchedMemory> watch_memory(const FoundTensor& found) {
  const core::TensorDesc& desc = found.description.desc;
  PyTypeObject* const type = Py_TYPE(found.object.get());
  // A memoryview of an array, for example: its library can free the array's memory.
  const bool is_of_another = !desc.allocation.empty() && (desc.allocation_source == core::AllocationSource::base ||
                                                          desc.allocation_source == core::AllocationSource::storage);
  const bool can_be_freed = derives_from(type, "torch", "Tensor") || derives_from(type, "numpy", "ndarray") || is_of_another;
  if (!can_be_freed || desc.extent.empty()) return std::nullopt;
  return WatchedMemory{reference_to(found.object.get()), desc.extent, desc.allocation, false};
}

std::string why_maybe_freed(WatchedMemory& watched, const std::vector<std::string>& names, const TensorIdentity& identity,
                            const ScanPlace& place) {
  const FoundTensor now = look_again(watched, names, identity, place);
  if (PyErr_Occurred() != nullptr) return {};
  const core::TensorDesc& desc = now.description.desc;
  const char* const freed = "what was held may have been freed by set_(), resize_() or resize()";
  if (now.identity.object == nullptr) {
    watched.object_is_gone = true;
    return {};
  }
  if (!desc.has_metadata) return fmt::format("{} does not say any more where its memory is, and {}", names.front(), freed);
  const core::ByteRange memory = watched.allocation.empty() ? desc.extent : desc.allocation;
  if (memory.begin <= watched.extent.begin && watched.extent.end <= memory.end) return {};
  if (now.identity.address != identity.address) return fmt::format("{} has other memory by now, and {}", names.front(), freed);
  return fmt::format("{} has less memory by now, or is a view of what has other memory or less, and {}", names.front(), freed);
}

}  // namespace dlscope::embed
