#include "embed/module/compare.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stop_token>
#include <string>

#include "core/compare/snapshot_comparison.h"
#include "embed/module/nested_call.h"
#include "embed/module/subjects.h"
#include "embed/py_ref.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

// Compares without the GIL; nullopt: a Python error is set. Signal handlers run several times a second (Ctrl+C).
std::optional<core::Comparison> compared(const core::ComparedTensor& a, const core::ComparedTensor& b,
                                         core::Tolerance tolerance) {
  std::optional<InterruptibleWithoutGil> released;
  std::stop_source stop;
  core::CompareOptions options;
  options.tolerance = tolerance;
  options.stop = stop.get_token();
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!released->run_signal_handlers()) stop.request_stop();
  };
  released.emplace();
  const auto found = core::compare_tensors(a, b, options);
  released.reset();
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  if (found) return *found;
  PyErr_SetString(PyExc_ValueError, ("they cannot be compared: " + found.error().message).c_str());
  return std::nullopt;
}

// The index of a value as a list; None: there is none.
PyRef index_of(std::optional<std::uint64_t> value, const core::Comparison& found, core::LayoutView layout) {
  if (!value) return PyRef::share(Py_None);
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout, *value / found.lanes, {index.data(), layout.shape.size()});
  PyRef list = PyRef::steal(PyList_New(0));
  for (std::size_t d = 0; list && d < layout.shape.size(); ++d) {
    const PyRef number = PyRef::steal(PyLong_FromLongLong(index[d]));
    if (!number || PyList_Append(list.get(), number.get()) != 0) return {};
  }
  return list;
}

PyRef worst_of(const core::WorstError& worst, const core::Comparison& found, core::LayoutView layout) {
  if (!worst.value) return PyRef::share(Py_None);
  const PyRef index = index_of(worst.value, found, layout);
  return PyRef::steal(index ? Py_BuildValue("{s:d,s:O}", "value", worst.size, "index", index.get()) : nullptr);
}

PyRef hash_of(std::optional<std::uint64_t> hash) {
  if (!hash) return PyRef::share(Py_None);
  return PyRef::steal(PyUnicode_FromString(fmt::format("{:016x}", *hash).c_str()));
}

PyObject* as_dict(const core::Comparison& found, core::LayoutView layout) {
  const PyRef out = PyRef::steal(
      Py_BuildValue("{s:N,s:N,s:K,s:K,s:K,s:K,s:K,s:K}", "bit_equal", PyBool_FromLong(found.bit_equal()), "same_dtype",
                    PyBool_FromLong(found.same_dtype), "count", found.values, "different", found.different, "different_bits",
                    found.different_bits, "both_nan", found.both_nan, "one_nan", found.one_nan, "outside", found.outside));
  if (!out) return nullptr;
  const std::pair<const char*, PyRef> parts[] = {{"first", index_of(found.first, found, layout)},
                                                 {"first_bits", index_of(found.first_bits, found, layout)},
                                                 {"max_absolute", worst_of(found.absolute, found, layout)},
                                                 {"max_relative", worst_of(found.relative, found, layout)},
                                                 {"max_ulps", worst_of(found.ulps, found, layout)},
                                                 {"hash_a", hash_of(found.hash_a)},
                                                 {"hash_b", hash_of(found.hash_b)}};
  for (const auto& [name, value] : parts) {
    if (!value || PyDict_SetItemString(out.get(), name, value.get()) != 0) return nullptr;
  }
  Py_INCREF(out.get());
  return out.get();
}

}  // namespace

PyObject* compare_values(PyObject*, PyObject* args, PyObject* keywords) {
  static char name_a[] = "", name_b[] = "", name_absolute[] = "atol", name_relative[] = "rtol", name_broadcast[] = "broadcast";
  static char* names[] = {name_a, name_b, name_absolute, name_relative, name_broadcast, nullptr};
  PyObject *a = nullptr, *b = nullptr;
  core::Tolerance tolerance;
  int broadcast = 0;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "OO|$ddp:compare", names, &a, &b, &tolerance.absolute, &tolerance.relative,
                                  &broadcast) == 0)
    return nullptr;
  if (!(tolerance.absolute >= 0 && tolerance.relative >= 0)) {
    PyErr_SetString(PyExc_ValueError, "a tolerance is neither negative nor NaN");
    return nullptr;
  }
  const NestedCall nested;
  if (!nested) return nullptr;
  const PyRef alive_a = PyRef::share(a), alive_b = PyRef::share(b);
  Subjects subjects(Export::keep);
  if (!subjects.add(a) || !subjects.add(b)) return nullptr;
  const auto snapshot = subjects.finish();
  // Passing the same object twice gives one tensor.
  const core::TensorRecord &first = snapshot->tensors.front(), &second = snapshot->tensors.back();
  for (const core::TensorRecord* tensor : {&first, &second}) {
    if (tensor->has_layout && (tensor->readable || tensor->elements == 0)) continue;
    PyErr_SetString(PyExc_ValueError, tensor == &first ? "the values of the first cannot be read; describe() says why"
                                                       : "the values of the second cannot be read; describe() says why");
    return nullptr;
  }
  const TimedReading reading({first.extent, second.extent});
  const core::ComparedTensor x = core::compared_tensor(*snapshot, first, *reading.reader());
  core::ComparedTensor y = core::compared_tensor(*snapshot, second, *reading.reader());
  core::Layout repeated;
  if (broadcast != 0) {
    auto layout = core::broadcast_to(y.layout, x.layout.shape);
    if (!layout) {
      PyErr_SetString(PyExc_ValueError, layout.error().message.c_str());
      return nullptr;
    }
    repeated = std::move(*layout);
    y.layout = repeated;
  }
  const auto found = compared(x, y, tolerance);
  return found ? as_dict(*found, x.layout) : nullptr;
}

const char* const kCompareDoc =
    "compare(a, b, /, *, atol=0.0, rtol=0.0, broadcast=False)\n--\n\nThe values of two tensors of equal shape, one by one, "
    "whatever their dtypes, strides and libraries, as a dict: whether\nthey are bit-equal, how many differ and where the first "
    "one is, the largest absolute and relative error and the largest\nin units of the last place with their indices, a hash of "
    "the content of each. NaN equals NaN and is counted apart.\noutside: how many differ by more than atol + rtol * abs(b). "
    "broadcast=True: b is repeated to the shape of a.\nOf PyTorch's "
    "conjugated and negated views the values it means are compared, and the bits of those.\nValueError when they cannot be compared.";

}  // namespace dlscope::embed
