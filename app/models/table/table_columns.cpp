#include "app/models/table/table_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/tensors/badges.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

constexpr std::size_t kMaxNames = 20;

std::string all_names(const Snapshot& snapshot, const TensorRecord& tensor) {
  std::string out;
  const auto names = Snapshot::slice(snapshot.names, tensor.names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kMaxNames) return out + fmt::format(", … {} more", grouped(names.size() - i));
    if (i > 0) out += ", ";
    out += snapshot.str(names[i]);
  }
  return out;
}

std::string number_or_nothing(std::uint64_t number) { return number == core::kUnknown64 ? std::string() : grouped(number); }

const char* capsule_text(core::CapsuleKind kind) {
  switch (kind) {
    case core::CapsuleKind::dltensor:
      return "dltensor";
    case core::CapsuleKind::dltensor_versioned:
      return "dltensor_versioned";
    case core::CapsuleKind::none:
      break;
  }
  return "";
}

const char* read_by_text(core::ReadBy read_by) {
  switch (read_by) {
    case core::ReadBy::checked:
      return "checked";
    case core::ReadBy::mapped:
      return "mapped";
    case core::ReadBy::none:
      break;
  }
  return "";
}

}  // namespace

const std::array<ColumnInfo, kTableColumns>& table_columns() {
  using enum TableColumn;
  static constexpr std::array<ColumnInfo, kTableColumns> kColumns{{
      {name, "Name", "How the script reaches it. The colour is its memory group: equal colours share bytes.", 9.5F},
      {library, "Library", "Who owns the memory.", 4.5F, true, false, false, true, 4},
      {dtype, "Dtype", "Type of one element, in NumPy's words.", 5.5F, true, true},
      {shape, "Shape", "Elements along each axis.", 5.5F, true, true},
      {strides, "Strides", "Elements to step for the next index of each axis.", 5, true, true, false, true, 5},
      {nan, "NaN", "How many values are not numbers, where the values have been read.", 4.5F, false, true, true},
      {least, "Min", "The least finite value, where the values have been read.", 7, false, true, true},
      {greatest, "Max", "The greatest finite value, where the values have been read.", 7, false, true, true},
      // Before the columns that are equal for most tensors: in a narrow window those may scroll out.
      {badges, "Notes", "What is worth knowing about the tensor.", 0},
      {device, "Device", "Where the capsule says the bytes are.", 3.5F, true, true, false, true, 2},
      {bytes, "Bytes", "Elements times element size; in brackets the memory if it differs.", 4.5F, true, true, true, false, 3},
      {layout, "Layout", "How the elements lie in memory (contiguity), in NumPy's words.", 6.5F, true, false, false, true, 1},
      {exact_bytes, "Bytes, exact", "Elements times element size, not rounded.", 6, false, true, true},
      {distinct_bytes, "Distinct bytes", "Bytes of memory it really touches: a broadcast counts once.", 6, false, true, true},
      {unused_bytes, "Keeps unused", "Bytes of its allocation that no tensor uses and it keeps alive.", 6, false, true, true},
      {address, "Address", "Of the element with index 0 along every axis: data plus byte offset.", 9.5F, false, true},
      {extent, "Extent", "From the lowest byte it touches to one past the highest.", 18, false, true},
      {alignment, "Alignment", "The largest power of two, up to 4096, that divides its address.", 4.5F, false, true, true},
      {protocol, "Protocol", "How it was described: DLPack, the buffer protocol or an array interface.", 6, false, true},
      {capsule, "Capsule", "The name of the DLPack capsule: dltensor is the legacy kind, which has no flags.", 9.5F, false, true},
      {read_by, "Read", "How its struct was read: checked costs a system call, mapped is for known libraries.", 5, false, true},
      {type, "Type", "The Python type of the object.", 10, false, true},
      {names, "Names", "Every name that reaches the object.", 12, false},
  }};
  return kColumns;
}

ColumnSet columns_with_room(const std::array<float, kTableColumns>& widths, float room) {
  ColumnSet out;
  float used = 0;
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    out[i] = column.shown;
    used += column.shown ? widths[i] : 0;
  }
  while (used > room) {
    const ColumnInfo* next = nullptr;
    for (const ColumnInfo& column : table_columns()) {
      if (column.leaves > 0 && out[static_cast<std::size_t>(column.column)] && (next == nullptr || column.leaves < next->leaves))
        next = &column;
    }
    if (next == nullptr) break;
    out.reset(static_cast<std::size_t>(next->column));
    used -= widths[static_cast<std::size_t>(next->column)];
  }
  return out;
}

std::vector<std::string> column_titles(const ColumnSet& columns) {
  std::vector<std::string> out;
  for (const ColumnInfo& column : table_columns()) {
    if (columns[static_cast<std::size_t>(column.column)]) out.emplace_back(column.title);
  }
  return out;
}

ColumnSet columns_titled(const std::vector<std::string>& titles) {
  ColumnSet out;
  for (const ColumnInfo& column : table_columns()) {
    if (std::ranges::find(titles, column.title) != titles.end()) out.set(static_cast<std::size_t>(column.column));
  }
  if (out.any()) out.set(static_cast<std::size_t>(TableColumn::name));
  return out;
}

std::map<std::string, float> titled_widths(const ColumnWidths& widths) {
  std::map<std::string, float> out;
  for (const ColumnInfo& column : table_columns()) {
    const float width = widths[static_cast<std::size_t>(column.column)];
    if (width > 0) out.emplace(column.title, width);
  }
  return out;
}

ColumnWidths widths_titled(const std::map<std::string, float>& widths) {
  ColumnWidths out{};
  for (const ColumnInfo& column : table_columns()) {
    const auto found = widths.find(column.title);
    if (found != widths.end()) out[static_cast<std::size_t>(column.column)] = found->second;
  }
  return out;
}

std::string cell_text(const Snapshot& snapshot, const TensorRecord& tensor, TableColumn column) {
  using enum TableColumn;
  switch (column) {
    case name:
      return std::string(snapshot.name(tensor));
    case library:
      return std::string(snapshot.str(tensor.library));
    case type:
      return std::string(snapshot.str(tensor.type));
    case names:
      return all_names(snapshot, tensor);
    case badges:
    case nan:
    case least:
    case greatest:
      return {};
    case protocol:
      return core::protocol_name(tensor.protocol);
    case capsule:
      return capsule_text(tensor.capsule);
    case read_by:
      return read_by_text(tensor.read_by);
    default:
      break;
  }
  if (!tensor.has_metadata) return {};
  switch (column) {
    case dtype:
      return snapshot.dtype_name(tensor);
    case device:
      return core::device_name(tensor.device);
    case shape:
      return shape_text(snapshot.shape(tensor));
    case strides:
      return tensor.has_layout ? strides_text(snapshot.layout(tensor)) : std::string();
    case layout:
      return tensor.has_layout ? contiguity_text(tensor.contiguity) : "";
    case bytes:
      return brief_size_text(tensor);
    case exact_bytes:
      return number_or_nothing(tensor.nbytes);
    case distinct_bytes:
      return number_or_nothing(tensor.distinct_bytes);
    case unused_bytes:
      return number_or_nothing(snapshot.unused_bytes(tensor));
    case address:
      return core::has_known_address(tensor) ? grouped_address(tensor.address) : std::string();
    case extent:
      if (!core::has_known_extent(tensor)) return {};
      return tensor.extent.empty() ? "empty" : grouped_address(tensor.extent.begin) + " – " + grouped_address(tensor.extent.end);
    case alignment:
      return tensor.alignment == 0 ? std::string() : grouped(tensor.alignment);
    default:
      break;
  }
  return {};
}

std::string cell_meaning(const Snapshot& snapshot, const TensorRecord& tensor, TableColumn column) {
  if (column == TableColumn::library) {
    const auto type = snapshot.str(tensor.type);
    return type == snapshot.str(tensor.library) ? std::string() : std::string(type);
  }
  if (column == TableColumn::bytes && tensor.nbytes != core::kUnknown64) {
    std::string text = exact_bytes(tensor.nbytes);
    if (tensor.distinct_bytes != core::kUnknown64 && tensor.distinct_bytes != tensor.nbytes)
      text += "; touches " + exact_bytes(tensor.distinct_bytes) + " of memory";
    return text;
  }
  return {};
}

std::string cell_copy(const Snapshot& snapshot, const TensorRecord& tensor, TableColumn column) {
  using enum TableColumn;
  const auto number = [](std::uint64_t n) { return n == core::kUnknown64 ? std::string() : fmt::to_string(n); };
  switch (column) {
    case bytes:
    case exact_bytes:
      return number(tensor.nbytes);
    case distinct_bytes:
      return number(tensor.distinct_bytes);
    case unused_bytes:
      return number(snapshot.unused_bytes(tensor));
    case shape:
      return tensor.has_metadata ? tuple_text(snapshot.shape(tensor)) : std::string();
    case address:
      return core::has_known_address(tensor) ? plain_address(tensor.address) : std::string();
    case extent:
      if (!core::has_known_extent(tensor)) return {};
      return plain_address(tensor.extent.begin) + "-" + plain_address(tensor.extent.end);
    default:
      return cell_text(snapshot, tensor, column);
  }
}

}  // namespace dlscope::app
