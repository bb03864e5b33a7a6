#include "app/models/table/table_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/models/table/longest_cells.h"
#include "app/models/table/row_sorter.h"
#include "app/models/table/table_filter.h"
#include "app/models/table/table_tree.h"
#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kStopEvery = 4096;

// --- which rows, as discovered ----------------------------------------------------------------------------------------

// The kept tensors in scan order, then the gone ones.
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

// --- groups -----------------------------------------------------------------------------------------------------------

// The group that a row is listed in; kNone32: none.
std::uint32_t group_of(const SnapshotIndex& index, std::uint32_t row) {
  const std::uint32_t group = index.tensor(row).group;
  return group != core::kNone32 && index.snapshot->groups[group].members.count > 1 ? group : core::kNone32;
}

// Moves the rows of each group together, to the place of its first row.
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

// Creates the lines of an order that has its rows and sections.
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

  // A head comes before the first of its rows. Everything below a folded head gets that head's line.
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
  if (own.starts_with('.')) return std::string(without_dot(own));
  const auto starts = segment_starts(above);  // "[0]" alone does not say what it indexes
  return std::string(without_dot(std::string_view(above).substr(starts.back()))).append(own);
}

std::string label_of_gone(const SnapshotIndex& index, const TableSection& section) {
  return grouped(section.count) + " " + gone_since_text(index.marks);
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
    if (!sort_rows(index, query, order->rows, stop)) return nullptr;
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
