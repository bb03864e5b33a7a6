#include "app/models/values/value_copy.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "app/models/text/format.h"
#include "core/inventory/item_text.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

struct Shape {
  std::uint64_t rows = 0, columns = 0;
  bool has_rows = false, has_columns = false;  // whether they form an axis of the copied array
};

Shape shape_of(const ValueGrid& grid, const CellRange& range) {
  Shape shape{.rows = range.rows(), .columns = range.columns()};
  shape.columns = std::min(shape.columns, kMaxCopied);
  shape.rows = std::min(shape.rows, std::max<std::uint64_t>(1, kMaxCopied / shape.columns));
  shape.has_rows = grid.mapping().row >= 0 && (range.rows() > 1 || grid.rows() == 1);
  shape.has_columns = grid.mapping().column >= 0 && (range.columns() > 1 || grid.columns() == 1);
  return shape;
}

// Joins the literals of a rectangle with the punctuation of the format.
std::string joined(const std::vector<std::string>& cells, const Shape& shape, CopyFormat format) {
  if (format == CopyFormat::csv || format == CopyFormat::text) {
    std::vector<std::size_t> widths(shape.columns, 0);
    for (std::size_t i = 0; i < cells.size() && format == CopyFormat::text; ++i)
      widths[i % shape.columns] = std::max(widths[i % shape.columns], cells[i].size());
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t column = i % shape.columns;
      if (column > 0) out += format == CopyFormat::csv ? "," : "  ";
      out += format == CopyFormat::csv ? cells[i] : fmt::format("{:>{}}", cells[i], widths[column]);
      if (column + 1 == shape.columns) out += "\n";
    }
    return out;
  }
  const char *open = format == CopyFormat::c ? "{" : "[", *close = format == CopyFormat::c ? "}" : "]";
  std::string out = shape.has_rows ? open : "";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t column = i % shape.columns;
    if (column == 0 && i > 0) out += shape.has_columns ? ",\n " : ", ";
    if (column == 0 && shape.has_columns) out += open;
    if (column > 0) out += ", ";
    out += cells[i];
    if (column + 1 == shape.columns && shape.has_columns) out += close;
  }
  return out + (shape.has_rows ? close : "");
}

// As NumPy's dtype= takes it; "": np.array() finds its own.
std::string numpy_dtype_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor, core::DType numbers) {
  if (numbers.code != core::kItemCode) return numpy_dtype(numbers);
  const std::string name = snapshot.dtype_name(tensor);
  return name.starts_with("datetime64") ? "'" + name + "'" : std::string();
}

std::string wrapped(std::string text, const std::string& numpy_type, CopyFormat format) {
  if (format != CopyFormat::numpy) return text;
  return numpy_type.empty() ? "np.array(" + text + ")" : "np.array(" + text + ", dtype=" + numpy_type + ")";
}

}  // namespace

CopiedText copy_cells(const ValueGrid& grid, const CellRange& range, CopyFormat format, const CellSource& source,
                      const std::stop_token& stop) {
  const Shape shape = shape_of(grid, range);
  const core::Snapshot& snapshot = grid.snapshot();
  const core::TensorRecord& tensor = grid.tensor();
  const core::TensorNumbers numbers = core::numbers_of(snapshot, tensor);
  const bool are_items = numbers.dtype.code == core::kItemCode;
  const std::size_t item_bytes = tensor.item_bits / 8;
  const auto literal = [&](std::span<const std::byte> bytes, std::size_t bit) {
    if (!are_items) return element_literal(numbers, bytes, bit, format, grid.signs());
    return quoted_literal(core::item_text(snapshot, tensor, bytes.first(item_bytes), core::ItemText::whole), format);
  };
  std::vector<std::string> cells(shape.rows * shape.columns);
  std::uint64_t unreadable = 0;
  const bool too_long = are_items && item_bytes > core::ElementBytes::kMaxEach;
  const auto take = [&](std::uint64_t row, std::uint64_t column, const CellBytes& fetched, std::size_t i) {
    const bool complete = fetched.complete[i] != 0 && !too_long;
    unreadable += complete ? 0 : 1;
    cells[row * shape.columns + column] =
        complete ? literal(fetched.of(i), fetched.bits[i]) : unreadable_literal(format);
  };
  if (!read_cells(grid, range, shape.rows, shape.columns, source, stop, take)) return {};
  const std::string numpy_type = numpy_dtype_of(snapshot, tensor, numbers.dtype);
  CopiedText out{.text = wrapped(joined(cells, shape, format), numpy_type, format), .elements = cells.size(), .note = {}};
  const bool cut = shape.rows < range.rows() || shape.columns < range.columns();
  if (cut) {
    out.note = fmt::format("Only the first {} by {} of the {} by {} selected values: {} is the most that is copied.",
                           grouped(shape.rows), grouped(shape.columns), grouped(range.rows()), grouped(range.columns()),
                           grouped(kMaxCopied));
  }
  if (too_long)
    out.note += fmt::format("{}Of elements with more than {} bytes nothing is copied: export the tensor instead.", cut ? " " : "",
                            core::ElementBytes::kMaxEach);
  else if (unreadable > 0)
    out.note += fmt::format("{}{} {}.", cut ? " " : "", counted(unreadable, "value", "values"), source.why_missing());
  return out;
}

}  // namespace dlscope::app
