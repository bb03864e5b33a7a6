#include "embed/module/prove.h"

#include <fmt/format.h>

#include <vector>

#include "core/inventory/relation.h"
#include "core/inventory/write_probe.h"
#include "core/report/report.h"
#include "embed/module/nested_call.h"
#include "embed/module/subjects.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

PyRef text(const std::string& words) {
  return PyRef::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
}

PyRef number_or_none(std::uint64_t number) {
  return number == core::kUnknown64 ? PyRef::share(Py_None) : PyRef::steal(PyLong_FromUnsignedLongLong(number));
}

PyRef address_of(const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return PyRef::share(Py_None);
  return text(core::hex(tensor.address));
}

// None, or a bool; no other keyword. False with a Python error set.
bool read_probe(PyObject* keywords, bool& probe) {
  probe = false;
  if (keywords == nullptr || PyDict_Size(keywords) == 0) return true;
  PyObject* const given = PyDict_GetItemString(keywords, "probe");
  if (given == nullptr || PyDict_Size(keywords) != 1) {
    PyErr_SetString(PyExc_TypeError, "prove() takes tensors and probe=True or False");
    return false;
  }
  const int truth = PyObject_IsTrue(given);
  probe = truth > 0;
  return truth >= 0;
}

class Chain {
 public:
  [[nodiscard]] bool add_all(PyObject* tensors) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(tensors); ++i) {
      if (!subjects_.add(PyTuple_GetItem(tensors, i))) return false;
    }
    snapshot_ = subjects_.finish();
    return true;
  }

  // The objects are the caller's arguments: they live as long as this does.
  [[nodiscard]] PyRef judge(bool probe) {
    const auto map = core::AddressMap::load(0);
    const PyRef steps = PyRef::steal(PyList_New(0));
    std::vector<core::HandOverStep> judged;
    for (std::uint32_t i = 0; i + 1 < snapshot_->tensors.size(); ++i) {
      judged.push_back(core::judge_hand_over(*snapshot_, i, i + 1, unknown_words(i)));
      const PyRef step = describe_step(i, judged.back(), probe, map ? &*map : nullptr);
      if (!steps || !step || PyList_Append(steps.get(), step.get()) != 0) return {};
    }
    return PyRef::steal(
        Py_BuildValue("{s:s,s:O}", "verdict", core::hand_over_name(core::judge_chain(judged)), "steps", steps.get()));
  }

 private:
  [[nodiscard]] std::string unknown_words(std::uint32_t i) const {
    const core::PairRecord pair = core::relation_between(*snapshot_, i, i + 1);
    return pair.relation == core::Relation::unknown ? words_for_unknown(*snapshot_, pair) : std::string();
  }

  [[nodiscard]] PyRef describe_step(std::uint32_t i, const core::HandOverStep& step, bool armed, const core::AddressMap* map) const {
    const core::TensorRecord& from = snapshot_->tensors[i];
    const core::TensorRecord& to = snapshot_->tensors[i + 1];
    core::ProbeResult probe;
    if (armed && map != nullptr) probe = core::probe_by_writing(*snapshot_, i, i + 1, step, *map);
    std::string why = step.why;
    if (!probe.why.empty()) why += fmt::format("; the write probe: {}", probe.why);
    const PyRef names[] = {text(std::string(snapshot_->str(from.type))), text(std::string(snapshot_->str(to.type)))};
    const PyRef shared = number_or_none(step.shared_bytes), words = text(why);
    const PyRef addresses[] = {address_of(from), address_of(to)};
    if (!names[0] || !names[1] || !shared || !words || !addresses[0] || !addresses[1]) return {};
    return PyRef::steal(Py_BuildValue(
        "{s:O,s:O,s:s,s:s,s:O,s:O,s:O,s:s,s:[ss],s:O}", "from", names[0].get(), "to", names[1].get(), "verdict",
        core::hand_over_name(step.verdict), "relation", core::relation_name(step.relation), "shared_bytes", shared.get(),
        "from_address", addresses[0].get(), "to_address", addresses[1].get(), "probe", core::probe_name(probe.probe), "writability",
        core::writability_words(*snapshot_, from), core::writability_words(*snapshot_, to), "why", words.get()));
  }

  Subjects subjects_;
  std::shared_ptr<core::Snapshot> snapshot_;
};

}  // namespace

PyObject* prove(PyObject*, PyObject* args, PyObject* keywords) {
  bool probe = false;
  if (!read_probe(keywords, probe)) return nullptr;
  if (PyTuple_Size(args) < 2) {
    PyErr_SetString(PyExc_ValueError, "prove() needs two tensors at least: it judges how one was handed over to the next");
    return nullptr;
  }
  const NestedCall call;
  if (!call) return nullptr;
  Chain chain;
  if (!chain.add_all(args)) return nullptr;
  return chain.judge(probe).release();
}

const char* const kProveDoc =
    "prove($module, /, *tensors, probe=False)\n--\n\n"
    "Whether a chain of hand-overs shared the memory: {'verdict', 'steps'}, SHARED only when every step is. Decided on the bytes each\n"
    "tensor really touches. probe=True changes one byte through the first of each pair, looks for it in the second and puts it back;\n"
    "never where a side is read-only or immutable by contract.";

}  // namespace dlscope::embed
