#include "embed/host/remember_looks.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/inventory/snapshot_reader.h"
#include "core/memory/deadline_reader.h"
#include "embed/host/host_state.h"
#include "embed/host/remembered_bytes.h"
#include "embed/host/thread_activity.h"
#include "embed/runtime.h"
#include "embed/stored.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

using namespace std::chrono_literals;

struct Looks {
  RememberedBytes bytes;
  std::optional<ThreadActivity> since;  // of the newest look; none: nothing was remembered when it was taken
  std::uint64_t newest = 0;             // the revision of the newest look, while no code has run since; 0: it has
};

Looks& looks() {
  static Looks* const all = new Looks;  // never destroyed: threads may outlive main()
  return *all;
}

void copy_into_ledger(const RememberedBytes::Made& made) {
  if (made.tensors == 0) return;
  Runtime::get().note_copy({.from = fmt::format("{} remembered {}", made.tensors, made.tensors == 1 ? "tensor" : "tensors"),
                            .to = "dlscope, to be shown later",
                            .bytes = made.bytes,
                            .ns = made.ns,
                            .why = "asked for in the window: remember"});
}

}  // namespace

bool has_python_threads() {
  PyObject* const current = PySys_GetObject("_current_frames");  // borrowed
  const PyRef frames = PyRef::steal(current != nullptr ? PyObject_CallObject(current, nullptr) : nullptr);
  // Where a hook of the script's forbids to ask there may be some.
  const bool others = !frames || (PyDict_Check(frames.get()) && PyDict_Size(frames.get()) > 1);
  PyErr_Clear();
  return others;
}

void note_code_runs() { looks().newest = 0; }

void begin_remembering() {
  note_code_runs();
  looks().since.reset();
  if (looks().bytes.wants_any()) looks().since = ThreadActivity::now();
}

void remember_tensors(const core::Snapshot& snapshot) {
  RememberedBytes& bytes = looks().bytes;
  looks().newest = snapshot.info.revision;
  if (!bytes.wants_any()) return;
  const bool python_threads = has_python_threads();
  RememberedBytes::Made made;
  {
    const WithoutGil released;
    if (const auto memory = host_state::service->tasks().reader_of(snapshot, host_state::service->serving().stop_token())) {
      // The host's memory is read in time already, by a reader that knows what of it hangs. A device may be busy for long.
      const core::DeadlineOptions two_seconds{.patience = 2s, .give_up = 2s, .late = {}};
      const auto devices = std::make_shared<core::DeadlineReader>(*memory, two_seconds);
      const core::SnapshotReader in_time(snapshot, *memory, [&](std::int32_t) { return devices; });
      made = bytes.take(snapshot, in_time, looks().since ? &*looks().since : nullptr, python_threads);
    }
  }
  copy_into_ledger(made);
}

PyObject* host_remember(PyObject*, PyObject* args) {
  PyObject* names = nullptr;
  unsigned long long fetched = 0;
  if (!PyArg_ParseTuple(args, "OK", &names, &fetched) || host_state::attached() == nullptr) return nullptr;
  std::vector<RememberedBytes::Wanted> wanted;
  for (Py_ssize_t i = 0; PyList_Check(names) && i < PyList_Size(names); ++i) {
    PyObject *name = nullptr;
    int hashed = 0;
    if (!PyArg_ParseTuple(PyList_GetItem(names, i), "Op", &name, &hashed)) return nullptr;
    wanted.push_back({text_of(name), hashed != 0});
  }
  RememberedBytes& bytes = looks().bytes;
  bytes.forget_through(fetched);
  bytes.want(std::move(wanted));
  const core::SnapshotPtr published = Runtime::get().published;
  if (published && published->info.revision == looks().newest) remember_tensors(*published);
  const std::string text = encode(bytes.waiting());
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

}  // namespace dlscope::embed
