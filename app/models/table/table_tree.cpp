#include "app/models/table/table_tree.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kStopEvery = 4096;

struct Node {
  std::string_view path;               // of a name in the snapshot's text
  std::uint32_t parent = core::kNone32;
  std::vector<std::pair<bool, std::uint32_t>> items;  // (is a row, row or node), in order of appearance
  std::uint64_t weight = 0;            // nominal bytes (elements times size), by which siblings are sorted
};

class TreeMaker {
 public:
  TreeMaker(const SnapshotIndex& index, TableOrder& order) : index_(index), order_(order), nodes_(1) {}

  bool plant(const std::stop_token& stop) {
    for (std::size_t i = 0; i < order_.rows.size(); ++i) {
      if (i % kStopEvery == 0 && stop.stop_requested()) return false;
      add(order_.rows[i]);
    }
    return true;
  }

  void write() {
    const bool by_bytes = !order_.query.sort.empty() && is_bytes(order_.query.sort.front().column);
    if (by_bytes) sort_by_weight(order_.query.sort.front().descending);
    std::vector<std::uint32_t> rows;
    rows.reserve(order_.rows.size());
    write_items(0, core::kNone32, 0, rows);
    order_.rows = std::move(rows);
    for (TableSection& section : order_.sections) {
      if (section.kind != TableSection::Kind::branch) continue;
      const auto tensors = std::span(order_.rows).subspan(section.first, section.count);
      const MemoryOf memory = memory_of(index_, tensors);
      section.bytes = memory.bytes;
      section.exact = memory.exact;
      section.library = library_of(tensors);
    }
  }

 private:
  static bool is_bytes(TableColumn column) {
    return column == TableColumn::bytes || column == TableColumn::exact_bytes || column == TableColumn::distinct_bytes;
  }

  // "": several.
  std::string library_of(std::span<const std::uint32_t> rows) const {
    std::string_view library;
    for (const std::uint32_t row : rows) {
      const RowRecord record = record_of(index_, row);
      const std::string_view own = record.snapshot.str(record.tensor.library);
      if (library.empty()) library = own;
      if (own != library) return {};
    }
    return std::string(library);
  }

  void add(std::uint32_t row) {
    const RowRecord record = record_of(index_, row);
    const std::string_view name = record.snapshot.name(record.tensor);
    const std::uint64_t weight = record.tensor.nbytes == core::kUnknown64 ? 0 : record.tensor.nbytes;
    std::uint32_t at = 0;
    const SegmentStarts starts = segment_starts(name);
    for (std::size_t i = 1; i < starts.size(); ++i) at = child(at, name.substr(0, starts[i]));
    nodes_[at].items.emplace_back(true, row);
    for (; at != core::kNone32; at = nodes_[at].parent) nodes_[at].weight += weight;
  }

  std::uint32_t child(std::uint32_t parent, std::string_view path) {
    const auto [found, fresh] = by_path_.try_emplace(path, static_cast<std::uint32_t>(nodes_.size()));
    if (!fresh) return found->second;
    nodes_.push_back({.path = path, .parent = parent, .items = {}, .weight = 0});
    nodes_[parent].items.emplace_back(false, found->second);
    return found->second;
  }

  std::uint64_t weight_of(std::pair<bool, std::uint32_t> item) const {
    if (!item.first) return nodes_[item.second].weight;
    const std::uint64_t bytes = record_of(index_, item.second).tensor.nbytes;
    return bytes == core::kUnknown64 ? 0 : bytes;
  }

  void sort_by_weight(bool descending) {
    for (Node& node : nodes_) {
      std::ranges::stable_sort(node.items, [&](const auto& a, const auto& b) {
        return descending ? weight_of(a) > weight_of(b) : weight_of(a) < weight_of(b);
      });
    }
  }

  // The recursion is bounded: a name has at most kMaxSegments segments.
  void write_items(std::uint32_t number, std::uint32_t section, std::uint32_t depth, std::vector<std::uint32_t>& rows) {
    for (const auto& [is_row, id] : nodes_[number].items) {
      std::uint32_t at = id;
      bool row = is_row;
      while (!row && nodes_[at].items.size() == 1) std::tie(row, at) = std::pair(nodes_[at].items.front());
      if (row) {
        rows.push_back(at);
        order_.section_of_row.push_back(section);
      } else {
        write_branch(at, section, depth, rows);
      }
    }
  }

  void write_branch(std::uint32_t number, std::uint32_t parent, std::uint32_t depth, std::vector<std::uint32_t>& rows) {
    const auto section = static_cast<std::uint32_t>(order_.sections.size());
    order_.sections.push_back({.kind = TableSection::Kind::branch,
                               .first = static_cast<std::uint32_t>(rows.size()),
                               .parent = parent,
                               .depth = depth,
                               .path = std::string(nodes_[number].path)});
    write_items(number, section, depth + 1, rows);
    const auto count = static_cast<std::uint32_t>(rows.size()) - order_.sections[section].first;
    order_.sections[section].count = order_.sections[section].live = count;
  }

  const SnapshotIndex& index_;
  TableOrder& order_;
  std::vector<Node> nodes_;  // the root first
  std::unordered_map<std::string_view, std::uint32_t> by_path_;
};

// For members of one group: the smaller of the extent they cover together and the sum of their own bytes.
MemoryOf memory_of_members(const SnapshotIndex& index, std::span<const std::uint32_t> members) {
  const auto& first = index.tensor(members.front());
  const bool known = std::ranges::none_of(members, [&](auto id) { return index.tensor(id).distinct_bytes == core::kUnknown64; });
  if (members.size() == 1) return {known ? first.distinct_bytes : first.extent.size(), known};
  const core::GroupRecord& group = index.snapshot->groups[first.group];
  if (members.size() == group.members.count && group.distinct_bytes != core::kUnknown64) return {group.distinct_bytes, true};
  std::vector<core::ByteRange> extents;
  std::uint64_t each = 0;
  bool dense = true;
  for (const std::uint32_t id : members) {
    const auto& tensor = index.tensor(id);
    extents.push_back(index.snapshot->compared_extent(tensor));
    each += known ? tensor.distinct_bytes : tensor.extent.size();
    dense = dense && known && tensor.distinct_bytes == tensor.extent.size();
  }
  std::ranges::sort(extents, {}, [](const core::ByteRange& r) { return r.begin; });
  std::uint64_t covered = 0;
  core::Address end = 0;
  for (const core::ByteRange& extent : extents) {
    if (extent.end <= end) continue;
    covered += extent.end - std::max(extent.begin, end);
    end = extent.end;
  }
  return {std::min(covered, each), dense};
}

}  // namespace

MemoryOf memory_of(const SnapshotIndex& index, std::span<const std::uint32_t> tensors) {
  std::vector<std::uint32_t> grouped;
  MemoryOf out;
  for (const std::uint32_t id : tensors) {
    if (id >= index.size()) continue;  // gone
    const auto& tensor = index.tensor(id);
    if (tensor.group != core::kNone32)
      grouped.push_back(id);
    else if (tensor.elements != 0)
      out.exact = false;  // not described, or without a known address: it may have bytes
  }
  std::ranges::stable_sort(grouped, {}, [&](std::uint32_t id) { return index.tensor(id).group; });
  for (std::size_t first = 0; first < grouped.size();) {
    std::size_t last = first + 1;
    while (last < grouped.size() && index.tensor(grouped[last]).group == index.tensor(grouped[first]).group) ++last;
    const MemoryOf some = memory_of_members(index, std::span(grouped).subspan(first, last - first));
    out.bytes += some.bytes;
    out.exact = out.exact && some.exact;
    first = last;
  }
  return out;
}

void make_branches(const SnapshotIndex& index, TableOrder& order, const std::stop_token& stop) {
  TreeMaker maker(index, order);
  order.section_of_row.reserve(order.rows.size());
  if (maker.plant(stop)) maker.write();
}

}  // namespace dlscope::app
