#include "embed/module/stream_functions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "embed/module/json_to_python.h"
#include "embed/objects/describer.h"
#include "embed/protocols/stream_watch.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

std::string recorded_text() {
  core::StreamTrace trace = stream_recording().trace();
  const std::time_t now = std::time(nullptr);
  trace.recorded_at = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now));
  return core::stream_trace_json(trace);
}

// The device and memory in a foreign capsule, which stays unchanged.
struct Carried {
  core::DeviceId device;
  core::RecordedMemory memory;
};
std::optional<Carried> carried_by(PyObject* capsule) {
  if (!PyCapsule_CheckExact(capsule)) return std::nullopt;
  Description description;
  Describer describer(Runtime::get().reader());
  const bool described = describer.dlpack().describe_held_capsule(capsule, description);
  static_cast<void>(clear_unless_interrupt());
  if (!described || !description.desc.has_layout) return std::nullopt;
  const std::uint64_t bytes = (description.desc.bounds.elements * description.desc.item_bits() + 7) / 8;
  return Carried{description.desc.device, {stream_recording().new_memory(), description.desc.address(), bytes}};
}

PyObject* keyword_or_first(PyObject* arguments, PyObject* keywords, const char* name) {
  if (PyObject* const given = PyDict_GetItemString(keywords, name)) return given;
  return PyTuple_Size(arguments) > 0 ? PyTuple_GetItem(arguments, 0) : nullptr;
}

}  // namespace

PyObject* stream_trace_function(PyObject* /*module*/, PyObject* args, PyObject* keywords) {
  static char name_of_clear[] = "clear";
  static char* names[] = {name_of_clear, nullptr};
  int clear = 0;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|$p:stream_trace", names, &clear) == 0) return nullptr;
  PyRef trace = python_from_json(recorded_text());
  if (trace && clear != 0) stream_recording().clear();
  return trace.release();
}

PyObject* save_stream_trace_function(PyObject* /*module*/, PyObject* path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path, &encoded) == 0) return nullptr;
  const PyRef held = PyRef::steal(encoded);
  const std::string text = recorded_text() + "\n";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(PyBytes_AsString(encoded), "wbx"), &std::fclose);
  const bool written =
      file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  if (!written) return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
  Py_RETURN_NONE;
}

PyObject* noted_dlpack(PyObject* /*module*/, PyObject* args) {
  PyObject *producer = nullptr, *arguments = nullptr, *keywords = nullptr, *consumer = nullptr;
  core::DeviceId claim{-1, 0};
  if (PyArg_ParseTuple(args, "OO!O!U(ii):noted_dlpack", &producer, &PyTuple_Type, &arguments, &PyDict_Type, &keywords, &consumer,
                       &claim.type, &claim.id) == 0)
    return nullptr;
  const PyRef method = PyRef::steal(dlscope_get_attribute(producer, "__dlpack__"));
  if (!method) return nullptr;
  const auto claimed = claim.type < 0 ? std::nullopt : std::optional(claim);
  const AskedStream asked = asked_stream(keyword_or_first(arguments, keywords, "stream"));
  StreamWatch streams(producer, claimed, asked);
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyRef capsule = [&] {
    const StreamsUnrecorded noted_here;
    return PyRef::steal(dlscope_call(method.get(), arguments, keywords));
  }();
  if (!capsule) return nullptr;
  const auto carried = carried_by(capsule.get());
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (!carried) return capsule.release();
  HandOverParties parties{qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(producer))), text_of(consumer)};
  if (claimed && carried->device == *claimed)
    streams.note(std::move(parties), carried->memory);
  else
    note_hand_over_without_stream(std::move(parties), carried->device, carried->memory, asked, "");
  return capsule.release();
}

PyObject* copies_made(PyObject* /*module*/, PyObject* /*none*/) {
  return PyLong_FromUnsignedLongLong(Runtime::copies_of_this_thread());
}

PyObject* rehearse(PyObject* /*module*/, PyObject* function) {
  const StreamsUnrecorded no_streams;
  const CopiesUnrecorded no_copies;
  return PyObject_CallObject(function, nullptr);
}

const char* const kStreamTraceDoc =
    "stream_trace($module, /, *, clear=False)\n--\n\n"
    "What the hand-overs that dlscope took part in did about streams, as docs/stream-traces.md writes it: which stream each "
    "named, who was\n"
    "seen to wait for whom, dlscope's own copies. The newest of them; a host's memory has no streams. clear: forgets them.";
const char* const kSaveStreamTraceDoc =
    "save_stream_trace(path, /)\n--\n\nWrites stream_trace() into a file, which dlscope opens and judges when its name ends in "
    ".streams.json.\n"
    "FileExistsError where there is one already: a recording is not made twice.";

}  // namespace dlscope::embed
