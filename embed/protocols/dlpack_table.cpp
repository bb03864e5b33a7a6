// Gets a producer's struct by the exchange table of its type: without a Python call and without a capsule. The struct is ours at
// once, so its deleter is called here unless a HeldTensor takes it over.
#include <dlpack/dlpack.h>

#include <algorithm>
#include <utility>

#include "embed/protocols/deleter.h"
#include "embed/protocols/dlpack_take.h"
#include "embed/protocols/exchange_table.h"
#include "embed/protocols/stream_watch.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::RemarkCode;

// A tensor in host memory without problems. Anything else is described from the capsule of __dlpack__, which also gives the
// library's own messages.
bool is_plain(const core::TensorDesc& desc) {
  const auto is_problem = [](const core::Remark& remark) { return core::remark_kind(remark.code) == core::RemarkKind::problem; };
  return desc.has_layout && desc.device == core::kCpuDevice && std::ranges::none_of(desc.remarks, is_problem);
}

// Gives the memory back to the library. A deleter that is not code is not called: better leak the struct than crash the process.
void delete_struct(Address managed, const core::TensorDesc& desc) {
  const bool no_code =
      std::ranges::any_of(desc.remarks, [](const core::Remark& remark) { return remark.code == RemarkCode::deleter_not_code; });
  if (desc.deleter == 0 || no_code) return;
  const PendingError interrupt;  // deleters may run Python code, which must not see it
  run_deleter(desc.deleter, managed);
  if (PyErr_Occurred() != nullptr) note_pending_exception(ForeignCall::deleter);
}

}  // namespace

Address DlpackProtocol::ask_table(PyObject* object, ProducerTraits& traits, core::TensorDesc& desc, bool& usable) {
  if (!std::exchange(traits.table_looked_for, true)) traits.table = find_exchange_table(Py_TYPE(object), reader_, memory_);
  if (!traits.table || raw_ != nullptr || PyErr_Occurred() != nullptr) return 0;
  const auto give = reinterpret_cast<DLPackManagedTensorFromPyObjectNoSync>(traits.table->from_object);
  DLManagedTensorVersioned* given = nullptr;
  const int status = [&] {
    const StreamsUnrecorded by_us;  // a Tensor of ours that is asked here hands nothing to anybody else
    return give(object, &given);
  }();
  const bool interrupted = PyErr_Occurred() != nullptr && clear_unless_interrupt();
  if (status != 0 || given == nullptr) return 0;  // anything it returned beside a failure must not be deleted
  const auto managed = reinterpret_cast<Address>(given);
  read_struct(managed, core::CapsuleKind::dltensor_versioned, traits.may_be_mapped, desc);
  desc.given_by = core::GivenBy::exchange_table;
  usable = !interrupted && is_plain(desc);
  return managed;
}

bool DlpackProtocol::describe_by_table(PyObject* object, ProducerTraits& traits, Description& description) {
  bool usable = false;
  const Address managed = ask_table(object, traits, description.desc, usable);
  if (managed == 0) return false;
  if (usable && description.keeps()) {
    description.memory = HeldMemory(ManagedHold{managed, description.desc.deleter});
    return true;
  }
  delete_struct(managed, description.desc);
  if (!usable) description.desc.clear();
  return usable;
}

std::shared_ptr<HeldTensor> DlpackProtocol::take_by_table(PyObject* object, ProducerTraits& traits) {
  memory_.allow_refreshes();
  bool usable = false;
  core::TensorDesc& desc = take_desc_;
  const Address managed = ask_table(object, traits, desc, usable);
  if (managed == 0) return nullptr;
  if (!usable) {
    delete_struct(managed, desc);
    return nullptr;
  }
  try {
    auto held = hold_described(desc, {}, {});
    held->hold(HeldMemory(ManagedHold{managed, desc.deleter}));
    return held;
  } catch (...) {  // no memory: nobody else would call the deleter
    delete_struct(managed, desc);
    throw;
  }
}

}  // namespace dlscope::embed
