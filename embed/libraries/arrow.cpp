// PyArrow and Polars. PyArrow's arrays give access to their buffers; Polars' series do so by the Arrow C stream interface
// (https://arrow.apache.org/docs/format/CDataInterface.html), which passes addresses and copies nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/stored.h"
#include "embed/plain_repr.h"

namespace dlscope::embed {
namespace {

// The ABI of the interface, as in the specification.
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

template <class Struct>
struct Released {
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  Struct value{};
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
};

constexpr int kDeepest = 16;  // of lists and structs in one another

PyRef call(PyObject* object, const char* method) {
  PyRef result = PyRef::steal(PyObject_CallMethod(object, method, nullptr));
  if (!result) clear_unless_interrupt();
  return result;
}

// The struct-module letter and size of an Arrow format of fixed width; 0 bytes: another kind of format.
struct Width {
  const char* letter;
  std::size_t bytes;
};
Width width_of(std::string_view format) {
  struct Row {
    std::string_view format;
    Width width;
  };
  constexpr std::array<Row, 13> kRows{{{"c", {"b", 1}},
                                       {"C", {"B", 1}},
                                       {"s", {"h", 2}},
                                       {"S", {"H", 2}},
                                       {"i", {"i", 4}},
                                       {"I", {"I", 4}},
                                       {"l", {"q", 8}},
                                       {"L", {"Q", 8}},
                                       {"e", {"e", 2}},
                                       {"f", {"f", 4}},
                                       {"g", {"d", 8}},
                                       {"tdD", {"i", 4}},
                                       {"tts", {"i", 4}}}};
  for (const Row& row : kRows) {
    if (row.format == format) return row.width;
  }
  if (format == "ttm") return {"i", 4};
  const bool is_time = format.starts_with("ts") || format.starts_with("tt") || format.starts_with("tD") || format == "tdm";
  return is_time ? Width{"q", 8} : Width{"B", 0};
}

PyRef memory_view(const void* address, std::size_t bytes, const char* letter) {
  if (address == nullptr) return {};
  constexpr int kReadOnly = 0x100;  // PyBUF_READ, which the limited headers of 3.9 hide
  auto* const begin = const_cast<char*>(static_cast<const char*>(address));
  PyRef view = PyRef::steal(PyMemoryView_FromMemory(begin, static_cast<Py_ssize_t>(bytes), kReadOnly));
  if (!view || std::string_view(letter) == "B") return view;
  return PyRef::steal(PyObject_CallMethod(view.get(), "cast", "s", letter));
}

// Of memory that the library was asked for in vain, or that cannot be followed.
void add_not_given(PyObject* object, std::string why, Parts& out, std::string suffix = {}) {
  clear_unless_interrupt();
  if (PyErr_Occurred() == nullptr) out.add_undescribed(PyRef::share(object), std::move(suffix), std::move(why));
}

class PyarrowSession final : public LibrarySession {
 public:
  // Not of a subclass of the user's, whose methods would be called.
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    if (!text_of(type_attribute(reinterpret_cast<PyObject*>(type), "__module__").get()).starts_with("pyarrow")) return {};
    // Its Tensor and its mutable Buffer are other types, over memory that may be written.
    if (derives_from(type, "pyarrow", "Array")) return {.holds = Holds::parts, .immutable = true};
    for (const char* const name : {"ChunkedArray", "Table", "RecordBatch"}) {
      if (derives_from(type, "pyarrow", name)) return {.holds = Holds::parts};
    }
    return {};
  }

  void parts(PyObject* object, Parts& out) override {
    PyTypeObject* const type = Py_TYPE(object);
    if (derives_from(type, "pyarrow", "ChunkedArray")) return numbered(object, call(object, "iterchunks"), ".chunk({})", {}, out);
    if (!derives_from(type, "pyarrow", "Array")) return columns(object, out);
    numbered(object, call(object, "buffers"), ".buffers()[{}]", remarks_by_count(object), out);
    // Not among its buffers.
    if (derives_from(type, "pyarrow", "DictionaryArray"))
      out.add(PyRef::steal(PyObject_GetAttrString(object, "dictionary")), ".dictionary");
  }

 private:
  // Behind the bitmap of validity, its first buffer.
  static std::vector<core::Remark> remarks_by_count(PyObject* array) {
    const PyRef count = PyRef::steal(PyObject_GetAttrString(array, "null_count"));
    const Py_ssize_t nulls = count ? PyNumber_AsSsize_t(count.get(), PyExc_OverflowError) : -1;
    const Py_ssize_t values = nulls > 0 ? PyObject_Size(array) : -1;
    if (nulls < 0 || (nulls > 0 && values < 0)) clear_unless_interrupt();
    if (values < nulls || nulls <= 0) return {};
    return {remark_nulls(static_cast<std::uint64_t>(nulls), static_cast<std::uint64_t>(values))};
  }

  // second: what holds for the second of them.
  static void numbered(PyObject* object, const PyRef& given, const char* suffix, const std::vector<core::Remark>& second,
                       Parts& out) {
    const PyRef list = PyRef::steal(given ? PySequence_List(given.get()) : nullptr);
    if (!list) return add_not_given(object, "PyArrow did not give the parts that it is made of", out);
    for (Py_ssize_t i = 0; list && i < PyList_Size(list.get()); ++i)
      out.add(PyRef::share(PyList_GetItem(list.get(), i)), fmt::format(fmt::runtime(suffix), i), {},
              i == 1 ? second : std::vector<core::Remark>{});
  }

  static void columns(PyObject* table, Parts& out) {
    const PyRef names = PyRef::steal(PyObject_GetAttrString(table, "column_names"));
    const PyRef list = PyRef::steal(PyObject_GetAttrString(table, "columns"));
    const bool usable = names && list && PyList_Check(names.get()) && PyList_Check(list.get()) &&
                        PyList_Size(names.get()) == PyList_Size(list.get());
    if (!usable) return add_not_given(table, "PyArrow did not give its columns", out);
    for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
      const auto message = plain_repr(PyList_GetItem(names.get(), i));
      out.add(PyRef::share(PyList_GetItem(list.get(), i)), message ? "[" + *message + "]" : fmt::format("[{}]", i));
    }
  }
};

class PolarsSession final : public LibrarySession {
 public:
  // A LazyFrame has no memory: accessing it would compute it.
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    const bool known = derives_from(type, "polars", "DataFrame") || derives_from(type, "polars", "Series");
    return {.holds = known ? Holds::parts : Holds::nothing};
  }

  void parts(PyObject* object, Parts& out) override {
    if (derives_from(Py_TYPE(object), "polars", "Series")) {
      const PyRef plain = of_library(object, "Series", "_s", "_from_pyseries");
      return series(plain.get(), object, out);
    }
    const PyRef plain = of_library(object, "DataFrame", "_df", "_from_pydf");
    const PyRef columns = plain ? call(plain.get(), "get_columns") : PyRef{};
    if (!columns || PyList_Check(columns.get()) == 0) return add_not_given(object, "Polars did not give its columns", out);
    for (Py_ssize_t i = 0; i < PyList_Size(columns.get()); ++i) {
      PyObject* const column = PyList_GetItem(columns.get(), i);
      const PyRef name = PyRef::steal(PyObject_GetAttrString(column, "name"));
      if (!name) clear_unless_interrupt();
      const auto message = name ? plain_repr(name.get()) : std::nullopt;
      out.add(PyRef::share(column), message ? "[" + *message + "]" : fmt::format(".to_series({})", i));
    }
  }

 private:
  // The object, or for one of a subclass a plain one over the same memory: the methods of the subclass are the user's code.
  static PyRef of_library(PyObject* object, const char* name, const char* stored, const char* make) {
    const PyRef type = imported_attribute("polars", std::span(&name, 1));
    if (!type || type.get() == reinterpret_cast<PyObject*>(Py_TYPE(object))) return PyRef::share(object);
    const PyRef inner = stored_attribute(object, stored);
    PyRef made = PyRef::steal(inner ? PyObject_CallMethod(type.get(), make, "O", inner.get()) : nullptr);
    if (!made) clear_unless_interrupt();
    return made;
  }

  // A series as the stream gives it.
  struct Exported {
    Released<ArrowSchema> schema;
    std::deque<Released<ArrowArray>> chunks;
  };
  static bool read_stream(PyObject* series, Exported& out) {
    const PyRef capsule = series != nullptr ? call(series, "__arrow_c_stream__") : PyRef{};
    auto* const stream =
        capsule ? static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.get(), "arrow_array_stream")) : nullptr;
    if (stream == nullptr || stream->release == nullptr) {
      clear_unless_interrupt();
      return false;
    }
    if (stream->get_schema(stream, &out.schema.value) != 0) return false;
    do {
      ArrowArray& next = out.chunks.emplace_back().value;
      if (stream->get_next(stream, &next) != 0) return false;
    } while (out.chunks.back().value.release != nullptr);
    out.chunks.pop_back();
    return true;
  }

  static bool has_dictionary(const ArrowSchema& schema, int depth = 0) {
    if (schema.dictionary != nullptr) return true;
    for (std::int64_t i = 0; i < schema.n_children && depth < kDeepest; ++i) {
      if (has_dictionary(*schema.children[i], depth + 1)) return true;
    }
    return false;
  }

  // object: whose memory it is. Categories are converted for the stream; their numbers are not. That nothing else was converted is
  // checked by exporting twice: converted memory is new each time, that of to_physical() as well.
  static void series(PyObject* plain, PyObject* object, Parts& out) {
    constexpr const char* kNotExported = "Polars did not export it as an Arrow stream: where its memory lies is not known";
    std::optional<Exported> first(std::in_place);
    if (!read_stream(plain, *first)) return add_not_given(object, kNotExported, out);
    PyRef physical, physical_again;
    PyObject* second_time = plain;
    if (has_dictionary(first->schema.value)) {
      physical = call(plain, "to_physical");
      physical_again = call(plain, "to_physical");
      second_time = physical_again.get();
      first.emplace();
      if (!read_stream(physical.get(), *first)) return add_not_given(object, kNotExported, out);
    }
    Exported again;
    if (!read_stream(second_time, again)) return add_not_given(object, kNotExported, out);
    if (again.chunks.size() != first->chunks.size())
      return add_not_given(object, "Polars exports it in other pieces each time: where its own memory lies is not known", out);
    for (std::size_t i = 0; i < first->chunks.size(); ++i) {
      const ArrowArray &array = first->chunks[i].value, &second = again.chunks[i].value;
      const std::string path = first->chunks.size() == 1 ? std::string{} : fmt::format(".get_chunks()[{}]", i);
      add_piece(object,
                {first->schema.value, array, second, static_cast<std::size_t>(array.offset), static_cast<std::size_t>(array.length), path},
                0, out);
    }
  }

  // An array of the stream or of an array in it, and which of its elements belong to the column.
  struct Piece {
    const ArrowSchema& schema;
    const ArrowArray &array, &again;  // again: of a second export
    std::size_t start, count;
    std::string path;
  };

  static std::vector<core::Remark> remarks_by_bitmap(const Piece& piece) {
    const ArrowArray& array = piece.array;
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return {};
    const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    std::uint64_t nulls = 0;
    for (std::size_t i = piece.start; i < piece.start + piece.count;) {
      const std::size_t first = i % 8, end = std::min<std::size_t>(8, first + piece.start + piece.count - i);
      const auto asked = static_cast<std::uint8_t>((0xFFU << first) & (0xFFU >> (8 - end)));
      nulls += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint8_t>(~bits[i / 8] & asked)));
      i += end - first;
    }
    return nulls == 0 ? std::vector<core::Remark>{} : std::vector{remark_nulls(nulls, piece.count)};
  }

  static void add_piece(PyObject* object, const Piece& piece, int depth, Parts& out) {
    const std::string_view format = piece.schema.format;
    const ArrowArray& array = piece.array;
    const auto add = [&](std::int64_t number, std::size_t skipped, std::size_t bytes, const char* letter, const std::string& suffix,
                         std::vector<core::Remark> remarks = {}) {
      if (number >= array.n_buffers || array.buffers[number] == nullptr) return;
      if (number >= piece.again.n_buffers || piece.again.buffers[number] != array.buffers[number])
        return out.add_undescribed(PyRef::share(object), piece.path + suffix,
                                   "Polars converts it for each export: where its own memory lies is not known");
      PyRef view = memory_view(static_cast<const char*>(array.buffers[number]) + skipped, bytes, letter);
      if (!view && std::string_view(letter) == "e") {
        clear_unless_interrupt();
        return out.add_undescribed(PyRef::share(object), piece.path + suffix, "float16: a memoryview has it from Python 3.12 on");
      }
      out.add(std::move(view), piece.path + suffix, PyRef::share(object), std::move(remarks));
    };
    const auto numbers = [&](std::size_t bytes, const char* letter, const char* suffix) {
      add(1, piece.start * bytes, piece.count * bytes, letter, suffix, remarks_by_bitmap(piece));
    };
    const std::size_t first_byte = piece.start / 8, bit_bytes = (piece.start + piece.count + 7) / 8 - first_byte;
    if (const Width width = width_of(format); width.bytes != 0) {
      numbers(width.bytes, width.letter, "");
    } else if (format == "b") {
      add(1, first_byte, bit_bytes, "B", "<bits>", remarks_by_bitmap(piece));
    } else if (format == "vu" || format == "vz") {
      add_text(piece, add);
    } else if (format.starts_with("d:") || format == "_pli128" || format == "_plu128") {
      const bool is_wide = format.ends_with(",256");
      numbers(is_wide ? 32 : 16, "B", "<values>");
    } else if (format == "+s") {
      for (std::int64_t i = 0; i < array.n_children; ++i)
        add_child(object, piece, i, piece.start, piece.count, field_suffix(*piece.schema.children[i]), depth, out);
    } else if (format.starts_with("+w:") && array.n_children == 1) {
      std::size_t size = 0;
      std::from_chars(format.data() + 3, format.data() + format.size(), size);
      add_child(object, piece, 0, piece.start * size, piece.count * size, "<values>", depth, out);
    } else if (format == "+L" && array.n_children == 1 && array.n_buffers > 1 && array.buffers[1] != nullptr) {
      const auto* const offsets = static_cast<const std::int64_t*>(array.buffers[1]) + piece.start;
      add(1, piece.start * sizeof *offsets, (piece.count + 1) * sizeof *offsets, "q", "<offsets>");
      const auto first = static_cast<std::size_t>(offsets[0]), last = static_cast<std::size_t>(offsets[piece.count]);
      if (first > last) return add_not_given(object, "its offsets do not ascend", out, piece.path + "<values>");
      add_child(object, piece, 0, first, last - first, "<values>", depth, out);
    } else {
      if (format != "n")  // nulls have no memory
        out.add_undescribed(PyRef::share(object), piece.path,
                            fmt::format("Polars gives it in the Arrow format '{}', which dlscope does not read", format));
      return;
    }
    if (array.null_count != 0 && piece.count != 0) add(0, first_byte, bit_bytes, "B", "<validity>");
  }

  // The views of texts, and the buffers that long ones lie in.
  static void add_text(const Piece& piece, const auto& add) {
    const ArrowArray& array = piece.array;
    add(1, piece.start * 16, piece.count * 16, "B", "<views>");
    const auto* const sizes = array.n_buffers > 0 ? static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]) : nullptr;
    for (std::int64_t i = 2; sizes != nullptr && i + 1 < array.n_buffers; ++i)
      add(i, 0, static_cast<std::size_t>(sizes[i - 2]), "B", fmt::format("<data {}>", i - 2));
  }

  static void add_child(PyObject* object, const Piece& parent, std::int64_t number, std::size_t start, std::size_t count,
                        const std::string& suffix, int depth, Parts& out) {
    const auto not_given = [&](std::string why) { add_not_given(object, std::move(why), out, parent.path + suffix); };
    if (number >= parent.again.n_children) return not_given("Polars exports other parts of it each time");
    const ArrowArray& child = *parent.array.children[number];
    if (depth >= kDeepest)
      return not_given(fmt::format("it lies more than {} lists or structs deep, and is not followed further", kDeepest));
    if (start + count > static_cast<std::size_t>(child.length))
      return not_given(fmt::format("its offsets name {} values, and Polars exports {}", start + count, child.length));
    add_piece(object,
              {*parent.schema.children[number], child, *parent.again.children[number],
               static_cast<std::size_t>(child.offset) + start, count, parent.path + suffix},
              depth + 1, out);
  }

  // What Polars gives for it: series.struct['a'].
  static std::string field_suffix(const ArrowSchema& field) {
    const PyRef name = PyRef::steal(PyUnicode_FromString(field.name != nullptr ? field.name : ""));
    if (!name) clear_unless_interrupt();
    const auto message = name ? plain_repr(name.get()) : std::nullopt;
    return message ? ".struct[" + *message + "]" : "<field>";
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_pyarrow() { return std::make_unique<PyarrowSession>(); }
std::unique_ptr<LibrarySession> open_polars() { return std::make_unique<PolarsSession>(); }

}  // namespace dlscope::embed
