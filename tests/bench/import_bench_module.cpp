// What import_bench.py measures, in one process: a bare C loop over __dlpack__ (the floor), and dlscope's scan of the same list,
// with mapped and with checked reading, and up to the bytes a viewer receives.
#include <dlpack/dlpack.h>

#include <ctime>
#include <vector>

#include "core/wire/snapshot_codec.h"
#include "embed/objects/describer.h"
#include "embed/py_ref.h"
#include "embed/runtime.h"
#include "embed/scan/namespace_scan.h"

namespace {

using namespace dlscope;
using embed::PyRef;

// Time of this thread alone: both sides are one thread's work, and the machine may be busy.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
double seconds_since(double start) { return now() - start; }

// Ask, read, delete: the least a consumer can do, with the same call as the import's. Versioned capsules only. The keyword is
// interned, as in the import: a fresh string costs NumPy a comparison of letters (40 ns), which flattered the import.
PyObject* bare_loop(PyObject*, PyObject* list) {
  const PyRef name = PyRef::steal(PyUnicode_InternFromString("__dlpack__"));
  const PyRef version = PyRef::steal(Py_BuildValue("(ii)", 1, 3));
  const PyRef keywords = PyRef::steal(Py_BuildValue("(N)", PyUnicode_InternFromString("max_version")));
  std::uint64_t sum = 0;
  const double start = now();
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject* const arguments[] = {PyList_GetItem(list, i), version.get()};
    const PyRef capsule = PyRef::steal(embed::dlscope_call_method(name.get(), arguments, 1, keywords.get()));
    if (!capsule) return nullptr;
    auto* const managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (managed == nullptr) return nullptr;
    sum += reinterpret_cast<std::uint64_t>(managed->dl_tensor.data) + managed->flags;
    for (int d = 0; d < managed->dl_tensor.ndim; ++d) sum += static_cast<std::uint64_t>(managed->dl_tensor.shape[d]);
    PyCapsule_SetName(capsule.get(), "used_dltensor_versioned");
    managed->deleter(managed);
  }
  return Py_BuildValue("dK", seconds_since(start), static_cast<unsigned long long>(sum));
}

// The same by the exchange table of the tensors' type: no Python at all.
PyObject* bare_table_loop(PyObject*, PyObject* list) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(PyList_GetItem(list, 0)));
  const PyRef capsule = PyRef::steal(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  if (!capsule) return nullptr;
  const auto* const table = static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  if (table == nullptr) return nullptr;
  std::uint64_t sum = 0;
  const double start = now();
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    DLManagedTensorVersioned* managed = nullptr;
    if (table->managed_tensor_from_py_object_no_sync(PyList_GetItem(list, i), &managed) != 0) return nullptr;
    sum += reinterpret_cast<std::uint64_t>(managed->dl_tensor.data) + managed->flags;
    for (int d = 0; d < managed->dl_tensor.ndim; ++d) sum += static_cast<std::uint64_t>(managed->dl_tensor.shape[d]);
    managed->deleter(managed);
  }
  return Py_BuildValue("dK", seconds_since(start), static_cast<unsigned long long>(sum));
}

// Every tensor into a description, without walk, names and records.
PyObject* import_all(PyObject*, PyObject* args) {
  PyObject* list = nullptr;
  int checked_only = 0;
  if (PyArg_ParseTuple(args, "Oi", &list, &checked_only) == 0) return nullptr;
  core::SnapshotBuilder unused;
  embed::TypeTable types(unused);
  embed::Describer describer(embed::Runtime::get().reader(), checked_only != 0);
  embed::Description description;
  const auto meant = checked_only != 0 ? core::ReadBy::checked : core::ReadBy::mapped;
  std::uint64_t sum = 0;
  Py_ssize_t as_meant = 0, by_table = 0;
  const double start = now();
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject* const object = PyList_GetItem(list, i);
    describer.describe(object, types.facts_of(object), embed::AskedBy::scan, description);
    sum += description.desc.extent.begin + description.desc.extent.end;
    as_meant += description.desc.has_layout && description.desc.read_by == meant;
    by_table += description.desc.given_by == core::GivenBy::exchange_table;
  }
  return Py_BuildValue("dKnn", seconds_since(start), static_cast<unsigned long long>(sum), as_meant, by_table);
}

PyObject* scan(PyObject*, PyObject* args) {
  PyObject* names = nullptr;
  int checked_only = 0, publish = 0;
  if (PyArg_ParseTuple(args, "Oii", &names, &checked_only, &publish) == 0) return nullptr;
  embed::ScanOptions options;
  options.checked_only = checked_only != 0;
  const double start = now();
  core::SnapshotBuilder builder = embed::scan_names(embed::ScanPlace::of_namespace(names), options);
  const double scanned = seconds_since(start);
  std::size_t bytes = 0;
  const std::size_t tensors = builder.tensor_count();
  if (publish != 0) {
    const auto map = core::AddressMap::load(0);
    core::AnalyseOptions analyse;
    analyse.map = map ? &*map : nullptr;
    analyse.reader = &embed::Runtime::get().reader();
    builder.analyse(analyse);
    const auto snapshot = builder.finish();
    std::vector<std::byte> out(core::wire::encoded_size(*snapshot));
    bytes = core::wire::encode_snapshot(*snapshot, out);
  }
  return Py_BuildValue("ddnn", scanned, seconds_since(start), static_cast<Py_ssize_t>(tensors), static_cast<Py_ssize_t>(bytes));
}

PyMethodDef kMethods[] = {
    {"bare_loop", bare_loop, METH_O, "bare_loop(list): seconds, checksum"},
    {"bare_table_loop", bare_table_loop, METH_O,
     "bare_table_loop(list): seconds, checksum; through the exchange table of the first one's type"},
    {"import_all", import_all, METH_VARARGS,
     "import_all(list, checked_only): seconds, sum of the extents' ends, tensors read in the way meant, through the exchange "
     "table"},
    {"scan", scan, METH_VARARGS, "scan(names, checked_only, publish): seconds of the scan, of everything, tensors, bytes"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__import_bench() {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "_import_bench", nullptr, -1, kMethods, nullptr, nullptr, nullptr, nullptr};
  return PyModule_Create(&definition);
}
