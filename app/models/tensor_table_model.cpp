#include "app/models/tensor_table_model.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "app/models/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxCachedRows = 2048;
constexpr std::size_t kStopEvery = 4096;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool contains_folded(std::string_view text, std::string_view folded) {
  const auto found = std::ranges::search(text, folded, {}, lower);
  return !found.empty() || folded.empty();
}

// One word of the filter: where it must, or must not, be found.
struct Term {
  enum class Place : std::uint8_t { anywhere, name, library, dtype, device, badge, shape };
  Place place = Place::anywhere;
  std::string text;  // folded to lower case
  bool negated = false;
};

std::vector<Term> parse_filter(std::string_view filter) {
  static constexpr std::pair<std::string_view, Term::Place> kPlaces[] = {
      {"name:", Term::Place::name},   {"library:", Term::Place::library}, {"lib:", Term::Place::library},
      {"dtype:", Term::Place::dtype}, {"device:", Term::Place::device},   {"badge:", Term::Place::badge},
      {"shape:", Term::Place::shape}};
  std::vector<Term> terms;
  for (std::size_t at = 0; at < filter.size();) {
    const std::size_t end = std::min(filter.find(' ', at), filter.size());
    std::string_view word = filter.substr(at, end - at);
    at = end + 1;
    Term term;
    if (word.size() > 1 && word.front() == '-') {
      term.negated = true;
      word.remove_prefix(1);
    }
    for (const auto& [prefix, place] : kPlaces) {
      if (!word.starts_with(prefix)) continue;
      term.place = place;
      word.remove_prefix(prefix.size());
      break;
    }
    if (word.empty()) continue;
    std::ranges::transform(word, std::back_inserter(term.text), lower);
    terms.push_back(std::move(term));
  }
  return terms;
}

class RowFilter {
 public:
  RowFilter(const SnapshotIndex& index, std::string_view filter) : index_(index), terms_(parse_filter(filter)) {}

  bool keeps(std::uint32_t id) {
    badges_known_ = false;
    return std::ranges::all_of(terms_, [&](const Term& term) { return matches(id, term) != term.negated; });
  }

 private:
  bool matches(std::uint32_t id, const Term& term) {
    const auto in = [&](Term::Place place) { return term.place == place || term.place == Term::Place::anywhere; };
    const core::Snapshot& snapshot = *index_.snapshot;
    const core::TensorRecord& tensor = index_.tensor(id);
    if (in(Term::Place::name)) {
      const auto names = core::Snapshot::slice(snapshot.names, tensor.names);
      if (std::ranges::any_of(names, [&](auto n) { return contains_folded(snapshot.str(n), term.text); })) return true;
    }
    if (in(Term::Place::library) &&
        (contains_folded(snapshot.str(tensor.library), term.text) || contains_folded(snapshot.str(tensor.type), term.text))) {
      return true;
    }
    if (tensor.has_metadata && in(Term::Place::dtype) && contains_folded(core::dtype_name(tensor.dtype), term.text)) return true;
    if (tensor.has_metadata && in(Term::Place::device) && contains_folded(core::device_name(tensor.device), term.text))
      return true;
    if (tensor.has_metadata && term.place == Term::Place::shape &&
        contains_folded(tuple_text(snapshot.shape(tensor)), term.text)) {
      return true;
    }
    return in(Term::Place::badge) && badge_matches(id, term.text);
  }

  bool badge_matches(std::uint32_t id, std::string_view text) {
    if (!badges_known_) {
      badges_.clear();
      append_badges(index_, id, badges_);
      badges_known_ = true;
    }
    const char* layout = contiguity_words(index_.tensor(id).contiguity);
    return contains_folded(layout, text) ||
           std::ranges::any_of(badges_, [&](const Badge& b) { return contains_folded(b.text, text); });
  }

  const SnapshotIndex& index_;
  std::vector<Term> terms_;
  std::vector<Badge> badges_;
  bool badges_known_ = false;
};

template <class Value>
void sort_by(std::vector<std::uint32_t>& rows, bool descending, Value&& value) {
  if (descending)
    std::ranges::stable_sort(rows, std::greater<>(), value);
  else
    std::ranges::stable_sort(rows, std::less<>(), value);
}

// Many rows have few different texts: each is made once and ranked, then the rows are sorted by rank.
template <class Key, class Text>
void sort_by_text(std::vector<std::uint32_t>& rows, bool descending, Key&& key, Text&& text) {
  std::unordered_map<std::uint64_t, std::uint32_t> rank;
  std::vector<std::pair<std::string, std::uint64_t>> texts;
  for (const std::uint32_t id : rows) {
    if (rank.emplace(key(id), 0U).second) texts.emplace_back(text(id), key(id));
  }
  std::ranges::sort(texts, [](const auto& a, const auto& b) { return natural_compare(a.first, b.first) < 0; });
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0 && texts[i].first != texts[i - 1].first) ++last;
    rank[texts[i].second] = last;
  }
  sort_by(rows, descending, [&](std::uint32_t id) { return rank.at(key(id)); });
}

void sort_by_dims(std::vector<std::uint32_t>& rows, bool descending, auto&& dims) {
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    const auto x = dims(a), y = dims(b);
    return descending ? std::ranges::lexicographical_compare(y, x) : std::ranges::lexicographical_compare(x, y);
  });
}

// Unknown sizes sort behind every known one.
std::uint64_t device_key(const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return ~std::uint64_t{0};
  return (std::uint64_t{static_cast<std::uint32_t>(tensor.device.type)} << 32) | static_cast<std::uint32_t>(tensor.device.id);
}

std::uint64_t dtype_key(const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return ~std::uint64_t{0};
  return (std::uint64_t{tensor.dtype.code} << 24) | (std::uint64_t{tensor.dtype.bits} << 16) | tensor.dtype.lanes;
}

void sort_rows(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows) {
  const core::Snapshot& snapshot = *index.snapshot;
  const bool down = query.descending;
  const auto record = [&](std::uint32_t id) -> const core::TensorRecord& { return index.tensor(id); };
  switch (*query.column) {
    case TableColumn::name:
      std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
        const int order = natural_compare(snapshot.name(record(a)), snapshot.name(record(b)));
        return down ? order > 0 : order < 0;
      });
      break;
    case TableColumn::library:
      sort_by_text(
          rows, down, [&](std::uint32_t id) { return std::uint64_t{record(id).library.offset}; },
          [&](std::uint32_t id) { return std::string(snapshot.str(record(id).library)); });
      break;
    case TableColumn::dtype:
      sort_by_text(
          rows, down, [&](std::uint32_t id) { return dtype_key(record(id)); },
          [&](std::uint32_t id) { return record(id).has_metadata ? core::dtype_name(record(id).dtype) : std::string("~"); });
      break;
    case TableColumn::device:
      sort_by_text(
          rows, down, [&](std::uint32_t id) { return device_key(record(id)); },
          [&](std::uint32_t id) { return record(id).has_metadata ? core::device_name(record(id).device) : std::string("~"); });
      break;
    case TableColumn::shape:
      sort_by_dims(rows, down, [&](std::uint32_t id) { return snapshot.shape(record(id)); });
      break;
    case TableColumn::strides:
      sort_by_dims(rows, down, [&](std::uint32_t id) { return snapshot.stride_bits(record(id)); });
      break;
    case TableColumn::bytes:
      sort_by(rows, down, [&](std::uint32_t id) { return record(id).nbytes; });
      break;
    case TableColumn::layout:
      sort_by(rows, down, [&](std::uint32_t id) { return record(id).contiguity; });
      break;
    case TableColumn::badges: {
      std::vector<std::uint32_t> counts(index.size());
      std::vector<Badge> badges;
      for (const std::uint32_t id : rows) {
        badges.clear();
        append_badges(index, id, badges);
        counts[id] = static_cast<std::uint32_t>(badges.size());
      }
      sort_by(rows, down, [&](std::uint32_t id) { return counts[id]; });
      break;
    }
  }
}

TableRow make_row(const SnapshotIndex& index, std::uint32_t id) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(id);
  TableRow row;
  row.name = snapshot.name(tensor);
  row.library = snapshot.str(tensor.library);
  row.type = snapshot.str(tensor.type);
  row.colour = index.colour_of(tensor);
  row.described = tensor.has_metadata;
  if (tensor.has_metadata) {
    row.dtype = core::dtype_name(tensor.dtype);
    row.device = core::device_name(tensor.device);
    row.shape = shape_text(snapshot.shape(tensor));
    if (tensor.has_layout) row.strides = strides_text(snapshot.layout(tensor));
  }
  if (tensor.nbytes != core::kUnknown64) {
    row.bytes = human_bytes(tensor.nbytes);
    row.exact_bytes = exact_bytes(tensor.nbytes);
  }
  if (tensor.has_layout) row.layout = contiguity_words(tensor.contiguity);
  append_badges(index, id, row.badges);
  return row;
}

}  // namespace

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

OrderPtr order_rows(const SnapshotIndex& index, const TableQuery& query, const std::stop_token& stop) {
  auto order = std::make_shared<TableOrder>();
  order->query = query;
  order->rows.resize(index.size());
  std::iota(order->rows.begin(), order->rows.end(), 0U);
  RowFilter filter(index, query.filter);
  std::size_t kept = 0;
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return nullptr;
    if (filter.keeps(id)) order->rows[kept++] = id;
  }
  order->rows.resize(kept);
  if (query.column) sort_rows(index, query, order->rows);
  return stop.stop_requested() ? nullptr : order;
}

void TensorTableModel::show(IndexPtr index, OrderPtr order) {
  index_ = std::move(index);
  order_ = std::move(order);
  rows_.clear();
}

void TensorTableModel::accept(const IndexPtr& index, OrderPtr order) {
  if (index == index_ && order && order->query == query_) order_ = std::move(order);
}

std::optional<std::size_t> TensorTableModel::row_of(std::uint32_t tensor) const {
  if (!order_) return std::nullopt;
  const auto found = std::ranges::find(order_->rows, tensor);
  if (found == order_->rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - order_->rows.begin());
}

const TableRow& TensorTableModel::row(std::uint32_t tensor) {
  const auto found = rows_.find(tensor);
  if (found != rows_.end()) return found->second;
  if (rows_.size() >= kMaxCachedRows) rows_.clear();
  return rows_.emplace(tensor, make_row(*index_, tensor)).first->second;
}

}  // namespace dlscope::app
