// Polars: its series give their memory as Arrow C streams.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embed/libraries/arrow_stream.h"
#include "embed/libraries/library.h"
#include "embed/plain_repr.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

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
    const PyRef columns = plain ? call_method(plain.get(), "get_columns") : PyRef{};
    if (!columns || PyList_Check(columns.get()) == 0) return out.add_not_given(object, "Polars did not give its columns");
    for (Py_ssize_t i = 0; i < PyList_Size(columns.get()); ++i) {
      PyObject* const column = PyList_GetItem(columns.get(), i);
      const PyRef name = PyRef::steal(PyObject_GetAttrString(column, "name"));
      if (!name && clear_unless_interrupt()) return;
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

  // object: whose memory it is. Categories are converted for the stream; their numbers are not. That nothing else was converted is
  // checked by exporting twice: converted memory is new each time, that of to_physical() as well.
  static void series(PyObject* plain, PyObject* object, Parts& out) {
    constexpr const char* kNotExported = "Polars did not export it as an Arrow stream: where its memory lies is not known";
    std::optional<ArrowExport> first(std::in_place);
    if (!read_arrow_stream(plain, *first)) return out.add_not_given(object, kNotExported);
    PyRef physical, physical_again;
    PyObject* second_time = plain;
    if (has_dictionary(first->schema.value)) {
      physical = call_method(plain, "to_physical");
      physical_again = call_method(plain, "to_physical");
      second_time = physical_again.get();
      first.emplace();
      if (!read_arrow_stream(physical.get(), *first)) return out.add_not_given(object, kNotExported);
    }
    ArrowExport again;
    if (!read_arrow_stream(second_time, again)) return out.add_not_given(object, kNotExported);
    if (again.chunks.size() != first->chunks.size())
      return out.add_not_given(object, "Polars exports it in other pieces each time: where its own memory lies is not known");
    for (std::size_t i = 0; i < first->chunks.size(); ++i) {
      const ArrowArray &array = first->chunks[i].value, &second = again.chunks[i].value;
      const std::string path = first->chunks.size() == 1 ? std::string{} : fmt::format(".get_chunks()[{}]", i);
      const auto start = static_cast<std::size_t>(array.offset), count = static_cast<std::size_t>(array.length);
      add_piece(object, {first->schema.value, array, second, start, count, path}, 0, out);
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
      if (first > last) return out.add_not_given(object, "its offsets do not ascend", piece.path + "<values>");
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
    const auto not_given = [&](std::string why) { out.add_not_given(object, std::move(why), parent.path + suffix); };
    if (number >= parent.again.n_children) return not_given("Polars exports other parts of it each time");
    const ArrowArray& child = *parent.array.children[number];
    if (depth >= kDeepestArrow)
      return not_given(fmt::format("it lies more than {} lists or structs deep, and is not followed further", kDeepestArrow));
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

std::unique_ptr<LibrarySession> open_polars() { return std::make_unique<PolarsSession>(); }

}  // namespace dlscope::embed
