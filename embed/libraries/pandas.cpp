// pandas and xarray: their columns and variables are views of stored arrays; nothing is computed, converted or cached.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/stored.h"
#include "embed/plain_repr.h"

namespace dlscope::embed {
namespace {

constexpr Py_ssize_t kMaxColumns = 100'000;

PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(object != nullptr ? PyObject_GetAttrString(object, name) : nullptr);
  if (!value) clear_unless_interrupt();
  return value;
}

bool is_ndarray(PyObject* value) { return value != nullptr && derives_from(Py_TYPE(value), "numpy", "ndarray"); }

// nan and inf have a repr that is no expression.
bool is_finite(PyObject* label) {
  if (PyFloat_CheckExact(label)) return std::isfinite(PyFloat_AsDouble(label));
  for (Py_ssize_t i = 0; PyTuple_CheckExact(label) && i < PyTuple_Size(label); ++i) {
    if (!is_finite(PyTuple_GetItem(label, i))) return false;
  }
  return true;
}

// The label as a value of Python's own classes, which is equal to it: hashing and comparing it runs nobody's code. Empty: none is
// known.
PyRef plain_label(PyObject* label) {
  static constexpr std::array kScalar{"generic"};
  PyRef plain = PyRef::share(label);
  if (PyUnicode_Check(label)) plain = PyRef::steal(PyUnicode_FromObject(label));
  if (derives_from(Py_TYPE(label), "numpy", "generic") && !PyUnicode_Check(label))
    plain = call_own_method(imported_attribute("numpy", kScalar), label, "item");
  if (!plain) clear_unless_interrupt();
  return plain && plain_repr(plain.get()) && is_finite(plain.get()) ? std::move(plain) : PyRef{};
}

// What pandas can do with the labels of some columns.
struct Labels {
  std::vector<bool> found_alone;  // whether the label leads to that column and no other
  bool any_twice = false, any_unhashable = false;
};
Labels labels_by_use(PyObject* labels, Py_ssize_t count) {
  Labels out;
  out.found_alone.assign(static_cast<std::size_t>(count), false);
  const PyRef first_with = PyRef::steal(PyDict_New());
  for (Py_ssize_t i = 0; first_with && i < count; ++i) {
    const PyRef plain = plain_label(PyList_GetItem(labels, i));
    if (!plain) continue;
    if (PyObject* const first = PyDict_GetItemWithError(first_with.get(), plain.get())) {
      out.found_alone[static_cast<std::size_t>(PyLong_AsSsize_t(first))] = false;
      out.any_twice = true;
      continue;
    }
    const PyRef number = PyRef::steal(PyErr_Occurred() == nullptr ? PyLong_FromSsize_t(i) : nullptr);
    if (number && PyDict_SetItem(first_with.get(), plain.get(), number.get()) == 0)
      out.found_alone[static_cast<std::size_t>(i)] = true;
    else
      out.any_unhashable = true;
    PyErr_Clear();
  }
  return out;
}

// "['a']" for each column, or its position where the label has no plain repr or does not lead to that column alone.
std::vector<std::string> column_suffixes(PyObject* columns, PyObject* labels, Py_ssize_t count) {
  const Labels use = labels_by_use(labels, count);
  // Of labels that are not unique pandas takes a tuple for several keys, except where the columns have several levels.
  const bool tuples_fail = use.any_twice && !derives_from(Py_TYPE(columns), "pandas", "MultiIndex");
  std::vector<std::string> suffixes;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const label = PyList_GetItem(labels, i);
    const bool is_usable = !use.any_unhashable && !(tuples_fail && PyTuple_Check(label));
    const bool by_label = use.found_alone[static_cast<std::size_t>(i)] && is_usable;
    const auto message = by_label ? plain_repr(label) : std::nullopt;
    suffixes.push_back(message ? "[" + *message + "]" : fmt::format(".iloc[:, {}]", i));
  }
  return suffixes;
}

// Whether a write through pandas first copies what two of its objects use: always from version 3, by an option before.
bool copies_on_write() {
  static constexpr std::array kVersion{"__version__"}, kOptions{"_global_config"};
  const std::string version = text_of(imported_attribute("pandas", kVersion).get());
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major >= 3) return true;
  const PyRef options = imported_attribute("pandas._config.config", kOptions);
  PyObject* found = options.get();
  for (const char* const name : {"mode", "copy_on_write"})
    found = found != nullptr && PyDict_Check(found) ? PyDict_GetItemString(found, name) : nullptr;
  return found == Py_True;
}

// The notes on the memory of a block: a block to which no other refers is written in place.
std::vector<core::Remark> remarks_on_block(PyObject* block) {
  if (!copies_on_write()) return {};
  const PyRef references = attribute(block, "refs");
  const PyRef method = attribute(references.get(), "has_reference");
  if (!call_truth(method.get())) return {};
  return {{core::RemarkCode::copy_on_write,
           "copy-on-write: another object of pandas uses these bytes; writing to this one through pandas copies them first, and "
           "the arrays that pandas gives out for it are read-only"}};
}

// How many values are null by the mask. nullopt: not counted, because it is no plain mask or a large one.
std::optional<Py_ssize_t> nulls_in(PyObject* mask) {
  constexpr Py_ssize_t kMost = 64 << 20;
  static constexpr std::array kCount{"count_nonzero"};
  static constexpr std::array kArray{"ndarray"};
  const PyRef plain = imported_attribute("numpy", kArray), count = imported_attribute("numpy", kCount);
  if (!count || reinterpret_cast<PyObject*>(Py_TYPE(mask)) != plain.get() || PyObject_Size(mask) > kMost) return std::nullopt;
  const PyRef found = PyRef::steal(PyObject_CallFunctionObjArgs(count.get(), mask, nullptr));
  const Py_ssize_t nulls = found ? PyNumber_AsSsize_t(found.get(), PyExc_OverflowError) : -1;
  if (nulls < 0) clear_unless_interrupt();
  return nulls < 0 ? std::nullopt : std::optional(nulls);
}

// Of the values beside such a mask.
std::vector<core::Remark> remarks_by_mask(PyObject* mask) {
  if (!is_ndarray(mask)) return {};
  const std::optional<Py_ssize_t> nulls = nulls_in(mask);
  if (!nulls) return {{core::RemarkCode::nulls, "nulls: not counted; ._mask says which values are null"}};
  if (*nulls == 0) return {};
  return {remark_nulls(static_cast<std::uint64_t>(*nulls), static_cast<std::uint64_t>(PyObject_Size(mask)))};
}

class PandasSession final : public LibrarySession {
 public:
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    for (const char* const name : {"DataFrame", "Series", "Index", "ExtensionArray"}) {
      if (derives_from(type, "pandas", name)) return {.holds = Holds::parts};
    }
    return {};
  }

  void parts(PyObject* object, Parts& out) override {
    PyTypeObject* const type = Py_TYPE(object);
    if (derives_from(type, "pandas", "DataFrame")) return frame(object, out);
    if (derives_from(type, "pandas", "Series")) return series(object, out);
    if (derives_from(type, "pandas", "Index")) return index(object, out);
    PyRef mask = stored_attribute(object, "_mask");
    out.add(stored_attribute(object, "_data"), "._data", {}, remarks_by_mask(mask.get()));
    out.add(std::move(mask), "._mask");
    for (const char* const name : {"_ndarray", "_pa_array", "_left", "_right", "_sparse_values", "_sparse_index"})
      out.add(stored_attribute(object, name), std::string(".") + name);
  }

 private:
  // A NumPy array is the column itself; pandas' own array types are visited under `.array`.
  static void values(PyRef array, const std::string& suffix, Parts& out, std::vector<core::Remark> remarks) {
    const bool plain = is_ndarray(array.get());
    out.add(std::move(array), plain ? suffix : suffix + ".array", {}, std::move(remarks));
  }

  static void frame(PyObject* object, Parts& out) {
    const PyRef manager = stored_attribute(object, "_mgr");
    const PyRef columns = attribute(manager.get(), "items");
    const PyRef labels = columns ? PyRef::steal(PyObject_CallMethod(columns.get(), "tolist", nullptr)) : PyRef{};
    clear_unless_interrupt();
    const Py_ssize_t all = labels && PyList_Check(labels.get()) ? PyList_Size(labels.get()) : 0;
    const Py_ssize_t count = std::min(all, kMaxColumns);
    const std::vector<std::string> suffixes = column_suffixes(columns.get(), labels.get(), all);
    const PyRef blocks = attribute(manager.get(), "blocks"), block_numbers = attribute(manager.get(), "blknos");
    std::vector<std::vector<core::Remark>> remarks;
    for (Py_ssize_t i = 0; blocks && PyTuple_Check(blocks.get()) && i < PyTuple_Size(blocks.get()); ++i)
      remarks.push_back(remarks_on_block(PyTuple_GetItem(blocks.get(), i)));
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (PyErr_Occurred() != nullptr) return;
      const std::size_t block = number_at(block_numbers.get(), i);
      values(PyRef::steal(PyObject_CallMethod(manager.get(), "iget_values", "n", i)), suffixes[static_cast<std::size_t>(i)], out,
             block < remarks.size() ? remarks[block] : std::vector<core::Remark>{});
    }
    axes(manager.get(), out);
  }

  // The largest number: there is none.
  static std::size_t number_at(PyObject* numbers, Py_ssize_t position) {
    const PyRef item = PyRef::steal(numbers != nullptr ? PySequence_GetItem(numbers, position) : nullptr);
    const Py_ssize_t number = item ? PyNumber_AsSsize_t(item.get(), PyExc_OverflowError) : -1;
    if (number < 0) clear_unless_interrupt();
    return static_cast<std::size_t>(number);
  }

  static void series(PyObject* object, Parts& out) {
    const PyRef manager = stored_attribute(object, "_mgr");
    const PyRef blocks = attribute(manager.get(), "blocks");
    if (blocks && PyTuple_Check(blocks.get()) && PyTuple_Size(blocks.get()) == 1) {
      PyObject* const block = PyTuple_GetItem(blocks.get(), 0);
      values(attribute(block, "values"), "", out, remarks_on_block(block));
    }
    axes(manager.get(), out);
  }

  // The last axis is the row index.
  static void axes(PyObject* manager, Parts& out) {
    const PyRef axes = attribute(manager, "axes");
    if (!axes || !PyList_Check(axes.get()) || PyList_Size(axes.get()) == 0) return;
    out.add(PyRef::share(PyList_GetItem(axes.get(), PyList_Size(axes.get()) - 1)), ".index");
  }

  // A RangeIndex has no memory until its numbers are requested; reading the attribute would create them.
  static void index(PyObject* object, Parts& out) {
    const PyRef names = dict_of_instance(object);
    const auto stored = [&](const char* name) { return names ? PyRef::share(PyDict_GetItemString(names.get(), name)) : PyRef{}; };
    if (PyRef data = stored("_data")) {
      const bool plain = is_ndarray(data.get());
      out.add(std::move(data), plain ? "" : ".array", plain ? PyRef::share(object) : PyRef{},
              {{core::RemarkCode::immutable_by_contract, "an Index of pandas never changes"}});
    }
    for (const auto& [name, suffix] : {std::pair{"_codes", ".codes"}, {"_levels", ".levels"}}) {
      if (PyRef list = stored(name)) out.add(std::move(list), suffix);
    }
  }
};

class XarraySession final : public LibrarySession {
 public:
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    for (const char* const name : {"Dataset", "DataArray", "NamedArray", "PandasIndexingAdapter"}) {
      if (derives_from(type, "xarray", name)) return {.holds = Holds::parts};
    }
    return {};
  }

  // Only stored ndarrays are visited: arrays backed by files or computed lazily are not ndarrays.
  void parts(PyObject* object, Parts& out) override {
    PyTypeObject* const type = Py_TYPE(object);
    if (derives_from(type, "xarray", "Dataset")) return named(object, "_variables", "", out);
    if (derives_from(type, "xarray", "DataArray")) {
      out.add(stored_attribute(object, "_variable"), "");
      return named(object, "_coords", ".coords", out);
    }
    const bool adapts_index = derives_from(type, "xarray", "PandasIndexingAdapter");
    out.add(stored_attribute(object, adapts_index ? "array" : "_data"), "");
  }

 private:
  static void named(PyObject* object, const char* attribute_name, const char* before, Parts& out) {
    const PyRef variables = stored_attribute(object, attribute_name);
    PyObject *name = nullptr, *variable = nullptr;
    Py_ssize_t position = 0;
    while (variables && PyDict_Check(variables.get()) && PyDict_Next(variables.get(), &position, &name, &variable) != 0) {
      const auto message = plain_repr(name);
      if (message) out.add(PyRef::share(variable), std::string(before) + "[" + *message + "]");
    }
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_pandas() { return std::make_unique<PandasSession>(); }
std::unique_ptr<LibrarySession> open_xarray() { return std::make_unique<XarraySession>(); }

}  // namespace dlscope::embed
