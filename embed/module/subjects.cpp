#include "embed/module/subjects.h"

#include <functional>
#include <set>
#include <string>

#include "core/inventory/own_symbols.h"
#include "embed/libraries/library_version.h"
#include "embed/runtime.h"
#include "embed/tensors/older_protocols.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

constexpr std::size_t kMaxVersionBytes = 64;

bool complain_no_protocol(PyObject* object) {
  if (PyErr_Occurred() != nullptr) return false;
  PyErr_SetString(PyExc_TypeError, offers_no_tensor(object).c_str());
  return false;
}

}  // namespace

std::shared_ptr<core::Snapshot> analysed(core::SnapshotBuilder& builder, Export exports) {
  const TimedReading reading;
  const core::SnapshotPtr earlier = Runtime::get().published;
  const WithoutGil released;
  const auto map = core::AddressMap::load(0);
  core::AnalyseOptions options;
  options.map = map ? &*map : nullptr;
  if (!map) options.map_problem = map.error().message;
  options.reader = reading.reader().get();
  options.earlier = earlier.get();
  options.symbol_of = core::own_symbol;
  options.exports_are_held = exports == Export::keep;
  // The default limit on pairs: each becomes a Python object, a hundred times the size of a record.
  const auto cuda = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  options.cuda = cuda ? &*cuda : nullptr;
  builder.analyse(options);
  return builder.finish();
}

std::shared_ptr<core::Snapshot> Subjects::finish() {
  auto snapshot = analysed(builder_, description_.export_after);
  std::set<std::string, std::less<>> named;
  for (const core::TensorRecord& tensor : snapshot->tensors) {
    const auto [name, is_new] = named.emplace(snapshot->str(tensor.library));
    if (!is_new) continue;
    const std::string version = library_version(*name).substr(0, kMaxVersionBytes);
    snapshot->libraries.push_back({tensor.library, {static_cast<std::uint32_t>(snapshot->text.size()),
                                                    static_cast<std::uint32_t>(version.size())}});
    snapshot->text.insert(snapshot->text.end(), version.begin(), version.end());
  }
  return snapshot;
}

Subjects::Subjects(Export exports) : types_(builder_), describer_(Runtime::get().reader()) { description_.export_after = exports; }

bool Subjects::add(PyObject* object, std::string_view name) {
  const PyRef alive = PyRef::share(object);
  TypeFacts& facts = types_.facts_of(object);
  if (PyErr_Occurred() != nullptr) return false;
  if (facts.role == Role::capsule) {
    description_.clear();
    (void)describer_.dlpack().describe_held_capsule(object, description_);
  } else {
    const bool offers = facts.role == Role::tensor || Describer::offered(object, facts, AskedBy::request) != 0;
    if (!offers) return complain_no_protocol(object);
    types_.name_library(facts);
    if (PyErr_Occurred() != nullptr) return false;
    describer_.describe(object, facts, AskedBy::request, description_);
    if (PyErr_Occurred() != nullptr) return false;
  }
  const std::uint32_t id = builder_.add_tensor(description_.desc, facts.library_name, facts.type_name,
                                               name.empty() ? core::TextRef{} : builder_.add_text(name));
  for (const Refusal& refusal : description_.refusals) builder_.add_refusal(id, refusal.protocol, refusal.type, refusal.message);
  for (const core::Remark& remark : description_.remarks) builder_.add_remark(id, remark.code, remark.message);
  if (description_.memory) kept_.push_back(std::move(description_.memory));
  return true;
}

}  // namespace dlscope::embed
