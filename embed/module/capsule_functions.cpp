#include "embed/module/capsule_functions.h"

#include <unistd.h>

#include <string>
#include <string_view>

#include "core/report/json_writer.h"
#include "core/tensor/tensor_desc.h"
#include "embed/module/json_to_python.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

void write_event(core::JsonWriter& json, const CapsuleEvent& event, std::int64_t since) {
  json.begin_object();
  json.field("step", capsule_step_name(event.step));
  json.field("t_ns", event.t_ns - since);
  json.field("thread", event.thread);
  json.field("main_thread", event.thread == ::getpid());
  json.field("noticed", event.noticed);
  json.field("detail", std::string_view(event.detail));
  json.end_object();
}

void write_capsule(core::JsonWriter& json, const WatchedCapsule& capsule) {
  json.begin_object();
  json.field("id", capsule.id);
  json.field("kind", core::capsule_kind_name(capsule.kind));
  json.field("state", capsule_state_name(capsule.state));
  json.key("name");
  if (capsule.name.empty())
    json.null();
  else
    json.value(std::string_view(capsule.name));
  json.field("tensor", std::string_view(capsule.tensor));
  json.field("bytes", capsule.bytes);
  json.key("extent");
  json.begin_array();
  json.value(capsule.extent.begin);
  json.value(capsule.extent.end);
  json.end_array();
  json.field("device", std::string_view(core::device_name(capsule.device)));
  json.field("watched_ns", capsule.events.front().t_ns);
  json.key("held_by");
  json.begin_array();
  for (const std::string& name : capsule.held_by) json.value(std::string_view(name));
  json.end_array();
  json.key("events");
  json.begin_array();
  for (const CapsuleEvent& event : capsule.events) write_event(json, event, capsule.events.front().t_ns);
  json.end_array();
  json.end_object();
}

}  // namespace

PyObject* watch_capsule_function(PyObject* /*module*/, PyObject* capsule) {
  return watch_capsule(capsule) ? PyRef::share(capsule).release() : nullptr;
}

PyObject* capsules_function(PyObject* /*module*/, PyObject* args) {
  PyObject* names = nullptr;
  if (PyArg_ParseTuple(args, "|O:capsules", &names) == 0) return nullptr;
  if (names == nullptr || names == Py_None) names = PyEval_GetGlobals();  // the caller's, because C functions have no frame
  if (names != nullptr && !PyDict_Check(names)) {
    PyErr_SetString(PyExc_TypeError, "capsules() takes a dict of names, such as globals() or locals()");
    return nullptr;
  }
  std::string text;
  const core::JsonSink sink = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  core::JsonWriter json(sink);
  json.begin_array();
  for (const WatchedCapsule& capsule : watched_capsules(names)) write_capsule(json, capsule);
  json.end_array();
  (void)json.finish();
  return python_from_json(text).release();
}

const char* const kWatchCapsuleDoc =
    "watch_capsule(capsule, /)\n--\n\nRecords from here on what happens to a DLPack capsule: consumed, freed, its deleter "
    "called; when and on\n"
    "which thread. Returns the capsule. Nothing is kept alive: the capsule's destructor and the struct's deleter are replaced by "
    "ones\n"
    "that note the call and pass it on. ValueError when it was consumed before or its struct cannot be written.";
const char* const kCapsulesDoc =
    "capsules(namespace=None, /)\n--\n\nThe watched capsules as of now, the oldest first: kind, state, name, the names of the "
    "namespace (the\n"
    "caller's globals) that hold them, and what happened to them (t_ns: since it is watched; watched_ns: when that was, on the\n"
    "clock of time.monotonic_ns()). extent: the addresses from the first byte to the end of the last.";

}  // namespace dlscope::embed
