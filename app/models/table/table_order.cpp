#include "app/models/table/table_order.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/models/table/table_filter.h"
#include "app/models/tensors/badges.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kStopEvery = 4096;
constexpr std::uint64_t kUnknownKey = ~std::uint64_t{0};  // sorts last, in either direction

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// --- which rows, as discovered ----------------------------------------------------------------------------------------

// The tensors in their order; a gone one behind the tensor it stood behind.
std::vector<std::uint32_t> kept_rows(const SnapshotIndex& index, RowFilter& filter, std::uint64_t& kept,
                                     const std::stop_token& stop) {
  std::vector<std::uint32_t> rows;
  rows.reserve(index.size() + index.marks.gone.size());
  const auto& gone = index.marks.gone;
  std::size_t next_gone = 0;
  const auto add_gone = [&](std::uint32_t after) {
    for (; next_gone < gone.size() && gone[next_gone].after == after; ++next_gone) {
      if (filter.keeps_gone(gone[next_gone])) rows.push_back(index.size() + static_cast<std::uint32_t>(next_gone));
    }
  };
  add_gone(core::kNone32);
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return rows;
    if (filter.keeps(id)) {
      rows.push_back(id);
      ++kept;
    }
    add_gone(id);
  }
  return rows;
}

// --- sorting ----------------------------------------------------------------------------------------------------------

class RowSorter {
 public:
  RowSorter(const SnapshotIndex& index, std::vector<std::uint32_t>& rows)
      : index_(index), rows_(rows), keys_(index.size() + index.marks.gone.size()) {}

  // Stable: what was sorted before decides among equals.
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
      case TableColumn::badges:
        return by_badges(key.descending);
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

  // Many rows have few different texts: each is made once and ranked, then the rows are sorted by rank.
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
      if (row < index_.size()) append_badges(index_, row, badges, BadgeDetail::words_only);
      keys_[row] = row < index_.size() ? badges.size() : 1;
    }
    by_keys(descending);
  }

  const SnapshotIndex& index_;
  std::vector<std::uint32_t>& rows_;
  std::vector<std::uint64_t> keys_;  // by row
};

// --- groups -----------------------------------------------------------------------------------------------------------

// The group each row is listed under; kNone32: none, it stands alone. Gone rows go to the group that has their place now.
class GroupFinder {
 public:
  explicit GroupFinder(const SnapshotIndex& index) : index_(index) {
    if (index.marks.gone.empty()) return;
    for (std::uint32_t g = 0; g < index.snapshot->groups.size(); ++g) by_place_.emplace(place(index.snapshot->groups[g]), g);
  }

  [[nodiscard]] std::uint32_t group_of(std::uint32_t row) const {
    std::uint32_t group = core::kNone32;
    if (row < index_.size()) {
      group = index_.tensor(row).group;
    } else {
      const core::Snapshot& before = *index_.marks.before;
      const std::uint32_t old = before.tensors[index_.marks.gone[row - index_.size()].id].group;
      if (old == core::kNone32) return core::kNone32;
      const auto found = by_place_.find(place(before.groups[old]));
      if (found != by_place_.end()) group = found->second;
    }
    return group != core::kNone32 && index_.snapshot->groups[group].members.count > 1 ? group : core::kNone32;
  }

 private:
  using Place = std::tuple<core::SpaceId, core::Address, core::Address>;
  static Place place(const core::GroupRecord& g) { return {g.space, g.range.begin, g.range.end}; }

  const SnapshotIndex& index_;
  std::map<Place, std::uint32_t> by_place_;
};

// Brings the rows of one group together, at the place of its first row.
void make_sections(const SnapshotIndex& index, TableOrder& order) {
  const GroupFinder finder(index);
  std::vector<std::uint32_t> section_of(order.rows.size());
  std::vector<std::uint32_t> of_group(index.snapshot->groups.size(), core::kNone32);
  for (std::size_t i = 0; i < order.rows.size(); ++i) {
    const std::uint32_t group = finder.group_of(order.rows[i]);
    const auto fresh = static_cast<std::uint32_t>(order.sections.size());
    std::uint32_t section = group == core::kNone32 ? core::kNone32 : of_group[group];
    if (section == core::kNone32) {
      section = fresh;
      order.sections.push_back({.group = group});
      if (group != core::kNone32) of_group[group] = section;
    }
    section_of[i] = section;
    ++order.sections[section].count;
    order.sections[section].live += order.rows[i] < index.size() ? 1 : 0;
  }
  std::uint32_t first = 0;
  std::vector<std::uint32_t> next(order.sections.size());
  for (std::size_t s = 0; s < order.sections.size(); ++s) {
    order.sections[s].first = next[s] = first;
    first += order.sections[s].count;
  }
  std::vector<std::uint32_t> rows(order.rows.size());
  for (std::size_t i = 0; i < order.rows.size(); ++i) rows[next[section_of[i]]++] = order.rows[i];
  order.rows = std::move(rows);
}

void make_lines(const SnapshotIndex& index, TableOrder& order) {
  order.line_of.assign(index.size() + index.marks.gone.size(), core::kNone32);
  const auto add = [&](TableLine line) {
    order.lines.push_back(line);
    return static_cast<std::uint32_t>(order.lines.size() - 1);
  };
  if (!order.query.by_group) {
    for (const std::uint32_t row : order.rows) order.line_of[row] = add({row, core::kNone32});
    return;
  }
  for (std::uint32_t s = 0; s < order.sections.size(); ++s) {
    TableSection& section = order.sections[s];
    const std::span rows(order.rows.data() + section.first, section.count);
    section.folded = section.group != core::kNone32 && order.query.folding.folds(group_name(index, section.group));
    const std::uint32_t head = section.group == core::kNone32 ? core::kNone32 : add({core::kNone32, s});
    for (const std::uint32_t row : rows) order.line_of[row] = section.folded ? head : add({row, s});
  }
}

bool only_folding_differs(const TableQuery& a, const TableQuery& b) {
  return a.filter == b.filter && a.sort == b.sort && a.by_group == b.by_group;
}

}  // namespace

void Folding::set(std::string_view name, bool folded) {
  if (folded == all)
    except.erase(std::string(name));
  else
    except.emplace(name);
}

RowRecord record_of(const SnapshotIndex& index, std::uint32_t row) {
  if (row < index.size()) return {*index.snapshot, index.tensor(row)};
  const core::Snapshot& before = *index.marks.before;
  return {before, before.tensors[index.marks.gone[row - index.size()].id]};
}

std::string_view group_name(const SnapshotIndex& index, std::uint32_t group) {
  const auto members = core::Snapshot::slice(index.snapshot->group_members, index.snapshot->groups[group].members);
  return members.empty() ? std::string_view() : index.snapshot->name(index.tensor(members.front()));
}

int natural_compare(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      while (i < a.size() && a[i] == '0') ++i;
      while (j < b.size() && b[j] == '0') ++j;
      std::size_t m = i, n = j;
      while (m < a.size() && digit(a[m])) ++m;
      while (n < b.size() && digit(b[n])) ++n;
      if (m - i != n - j) return m - i < n - j ? -1 : 1;
      const int order = a.substr(i, m - i).compare(b.substr(j, n - j));
      if (order != 0) return order;
      i = m;
      j = n;
      continue;
    }
    const char x = lower(a[i++]), y = lower(b[j++]);
    if (x != y) return static_cast<unsigned char>(x) < static_cast<unsigned char>(y) ? -1 : 1;
  }
  if (i < a.size()) return 1;
  if (j < b.size()) return -1;
  return a.compare(b);
}

OrderPtr order_rows(const SnapshotIndex& index, const TableQuery& query, const std::stop_token& stop, const TableOrder* shown) {
  auto order = std::make_shared<TableOrder>();
  order->query = query;
  if (shown != nullptr && only_folding_differs(shown->query, query)) {
    order->rows = shown->rows;
    order->sections = shown->sections;
    order->kept = shown->kept;
    order->complaint = shown->complaint;
  } else {
    RowFilter filter(index, query.filter);
    order->rows = kept_rows(index, filter, order->kept, stop);
    order->complaint = filter.complaint();
    RowSorter sorter(index, order->rows);
    for (auto key = query.sort.rbegin(); key != query.sort.rend(); ++key) {
      if (stop.stop_requested()) return nullptr;
      sorter.sort(*key);
    }
    if (query.by_group) make_sections(index, *order);
  }
  make_lines(index, *order);
  return stop.stop_requested() ? nullptr : order;
}

}  // namespace dlscope::app
