#include "app/models/values/kept_values.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "app/models/values/element_values.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

bool same_table(const KeptTable& table, std::uint32_t tensor, const AxisMapping& mapping, std::uint16_t field) {
  return table.tensor == tensor && table.field == field && table.mapping.row == mapping.row && table.mapping.column == mapping.column &&
         table.mapping.fixed == mapping.fixed && table.mapping.slice == mapping.slice;
}

std::size_t size_of(const CellBytes& cells) {
  return cells.bytes.size() + cells.bits.size() + cells.complete.size() + cells.addresses.size() * sizeof(core::Address);
}

}  // namespace

void KeptValues::keep(std::uint32_t tensor, const AxisMapping& mapping, const CellBytes& cells, std::uint16_t field) {
  const auto before =
      std::ranges::find_if(tables_, [&](const KeptTable& table) { return same_table(table, tensor, mapping, field); });
  if (before != tables_.end()) {
    bytes_ -= size_of(before->cells);
    tables_.erase(before);
  }
  const std::size_t size = size_of(cells);
  if (size > kMaxBytes) return;
  while (bytes_ + size > kMaxBytes) {
    bytes_ -= size_of(tables_.front().cells);
    tables_.pop_front();
  }
  tables_.push_back({tensor, mapping, cells, field});
  bytes_ += size;
}

void KeptValues::forget() {
  tables_.clear();
  bytes_ = 0;
}

const KeptTable* KeptValues::of(std::uint32_t tensor, const AxisMapping& mapping, std::uint16_t field) const {
  const auto found =
      std::ranges::find_if(tables_, [&](const KeptTable& table) { return same_table(table, tensor, mapping, field); });
  return found == tables_.end() ? nullptr : &*found;
}

std::optional<GridCell> KeptValues::element(const core::Snapshot& snapshot, std::uint32_t tensor, std::uint64_t element) const {
  if (tensor >= snapshot.tensors.size() || element >= snapshot.tensors[tensor].elements) return std::nullopt;
  const core::TensorRecord& record = snapshot.tensors[tensor];
  for (const KeptTable& table : std::views::reverse(tables_)) {
    if (table.tensor != tensor || table.field != core::kNone16) continue;
    AxisMapping mapping = table.mapping;
    const SliceView shown(snapshot.layout(record), mapping.slice);
    const auto in_slice = shown.in_slice(element);
    if (!in_slice || show_element(shown.layout(), mapping, *in_slice)) continue;  // in another slice
    const CellPlace place = place_of(shown.layout(), mapping, *in_slice);
    const GridWindow& window = table.cells.window;
    const std::uint64_t row = place.row - window.row, column = place.column - window.column;  // before the first: a large number
    if (row >= window.rows || column >= window.columns) continue;
    const auto number = static_cast<std::size_t>(row * window.columns + column);
    if (table.cells.complete[number] != 0) return cell_of(snapshot, record, table.cells, number, sign_bits_of(snapshot, record));
  }
  return std::nullopt;
}

void KeptValuesOfMoments::put(std::uint64_t moment, KeptValues kept) {
  static_cast<void>(take(moment));
  if (kept.bytes() == 0) return;
  bytes_ += kept.bytes();
  entries_.push_back({moment, std::move(kept)});
  while (bytes_ > kMaxBytes) {
    bytes_ -= entries_.front().kept.bytes();
    entries_.pop_front();
  }
}

KeptValues KeptValuesOfMoments::take(std::uint64_t moment) {
  const auto found = std::ranges::find(entries_, moment, &Entry::moment);
  if (found == entries_.end()) return {};
  KeptValues kept = std::move(found->kept);
  entries_.erase(found);
  bytes_ -= kept.bytes();
  return kept;
}

void take_kept(const KeptTable& table, GridWindow window, std::uint64_t wrap, CellBytes& out) {
  const CellBytes& kept = table.cells;
  const GridWindow& in = kept.window;
  const std::uint64_t in_row = table.mapping.wrap;
  out.window = window;
  out.each = kept.each;
  out.status = core::MemoryReader::ReadStatus::fresh;
  out.bytes.assign(window.cells() * kept.each, std::byte{0});
  out.bits.assign(window.cells(), 0);
  out.complete.assign(window.cells(), 0);
  out.addresses.assign(window.cells(), 0);
  for (std::uint32_t r = 0; r < window.rows; ++r) {
    for (std::uint32_t c = 0; c < window.columns; ++c) {
      std::uint64_t row = window.row + r, column = window.column + c;
      if (wrap != in_row) {
        const std::uint64_t element = row * wrap + column;
        row = in_row == 0 ? 0 : element / in_row;
        column = in_row == 0 ? element : element % in_row;
      }
      row -= in.row;  // a row before the first wraps to a large number
      column -= in.column;
      if (row >= in.rows || column >= in.columns) continue;
      const std::size_t from = static_cast<std::size_t>(row * in.columns + column), to = std::size_t{r} * window.columns + c;
      std::ranges::copy(kept.of(from), out.bytes.begin() + static_cast<std::ptrdiff_t>(to * kept.each));
      out.bits[to] = kept.bits[from];
      out.complete[to] = kept.complete[from];
      out.addresses[to] = kept.addresses[from];
    }
  }
}

}  // namespace dlscope::app
