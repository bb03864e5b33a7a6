#include "app/models/table/table_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "app/models/table/table_filter.h"
#include "app/models/table/table_tree.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kStopEvery = 4096;
constexpr std::size_t kIndentCharacters = 2;  // a branch is set in by about as much
constexpr std::uint64_t kUnknownKey = ~std::uint64_t{0};  // sorts last, in either direction

// --- which rows, as discovered ----------------------------------------------------------------------------------------

// The tensors in their order, then the gone ones.
void keep_rows(const SnapshotIndex& index, RowFilter& filter, TableOrder& order, const std::stop_token& stop) {
  order.rows.reserve(index.size() + index.marks.gone.size());
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return;
    if (!filter.keeps(id)) continue;
    order.rows.push_back(id);
    if (const auto other = filter.matched_name()) order.matched_name.emplace(id, *other);
  }
  order.kept = order.rows.size();
}

void add_gone_rows(const SnapshotIndex& index, RowFilter& filter, TableOrder& order, const std::stop_token& stop) {
  const auto first = static_cast<std::uint32_t>(order.rows.size());
  for (std::uint32_t i = 0; i < index.marks.gone.size(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) return;
    if (filter.keeps_gone(index.marks.gone[i])) order.rows.push_back(index.size() + i);
  }
  const auto count = static_cast<std::uint32_t>(order.rows.size()) - first;
  if (count > 0) order.sections.push_back({.kind = TableSection::Kind::gone, .first = first, .count = count});
}

// --- sorting ----------------------------------------------------------------------------------------------------------

class RowSorter {
 public:
  RowSorter(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows)
      : index_(index), query_(query), rows_(rows), keys_(index.size() + index.marks.gone.size()) {}

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
      if (row < index_.size()) append_badges(index_, row, badges, BadgeDetail::words_only, BadgeMarks::left_out);
      keys_[row] = row < index_.size() ? badges.size() : 1;
    }
    by_keys(descending);
  }

  // Rises with the number.
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

// --- groups -----------------------------------------------------------------------------------------------------------

// The group a row is listed under; kNone32: none, it stands alone.
std::uint32_t group_of(const SnapshotIndex& index, std::uint32_t row) {
  const std::uint32_t group = index.tensor(row).group;
  return group != core::kNone32 && index.snapshot->groups[group].members.count > 1 ? group : core::kNone32;
}

// Brings the rows of one group together, at the place of its first row.
void make_groups(const SnapshotIndex& index, TableOrder& order) {
  std::vector<std::uint32_t> section_of(order.rows.size());
  std::vector<std::uint32_t> of_group(index.snapshot->groups.size(), core::kNone32);
  for (std::size_t i = 0; i < order.rows.size(); ++i) {
    const std::uint32_t group = group_of(index, order.rows[i]);
    const bool alone = group == core::kNone32;
    std::uint32_t section = alone ? core::kNone32 : of_group[group];
    if (section == core::kNone32) {
      section = static_cast<std::uint32_t>(order.sections.size());
      order.sections.push_back({.kind = alone ? TableSection::Kind::single : TableSection::Kind::group, .group = group});
      if (!alone) of_group[group] = section;
    }
    section_of[i] = section;
    ++order.sections[section].count;
    ++order.sections[section].live;
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

// --- lines ------------------------------------------------------------------------------------------------------------

// Writes the lines of an order whose rows and sections are made.
class LineMaker {
 public:
  LineMaker(const SnapshotIndex& index, TableOrder& order) : index_(index), order_(order) {}

  void make() {
    order_.line_of.assign(index_.size() + index_.marks.gone.size(), core::kNone32);
    for (TableSection& section : order_.sections) section.folded = is_folded(section);
    if (order_.query.view == TableView::tree)
      add_tree();
    else if (order_.query.view == TableView::groups)
      for (std::uint32_t s = 0; s < order_.sections.size(); ++s) add_group(s);
    else
      for (std::size_t i = 0; i < order_.kept; ++i) add_row(order_.rows[i], core::kNone32);
    add_gone();
  }

 private:
  [[nodiscard]] bool is_folded(const TableSection& section) const {
    if (section.kind == TableSection::Kind::gone) return !order_.query.gone_open && order_.kept > 0;
    return section.has_head() && order_.query.folding.folds(folding_name(index_, section));
  }

  std::uint32_t add(TableLine line) {
    order_.lines.push_back(line);
    return static_cast<std::uint32_t>(order_.lines.size() - 1);
  }
  void add_row(std::uint32_t row, std::uint32_t section) { order_.line_of[row] = add({row, section}); }

  void add_rows_of(std::uint32_t number) {
    const TableSection& section = order_.sections[number];
    const std::uint32_t head = section.has_head() ? add({core::kNone32, number}) : core::kNone32;
    for (const std::uint32_t row : std::span(order_.rows).subspan(section.first, section.count)) {
      if (section.folded)
        order_.line_of[row] = head;
      else
        add_row(row, number);
    }
  }
  void add_group(std::uint32_t number) {
    if (order_.sections[number].kind != TableSection::Kind::gone) add_rows_of(number);
  }
  void add_gone() {
    if (!order_.sections.empty() && order_.sections.back().kind == TableSection::Kind::gone)
      add_rows_of(static_cast<std::uint32_t>(order_.sections.size() - 1));
  }

  // Heads stand before the first of their rows. What is below a folded head has that head's line.
  void add_tree() {
    std::vector<std::uint32_t> heads(order_.sections.size(), core::kNone32), covered_by(heads);
    std::uint32_t next = 0;
    const auto cover_below = [&](std::uint32_t s) {
      if (s == core::kNone32) return core::kNone32;
      return covered_by[s] != core::kNone32 ? covered_by[s] : order_.sections[s].folded ? heads[s] : core::kNone32;
    };
    for (std::uint32_t i = 0; i < order_.kept; ++i) {
      for (; next < order_.sections.size() && order_.sections[next].kind == TableSection::Kind::branch &&
             order_.sections[next].first == i;
           ++next) {
        covered_by[next] = cover_below(order_.sections[next].parent);
        if (covered_by[next] == core::kNone32) heads[next] = add({core::kNone32, next});
      }
      const std::uint32_t section = order_.section_of_row[i], cover = cover_below(section);
      if (cover == core::kNone32)
        add_row(order_.rows[i], section);
      else
        order_.line_of[order_.rows[i]] = cover;
    }
  }

  const SnapshotIndex& index_;
  TableOrder& order_;
};

// --- what the columns need room for ------------------------------------------------------------------------------------

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void note_longest(const SnapshotIndex& index, TableOrder& order) {
  constexpr std::size_t kSample = 4096;
  std::array<std::size_t, kTableColumns> longest{};
  const auto note = [&](TableColumn column, std::string text) {
    const auto i = static_cast<std::size_t>(column);
    const std::size_t length = code_points(text);
    if (length <= longest[i]) return;
    longest[i] = length;
    order.longest[i] = std::move(text);
  };
  const std::size_t step = order.rows.size() / kSample + 1;
  for (std::size_t i = 0; i < order.rows.size(); i += step) {
    const RowRecord record = record_of(index, order.rows[i]);
    for (const ColumnInfo& column : table_columns()) {
      if (column.column != TableColumn::name) note(column.column, cell_text(record.snapshot, record.tensor, column.column));
    }
    const std::uint32_t section = i < order.section_of_row.size() ? order.section_of_row[i] : core::kNone32;
    const std::size_t indent = section == core::kNone32 ? 0 : (order.sections[section].depth + 1) * kIndentCharacters;
    std::string name = std::string(indent, ' ').append(label_of_row(index, order, {order.rows[i], section}));
    const auto names = core::Snapshot::slice(record.snapshot.names, record.tensor.names);
    if (names.size() > 1) name.append(" = ").append(record.snapshot.str(names[1])).append(names.size() > 2 ? " +1" : "");
    note(TableColumn::name, std::move(name));
  }
  for (std::uint32_t s = 0; s < order.sections.size() && s < kSample; ++s) {
    if (order.sections[s].kind == TableSection::Kind::branch)
      note(TableColumn::name, std::string((order.sections[s].depth + 1) * kIndentCharacters, ' ') + label_of_branch(order, s));
  }
  if (!order.sections.empty() && order.sections.back().kind == TableSection::Kind::gone)
    note(TableColumn::name, label_of_gone(index, order.sections.back()));
}

bool only_folding_differs(const TableQuery& a, const TableQuery& b) {
  return a.filter == b.filter && a.sort == b.sort && a.view == b.view && a.values == b.values;
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

std::string_view folding_name(const SnapshotIndex& index, const TableSection& section) {
  return section.kind == TableSection::Kind::branch ? std::string_view(section.path) : group_name(index, section.group);
}

std::string_view label_of_row(const SnapshotIndex& index, const TableOrder& order, const TableLine& line) {
  const RowRecord record = record_of(index, line.row);
  const std::string_view name = record.snapshot.name(record.tensor);
  const bool below = line.section != core::kNone32 && order.sections[line.section].kind == TableSection::Kind::branch;
  return below ? without_dot(name.substr(order.sections[line.section].path.size())) : name;
}

std::string label_of_branch(const TableOrder& order, std::uint32_t number) {
  const TableSection& section = order.sections[number];
  if (section.parent == core::kNone32) return section.path;
  const std::string& above = order.sections[section.parent].path;
  const std::string_view own = std::string_view(section.path).substr(above.size());
  if (own.starts_with('.')) return std::string(own.substr(1));
  const auto starts = segment_starts(above);  // "[0]" alone does not say of what
  return std::string(without_dot(std::string_view(above).substr(starts.back()))).append(own);
}

std::string label_of_gone(const SnapshotIndex& index, const TableSection& section) {
  const MarkedAgainst& against = index.marks.against;
  const std::string since = against.words.empty() ? fmt::format("run {}", index.marks.run) : against.words;
  return fmt::format("{} gone since {}", grouped(section.count), since);
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
    order->section_of_row = shown->section_of_row;
    order->kept = shown->kept;
    order->complaint = shown->complaint;
    order->matched_name = shown->matched_name;
    order->longest = shown->longest;
  } else {
    RowFilter filter(index, query.filter);
    keep_rows(index, filter, *order, stop);
    order->complaint = filter.complaint();
    RowSorter sorter(index, query, order->rows);
    for (auto key = query.sort.rbegin(); key != query.sort.rend(); ++key) {
      if (stop.stop_requested()) return nullptr;
      sorter.sort(*key);
    }
    if (query.view == TableView::groups) make_groups(index, *order);
    if (query.view == TableView::tree) make_branches(index, *order, stop);
    add_gone_rows(index, filter, *order, stop);
    if (stop.stop_requested()) return nullptr;
    note_longest(index, *order);
  }
  LineMaker(index, *order).make();
  return stop.stop_requested() ? nullptr : order;
}

}  // namespace dlscope::app
