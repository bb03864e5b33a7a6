#include "embed/host/found_tensor.h"

#include <fmt/format.h>

#include "core/inventory/hand_over_words.h"
#include "core/wire/advice.h"
#include "embed/runtime.h"
#include "embed/scan/name_lookup.h"

namespace dlscope::embed {

namespace {

// What the object that has the name now says of itself that the one before did not.
std::string what_differs(const std::string& name, const TensorIdentity& had, const TensorIdentity& has) {
  if (had.dtype != has.dtype) return fmt::format("{} has another dtype by now", name);
  if (had.device != has.device) return fmt::format("{} is on another device by now", name);
  if (had.shape != has.shape)
    return fmt::format("the shape of {} is {} by now, no longer {}", name, core::shape_in_words(has.shape),
                       core::shape_in_words(had.shape));
  if (had.stride_bits != has.stride_bits) return fmt::format("{} has other strides by now", name);
  return fmt::format("{} lies at another address by now", name);
}

}  // namespace

TensorFinder::TensorFinder(const ScanPlace& place)
    : place_(place), types_(unused_), describer_(Runtime::get().reader(), true) {}

FoundTensor TensorFinder::find(const std::vector<std::string>& names, const TensorIdentity& identity, Export exports) {
  FoundTensor found;
  found.description.export_after = exports;
  if (names.empty()) {
    found.why_not = "a tensor without a name cannot be found again";
    return found;
  }
  const std::string& name = names.front();
  found.why_not = fmt::format("{} no longer exists", name);
  for (const std::string& path : names) {
    const auto [object, why_not] = object_named(place_, path, types_);
    if (PyErr_Occurred() != nullptr) return found;
    if (!object) {
      if (!why_not.empty()) found.why_not = why_not;
      continue;
    }
    found.why_not = fmt::format("{} is another tensor by now", name);
    TypeFacts& facts = types_.facts_of(object.get());
    if (PyErr_Occurred() != nullptr) return found;
    if (object.get() == Py_None) found.why_not = fmt::format("{} is None by now", name);
    if (facts.role == Role::capsule) {
      found.why_not = fmt::format("{} is a capsule: whoever consumes it holds the memory, and a scan must not consume it", name);
      return found;
    }
    if (identity.object != nullptr && identity.object != object.get()) continue;
    if (!describe(object.get(), facts, found)) return found;
    TensorIdentity compared = found.identity;
    if (identity.object == nullptr) compared.object = nullptr;
    if (!found.description.desc.has_metadata || compared != identity) {
      if (found.description.desc.has_metadata && identity.object != nullptr)
        found.why_not = what_differs(name, identity, found.identity);
      continue;
    }
    found.object = object;
    found.why_not.clear();
    return found;
  }
  return found;
}

bool TensorFinder::describe(PyObject* object, TypeFacts& facts, FoundTensor& found) {
  types_.name_library(facts);
  if (PyErr_Occurred() != nullptr) return false;
  describer_.describe(object, facts, AskedBy::request, found.description);
  if (PyErr_Occurred() != nullptr) return false;
  const core::TensorDesc& desc = found.description.desc;
  const core::LayoutView layout = desc.layout();
  const core::Address address = desc.is_copied == core::Tri::yes ? 0 : desc.address();
  found.identity = {object, address, desc.dtype, desc.device, {layout.shape.begin(), layout.shape.end()},
                    {layout.stride_bits.begin(), layout.stride_bits.end()}};
  return true;
}

FoundTensor TensorFinder::describe(PyObject* object) {
  FoundTensor found;
  TypeFacts& facts = types_.facts_of(object);
  if (PyErr_Occurred() == nullptr && describe(object, facts, found)) found.object = PyRef::share(object);
  return found;
}

FoundTensor TensorFinder::find(const core::Snapshot& snapshot, std::uint32_t tensor) {
  const core::TensorRecord& record = snapshot.tensors[tensor];
  if (record.has_metadata) return find(names_of(snapshot, record), identity_of(snapshot, record));
  FoundTensor none;
  none.why_not = fmt::format("{} was not described, so it cannot be found again for certain", snapshot.name(record));
  return none;
}

TensorIdentity identity_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const core::LayoutView layout = snapshot.layout(tensor);
  const core::Address address = core::is_copy_for_export(tensor) ? 0 : tensor.address;
  return {nullptr, address, tensor.dtype, tensor.device, {layout.shape.begin(), layout.shape.end()},
          {layout.stride_bits.begin(), layout.stride_bits.end()}};
}

std::vector<std::string> names_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  std::vector<std::string> names;
  for (const core::TextRef path : core::Snapshot::slice(snapshot.names, tensor.names)) names.emplace_back(snapshot.str(path));
  return names;
}

std::string look_again_text(const std::string& why_not) { return fmt::format("{}.{}", why_not, core::wire::kScanAgain); }

}  // namespace dlscope::embed
