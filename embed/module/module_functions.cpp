#include "embed/module/module_functions.h"

#include <fmt/core.h>

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/inventory/device_events.h"
#include "core/inventory/field_view.h"
#include "core/inventory/relation.h"
#include "core/inventory/snapshot_reader.h"
#include "core/inventory/tensor_numbers.h"
#include "core/report/report.h"
#include "core/report/statistics_json.h"
#include "core/statistics/statistics.h"
#include "embed/guarded.h"
#include "embed/module/capsule_functions.h"
#include "embed/module/compare.h"
#include "embed/module/json_to_python.h"
#include "embed/module/names_of_program.h"
#include "embed/module/nested_call.h"
#include "embed/module/open_calls.h"
#include "embed/module/prove.h"
#include "embed/module/stream_functions.h"
#include "embed/module/subjects.h"
#include "embed/objects/offers.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/runtime.h"
#include "embed/scan/namespace_scan.h"
#include "embed/tensors/arguments.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

using core::Protocol;
using core::SnapshotBuilder;

template <class Write>
PyObject* as_python(Write write) {
  std::string json;
  write([&json](std::string_view piece) {
    json += piece;
    return true;
  });
  return python_from_json(json).release();
}

PyObject* describe(PyObject*, PyObject* object) {
  const NestedCall nested;
  if (!nested) return nullptr;
  Subjects subjects(Export::give_back);
  if (!subjects.add(object)) return nullptr;
  const auto snapshot = subjects.finish();
  return as_python([&](const core::JsonSink& sink) { core::write_tensor(*snapshot, snapshot->tensors[0], sink); });
}

struct Comparison {
  std::shared_ptr<core::Snapshot> snapshot;
  core::PairRecord pair;
  std::string why;  // why the relation is unknown; "": it is known
};

// nullopt: a Python error is set.
std::optional<Comparison> compare(PyObject* a, PyObject* b) {
  Subjects subjects(Export::keep);
  if (!subjects.add(a) || !subjects.add(b)) return std::nullopt;
  Comparison comparison{subjects.finish(), {}, {}};
  comparison.pair = core::relation_between(*comparison.snapshot, 0, 1);
  if (comparison.pair.relation == core::Relation::unknown)
    comparison.why = core::text_for_unknown(*comparison.snapshot, comparison.pair, "the first argument", "the second argument");
  return comparison;
}

PyObject* overlap(PyObject*, PyObject* args) {
  PyObject *a = nullptr, *b = nullptr;
  if (PyArg_ParseTuple(args, "OO:overlap", &a, &b) == 0) return nullptr;
  const NestedCall nested;
  if (!nested) return nullptr;
  const auto comparison = compare(a, b);
  if (!comparison) return nullptr;
  PyRef pair = PyRef::steal(
      as_python([&](const core::JsonSink& sink) { core::write_pair(*comparison->snapshot, comparison->pair, sink); }));
  if (pair && !comparison->why.empty()) {
    const std::string& why = comparison->why;
    const PyRef text = PyRef::steal(PyUnicode_DecodeUTF8(why.data(), static_cast<Py_ssize_t>(why.size()), "replace"));
    if (!text || PyDict_SetItemString(pair.get(), "why", text.get()) != 0) return nullptr;
  }
  return pair.release();
}

PyObject* shares_memory(PyObject*, PyObject* args) {
  PyObject *a = nullptr, *b = nullptr;
  if (PyArg_ParseTuple(args, "OO:shares_memory", &a, &b) == 0) return nullptr;
  const NestedCall nested;
  if (!nested) return nullptr;
  const auto comparison = compare(a, b);
  if (!comparison) return nullptr;
  if (comparison->pair.relation == core::Relation::unknown) {
    PyErr_SetString(PyExc_ValueError, fmt::format("whether they share memory is not known: {}", comparison->why).c_str());
    return nullptr;
  }
  return PyBool_FromLong(comparison->pair.shared_bytes > 0);
}

// Why a described tensor's values cannot be read; "": they can.
std::string why_no_values(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.has_layout && !core::has_statistics(core::numbers_of(snapshot, tensor).dtype))
    return fmt::format("values of dtype {} cannot be decoded", snapshot.dtype_name(tensor));
  if (core::may_be_read(snapshot, tensor)) return {};
  for (const core::RefusalRecord& refusal : core::Snapshot::slice(snapshot.refusals, tensor.refusals)) {
    if (!tensor.has_metadata) return fmt::format("{}: {}", snapshot.str(refusal.type), snapshot.str(refusal.message));
  }
  for (const core::RemarkRecord& remark : core::Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    const bool says_why =
        core::remark_kind(remark.code) == core::RemarkKind::problem || remark.code == core::RemarkCode::device_memory_not_read;
    if (says_why) return std::string(snapshot.str(remark.message));
  }
  return "its memory cannot be read";
}

// The statistics, computed without the GIL; nullopt: a Python error is set. Signal handlers run several times a second (Ctrl+C).
std::optional<core::Statistics> computed_statistics(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                    bool exact) {
  std::optional<InterruptibleWithoutGil> released;
  std::stop_source stop;
  const TimedReading host({tensor.extent});
  const core::SnapshotReader reader(snapshot, host.reader(), core::devices_of_this_process(stop.get_token()));
  if (const auto ready = reader.prepare(tensor); !ready) {
    PyErr_SetString(PyExc_ValueError, ("there are no statistics: " + ready.error().message).c_str());
    return std::nullopt;
  }
  core::TensorValues values = core::tensor_values(snapshot, tensor);
  values.source = values.source.read_by(reader);
  core::StatisticsOptions options;
  options.histogram = true;
  options.stop = stop.get_token();
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!released->run_signal_handlers()) stop.request_stop();
  };
  released.emplace();
  const auto found = exact ? core::exact_statistics(values, options) : core::sample_statistics(values, options);
  released.reset();
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  if (!found) {
    PyErr_SetString(PyExc_ValueError, found.error().message.c_str());
    return std::nullopt;
  }
  return *found;
}

// The only tensor of the snapshot, or its field with that name; null: the tensor itself.
core::Result<core::TensorPart> part_of_subject(core::SnapshotPtr snapshot, const char* field) {
  if (field == nullptr) return core::TensorPart{std::move(snapshot), 0};
  const auto number = core::field_with_name(*snapshot, snapshot->tensors[0], field);
  if (!number) return std::unexpected(number.error());
  return core::part_view(snapshot, 0, *number);
}

PyObject* stats(PyObject*, PyObject* args, PyObject* keywords) {
  static char name_of_object[] = "", name_of_exact[] = "exact", name_of_field[] = "field";
  static char* names[] = {name_of_object, name_of_exact, name_of_field, nullptr};
  PyObject* object = nullptr;
  PyObject* exact_given = Py_True;
  const char* field = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "O|$Oz:stats", names, &object, &exact_given, &field) == 0) return nullptr;
  bool exact = true;
  if (!read_flag(exact_given, "exact", exact)) return nullptr;
  const NestedCall nested;
  if (!nested) return nullptr;
  const PyRef alive = PyRef::share(object);
  Subjects subjects(Export::keep);
  if (!subjects.add(object)) return nullptr;
  const auto part = part_of_subject(subjects.finish(), field);
  if (!part) {
    PyErr_SetString(PyExc_ValueError, ("there are no statistics: " + part.error().message).c_str());
    return nullptr;
  }
  const core::SnapshotPtr& snapshot = part->snapshot;
  const core::TensorRecord& tensor = part->record();
  if (const std::string why = why_no_values(*snapshot, tensor); !why.empty()) {
    PyErr_SetString(PyExc_ValueError, ("there are no statistics: " + why).c_str());
    return nullptr;
  }
  const auto found = computed_statistics(*snapshot, tensor, exact);
  if (!found) return nullptr;
  return as_python([&](const core::JsonSink& sink) { core::write_statistics(*found, snapshot->layout(tensor), sink); });
}

PyRef error_of(const std::optional<Refusal>& refusal) {
  if (!refusal) return PyRef::share(Py_None);
  return PyRef::steal(Py_BuildValue("{s:s,s:s}", "type", refusal->type.c_str(), "message", refusal->message.c_str()));
}

PyObject* protocols(PyObject*, PyObject* object) {
  const NestedCall nested;
  if (!nested) return nullptr;
  const PyRef alive = PyRef::share(object);
  SnapshotBuilder unused;
  TypeTable types(unused);
  Describer describer(Runtime::get().reader());
  TypeFacts& facts = types.facts_of(object);
  types.name_library(facts);
  if (PyErr_Occurred() != nullptr) return nullptr;
  const auto asked = ask_every_protocol(object, facts, AskedBy::request, describer);
  PyRef answers = PyRef::steal(asked ? PyDict_New() : nullptr);
  if (!answers) return nullptr;
  for (const ProtocolAnswer& one : *asked) {
    const PyRef error = error_of(one.refusal);
    const PyRef answer = PyRef::steal(error ? Py_BuildValue("{s:O,s:O,s:O}", "offered", one.offered ? Py_True : Py_False,
                                                            "accepted", one.accepted ? Py_True : Py_False, "error", error.get())
                                            : nullptr);
    if (!answer || PyDict_SetItemString(answers.get(), one.name, answer.get()) != 0) return nullptr;
  }
  return answers.release();
}

PyObject* report(PyObject*, PyObject* args, PyObject* keywords) {
  static char name_of_namespace[] = "namespace";
  static char* names[] = {name_of_namespace, nullptr};
  PyObject* given = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|O:report", names, &given) == 0) return nullptr;
  const bool whole_program = given == Py_None;
  PyObject* const globals = whole_program ? PyEval_GetGlobals() : given;  // the caller's, because C functions have no frame
  if (globals == nullptr || !PyDict_Check(globals)) {
    PyErr_SetString(PyExc_TypeError, "report() takes a dict of names, such as globals() or locals()");
    return nullptr;
  }
  const NestedCall nested;
  if (!nested) return nullptr;
  const Scanning scanning;
  if (!scanning) return nullptr;
  SnapshotBuilder builder = whole_program ? scan_program(globals) : scan_names(ScanPlace::of_namespace(globals));
  if (PyErr_Occurred() != nullptr) return nullptr;
  Runtime& runtime = Runtime::get();
  static_cast<void>(watched_capsules(whole_program ? script_names(globals) : globals));  // notices which were consumed meanwhile
  runtime.describe_process(builder, core::Scanned::earlier);
  const std::shared_ptr<core::Snapshot> snapshot = analysed(builder, Export::give_back);
  core::add_device_events(*snapshot);
  if (runtime.publish) runtime.publish(snapshot, core::Scanned::earlier);
  core::ReportInput input;
  input.snapshot = snapshot.get();
  input.scanned = core::Scanned::earlier;
  return as_python([&](const core::JsonSink& sink) { core::write_report(input, sink); });
}

constexpr const char* kDescribeDoc =
    "describe(obj, /)\n--\n\nThe facts about one tensor's memory, as the report writes them (a TENSOR record).\n"
    "Nothing is copied or kept alive. TypeError when obj offers no protocol at all.";
constexpr const char* kReportDoc =
    "report(namespace=None)\n--\n\nThe whole report on the tensors of a dict of names; without one, on the caller's names: its locals,\n"
    "its callers' and the globals.";
constexpr const char* kOverlapDoc =
    "overlap(a, b, /)\n--\n\nHow the bytes of two tensors relate (a PAIR record): exact, with the lowest shared address.\n"
    "relation is 'disjoint' when they share nothing and their extents do not meet, 'unknown' (with 'reason' and 'why') when it "
    "cannot be told.";
constexpr const char* kSharesDoc =
    "shares_memory(a, b, /)\n--\n\nWhether two tensors have a byte in common. ValueError when that is not known.";
constexpr const char* kStatsDoc =
    "stats(x, /, *, exact=True, field=None)\n--\n\n"
    "What the values of a tensor, or of one of its fields (\"pos.lat\"), are, as a dict: count, min, max, mean, std (divided by "
    "count), NaN, infinities,\nzeros, the first and last NaN or infinity with its index, a histogram, quantiles. min to std are "
    "over the finite values.\nexact=False: of a sample of about a million values, and method says so. Of PyTorch's conjugated "
    "and negated views\nthe values it means are counted. ValueError when the values cannot be read.";
constexpr const char* kProtocolsDoc =
    "protocols(obj, /)\n--\n\nWhich protocols obj offers, which of them answered, and in which words the others refused.";

PyMethodDef kUserMethods[] = {
    {"describe", guarded<describe>, METH_O, kDescribeDoc},
    {"report", guarded_keywords<report>(), METH_VARARGS | METH_KEYWORDS, kReportDoc},
    {"overlap", guarded<overlap>, METH_VARARGS, kOverlapDoc},
    {"shares_memory", guarded<shares_memory>, METH_VARARGS, kSharesDoc},
    {"stats", guarded_keywords<stats>(), METH_VARARGS | METH_KEYWORDS, kStatsDoc},
    {"compare", guarded_keywords<compare_values>(), METH_VARARGS | METH_KEYWORDS, kCompareDoc},
    {"prove", guarded_keywords<prove>(), METH_VARARGS | METH_KEYWORDS, kProveDoc},
    {"protocols", guarded<protocols>, METH_O, kProtocolsDoc},
    {"watch_capsule", guarded<watch_capsule_function>, METH_O, kWatchCapsuleDoc},
    {"capsules", guarded<capsules_function>, METH_VARARGS, kCapsulesDoc},
    {"stream_trace", guarded_keywords<stream_trace_function>(), METH_VARARGS | METH_KEYWORDS, kStreamTraceDoc},
    {"save_stream_trace", guarded<save_stream_trace_function>, METH_O, kSaveStreamTraceDoc},
    {"noted_dlpack", guarded<noted_dlpack>, METH_VARARGS, "Of the package: a call of __dlpack__ that the exchange view makes."},
    {"copies_made", guarded<copies_made>, METH_NOARGS, "Of the package: how many copies dlscope itself has made on this thread."},
    {"rehearse", guarded<rehearse>, METH_O, "Of the package: calls a function whose hand-overs and copies are not noted."},
    {"wait_for_open_calls", guarded<wait_for_open_calls>, METH_NOARGS, "Of the package: called when the interpreter ends."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* user_methods() { return kUserMethods; }

}  // namespace dlscope::embed
