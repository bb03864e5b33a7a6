#include "app/models/table/row_sorter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "app/models/tensors/badges.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kUnknownKey = ~std::uint64_t{0};  // sorts last in both directions

class RowSorter {
 public:
  RowSorter(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows)
      : index_(index), query_(query), rows_(rows), keys_(index.size() + index.marks.gone.size()) {}

  // Stable: earlier sorts decide among equal rows.
  void sort(const SortKey& key) {
    switch (key.column) {
      case TableColumn::name:
        return by_name(key.descending);
      case TableColumn::shape:
        return by_dims(key.descending, [](const RowRecord& r) { return r.snapshot.shape(r.tensor); });
      case TableColumn::strides:
        return by_dims(key.descending, [](const RowRecord& r) { return r.snapshot.stride_bits(r.tensor); });
      case TableColumn::library:
        return by_text(key, [](const RowRecord& r) { return text_key(r, r.tensor.library); });
      case TableColumn::type:
        return by_text(key, [](const RowRecord& r) { return text_key(r, r.tensor.type); });
      case TableColumn::dtype:
        return by_text(key, dtype_key);
      case TableColumn::device:
        return by_text(key, device_key);
      case TableColumn::names:
        return by_number(key.descending, [](const RowRecord& r) { return std::uint64_t{r.tensor.names.count}; });
      case TableColumn::unused_bytes:
        return by_number(key.descending, [](const RowRecord& r) { return r.snapshot.unused_bytes(r.tensor); });
      case TableColumn::badges:
        return by_badges(key.descending);
      case TableColumn::nan:
      case TableColumn::least:
      case TableColumn::greatest:
        return by_values(key);
      default:
        return by_number(key.descending, [&](const RowRecord& r) { return number_of(r.tensor, key.column); });
    }
  }

 private:
  static std::uint64_t text_key(const RowRecord& r, core::TextRef text) {
    return text.length == 0 ? kUnknownKey : std::hash<std::string_view>()(r.snapshot.str(text)) >> 1;
  }
  static std::uint64_t dtype_key(const RowRecord& r) {
    if (!r.tensor.has_metadata) return kUnknownKey;
    if (r.tensor.item_type != core::kNone16) {  // its DType says only how many bytes an item has; a DType's key has 32 bits
      constexpr std::uint64_t kOfItemType = std::uint64_t{1} << 62;
      return text_key(r, r.snapshot.item_types[r.tensor.item_type].name) >> 1 | kOfItemType;
    }
    const core::DType t = r.tensor.dtype;
    return (std::uint64_t{t.code} << 24) | (std::uint64_t{t.bits} << 16) | t.lanes;
  }
  static std::uint64_t device_key(const RowRecord& r) {
    if (!r.tensor.has_metadata) return kUnknownKey;
    const core::DeviceId d = r.tensor.device;
    return (std::uint64_t{static_cast<std::uint32_t>(d.type)} << 32) | static_cast<std::uint32_t>(d.id);
  }
  static std::uint64_t number_of(const core::TensorRecord& t, TableColumn column) {
    switch (column) {
      case TableColumn::bytes:
      case TableColumn::exact_bytes:
        return t.nbytes;
      case TableColumn::distinct_bytes:
        return t.distinct_bytes;
      case TableColumn::address:
        return t.has_metadata && t.space != core::kNoSpace ? t.address : kUnknownKey;
      case TableColumn::extent:
        return t.has_layout && t.space != core::kNoSpace ? t.extent.begin : kUnknownKey;
      case TableColumn::alignment:
        return t.alignment == 0 ? kUnknownKey : t.alignment;
      case TableColumn::layout:
        return t.has_layout ? static_cast<std::uint64_t>(t.contiguity) : kUnknownKey;
      case TableColumn::protocol:
        return t.protocol == core::Protocol::none ? kUnknownKey : static_cast<std::uint64_t>(t.protocol);
      case TableColumn::capsule:
        return t.capsule == core::CapsuleKind::none ? kUnknownKey : static_cast<std::uint64_t>(t.capsule);
      case TableColumn::read_by:
        return t.read_by == core::ReadBy::none ? kUnknownKey : static_cast<std::uint64_t>(t.read_by);
      default:
        return kUnknownKey;
    }
  }

  template <class Number>
  void by_number(bool descending, Number&& number) {
    for (const std::uint32_t row : rows_) keys_[row] = number(record_of(index_, row));
    by_keys(descending);
  }

  void by_keys(bool descending) {
    if (descending) {
      for (const std::uint32_t row : rows_) keys_[row] = keys_[row] == kUnknownKey ? kUnknownKey : kUnknownKey - 1 - keys_[row];
    }
    std::ranges::stable_sort(rows_, {}, [&](std::uint32_t row) { return keys_[row]; });
  }

  // Many rows share few texts: each text is made and ranked once, then rows are sorted by rank.
  template <class Key>
  void by_text(const SortKey& sort, Key&& key) {
    std::unordered_map<std::uint64_t, std::uint64_t> rank;
    std::vector<std::pair<std::string, std::uint64_t>> texts;
    for (const std::uint32_t row : rows_) {
      const RowRecord record = record_of(index_, row);
      const std::uint64_t number = key(record);
      if (number != kUnknownKey && rank.emplace(number, 0U).second)
        texts.emplace_back(cell_text(record.snapshot, record.tensor, sort.column), number);
    }
    std::ranges::sort(texts, [](const auto& a, const auto& b) { return natural_compare(a.first, b.first) < 0; });
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i > 0 && texts[i].first != texts[i - 1].first) ++last;
      rank[texts[i].second] = last;
    }
    by_number(sort.descending, [&](const RowRecord& r) {
      const std::uint64_t number = key(r);
      return number == kUnknownKey ? kUnknownKey : rank.at(number);
    });
  }

  void by_name(bool descending) {
    std::ranges::stable_sort(rows_, [&](std::uint32_t a, std::uint32_t b) {
      const RowRecord x = record_of(index_, a), y = record_of(index_, b);
      const int order = natural_compare(x.snapshot.name(x.tensor), y.snapshot.name(y.tensor));
      return descending ? order > 0 : order < 0;
    });
  }

  template <class Dims>
  void by_dims(bool descending, Dims&& dims) {
    std::ranges::stable_sort(rows_, [&](std::uint32_t a, std::uint32_t b) {
      const RowRecord x = record_of(index_, a), y = record_of(index_, b);
      if (x.tensor.has_layout != y.tensor.has_layout) return x.tensor.has_layout;
      if (!x.tensor.has_layout) return false;
      const auto p = dims(x), q = dims(y);
      return descending ? std::ranges::lexicographical_compare(q, p) : std::ranges::lexicographical_compare(p, q);
    });
  }

  void by_badges(bool descending) {
    std::vector<Badge> badges;
    for (const std::uint32_t row : rows_) {
      badges.clear();
      if (row < index_.size()) append_badges(index_, row, badges, BadgeDetail::name_only, BadgeMarks::left_out);
      keys_[row] = row < index_.size() ? badges.size() : 1;
    }
    by_keys(descending);
  }

  // Maps numbers to keys in the same order.
  static std::uint64_t key_of(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
    return ((bits >> 63) != 0 ? ~bits : bits | std::uint64_t{1} << 63) >> 1;
  }

  void by_values(const SortKey& key) {
    for (const std::uint32_t row : rows_) {
      const bool known = query_.values && row < query_.values->size() && row < index_.size() &&
                         (*query_.values)[row].method != core::StatisticsMethod::none;
      keys_[row] = kUnknownKey;
      if (!known) continue;
      const core::ValueSummary& summary = (*query_.values)[row];
      const double number = (key.column == TableColumn::least ? summary.min : summary.max).as_double();
      if (key.column == TableColumn::nan)
        keys_[row] = summary.nan;
      else if (!std::isnan(number))
        keys_[row] = key_of(number);
    }
    by_keys(key.descending);
  }

  const SnapshotIndex& index_;
  const TableQuery& query_;
  std::vector<std::uint32_t>& rows_;
  std::vector<std::uint64_t> keys_;  // by row
};

}  // namespace

bool sort_rows(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows,
               const std::stop_token& stop) {
  RowSorter sorter(index, query, rows);
  for (auto key = query.sort.rbegin(); key != query.sort.rend(); ++key) {
    if (stop.stop_requested()) return false;
    sorter.sort(*key);
  }
  return true;
}

}  // namespace dlscope::app
