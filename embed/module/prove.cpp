#include "embed/module/prove.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/inventory/proof.h"
#include "core/report/record_json.h"
#include "embed/module/json_to_python.h"
#include "embed/module/names_of_program.h"
#include "embed/module/nested_call.h"
#include "embed/module/subjects.h"
#include "embed/tensors/arguments.h"
#include "embed/tensors/memory_of_others.h"
#include "embed/timed_reading.h"

namespace dlscope::embed {

void wait_for_probed_pages(const core::Snapshot& snapshot, std::span<const core::ProofPair> pairs) {
  static constexpr core::Address kAround = 64;  // bytes of an element to either side that the probe compares
  const auto wait_around = [](core::Address byte) {
    static_cast<void>(why_pages_do_not_come({byte - std::min(byte, kAround), byte + kAround + 1}, true));
  };
  for (const core::ProofPair pair : pairs) {
    const core::HandOverStep step = core::judge_hand_over(snapshot, pair.from, pair.to);
    if (step.verdict == core::HandOver::unknown) continue;
    for (const auto& [tensor, byte] : {std::pair{pair.from, step.from_byte}, std::pair{pair.to, step.to_byte}}) {
      const core::TensorRecord& record = snapshot.tensors[tensor];
      if (record.space == core::kHostSpace && record.readable) wait_around(byte);
    }
  }
}

namespace {

// Reads the only keyword, `probe`. False with a Python error set.
bool read_probe(PyObject* keywords, bool& probe) {
  probe = false;
  if (keywords == nullptr || PyDict_Size(keywords) == 0) return true;
  PyObject* const given = PyDict_GetItemString(keywords, "probe");
  if (given == nullptr || PyDict_Size(keywords) != 1) {
    PyErr_SetString(PyExc_TypeError, "prove() takes tensors and probe=True or False");
    return false;
  }
  return given == Py_None || read_flag(given, "probe", probe);
}

// What the caller's names lead to: their bytes are left alone where their owner forbids it, whoever else shows them. Null with a
// Python error set.
std::shared_ptr<const core::Snapshot> names_around() {
  const Scanning scanning;
  PyObject* const globals = PyEval_GetGlobals();
  if (!scanning) return nullptr;
  if (globals == nullptr) return std::make_shared<core::Snapshot>();  // called from no Python code
  core::SnapshotBuilder builder = scan_program(globals);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return analysed(builder, Export::give_back);
}

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
  const std::shared_ptr<const core::Snapshot> known = probe ? names_around() : nullptr;
  if (probe && !known) return nullptr;
  Subjects subjects(Export::keep);
  const Py_ssize_t count = PyTuple_Size(args);
  std::vector<core::NeverWritten::Owner> shown;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const tensor = PyTuple_GetItem(args, i);
    if (!subjects.add(tensor)) return nullptr;
    if (probe) shown.push_back(owner_of_others_memory(tensor));
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  const std::shared_ptr<core::Snapshot> snapshot = subjects.finish();
  const auto map = core::AddressMap::load(0);
  std::vector<core::ProofPair> pairs = core::chain_of(static_cast<std::uint32_t>(count));
  for (core::ProofPair& pair : pairs) pair.same_object = PyTuple_GetItem(args, pair.from) == PyTuple_GetItem(args, pair.to);
  if (probe) wait_for_probed_pages(*snapshot, pairs);
  const core::Proof proof = core::prove(*snapshot, pairs, probe && map ? &*map : nullptr, known.get(), shown);
  return python_from_json(core::proof_json(proof)).release();
}

const char* const kProveDoc =
    "prove($module, /, *tensors, probe=False)\n--\n\n"
    "Whether a chain of hand-overs shared the memory: {'verdict', 'steps'}, SHARED only when every step is. Decided on the bytes "
    "each\n"
    "tensor really touches. probe=True changes one byte through the first of each pair, looks for it in the second and puts it "
    "back;\n"
    "never where a side is read-only, nor a byte of an immutable tensor, of Python objects, or of a private file mapping.\n"
    "Each step has its evidence: byte ranges, libraries with versions, capsules, flags, and the hashes around the write.";

}  // namespace dlscope::embed
