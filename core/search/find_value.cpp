#include "core/search/find_value.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "core/base/clock.h"
#include "core/base/workers.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWindowBytes = 256 << 10;  // so that it stays in the level-2 cache between reading and testing
constexpr std::uint64_t kChunkWindows = 4;         // that a thread searches before it looks at the time
constexpr std::uint64_t kPlacesAtATime = 4096;     // step size where some places cannot be read

std::uint64_t window_values(unsigned value_bits) {
  return std::max<std::uint64_t>(1, kWindowBytes * 8 / std::max(8u, value_bits));
}

// Whether the C-order index increases with every place.
bool rises(const AffineAxes& indices) {
  std::int64_t longest = 0;  // the index distance that the inner axes span
  for (const AffineAxes::Axis& axis : indices.axes) {
    if (axis.step <= longest) return false;
    longest += axis.step * static_cast<std::int64_t>(axis.count - 1);
  }
  return true;
}

// Elements that differ only on axes of stride 0 are one place; `lowest` is the one with index 0 on all of these axes. Returns the
// lowest C-order index >= `from` among them. The indices are treated as digits: those of stride-0 axes are free and copied from
// `from`; if a fixed digit is then smaller than that of `from`, the last free digit before it is increased.
std::optional<std::uint64_t> first_not_below(LayoutView layout, std::uint64_t lowest, std::uint64_t from) {
  if (lowest >= from) return lowest;
  const auto rank = static_cast<std::size_t>(layout.rank());
  std::array<std::int64_t, kMaxRank> digits{}, wanted{};
  unravel(layout, lowest, std::span(digits).first(rank));
  unravel(layout, from, std::span(wanted).first(rank));
  const auto number = [&](std::size_t equal, bool grow) {
    std::uint64_t value = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool is_free = layout.stride_bits[d] == 0;
      std::int64_t digit = digits[d];
      if (is_free && d < equal) digit = wanted[d];
      if (is_free && d == equal && grow) digit = wanted[d] + 1;
      value = value * static_cast<std::uint64_t>(layout.shape[d]) + static_cast<std::uint64_t>(digit);
    }
    return value;
  };
  std::optional<std::size_t> last_growing;
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.stride_bits[d] == 0) {
      if (wanted[d] + 1 < layout.shape[d]) last_growing = d;
    } else if (digits[d] > wanted[d]) {
      return number(d, false);
    } else if (digits[d] < wanted[d]) {
      return last_growing ? std::optional(number(*last_growing, true)) : std::nullopt;
    }
  }
  return number(rank, false);
}

}  // namespace

FindValueTask::FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader,
                             ValueTest test, std::uint64_t from, unsigned threads)
    : snapshot_(std::move(snapshot)),
      reader_(std::move(reader)),
      values_(searched_values(*snapshot_, snapshot_->tensors[tensor])),
      elements_(snapshot_->tensors[tensor].elements),
      lanes_(std::max<unsigned>(1, values_.dtype.lanes)),
      unit_(values_.dtype.code == kItemCode ? lanes_ : 1),
      test_(std::move(test)),
      from_(from),
      order_(values_.layout, values_.dtype, values_.address),
      in_element_order_(order_.repeats() == 1 && rises(order_.indices())),
      threads_(threads),
      window_(std::max<std::uint64_t>(1, window_values(order_.value_bits()) / unit_) * unit_),
      chunks_((order_.places() + window_ * kChunkWindows - 1) / (window_ * kChunkWindows)) {}

Result<Task::State> FindValueTask::step() {
  const std::int64_t ends = monotonic_ns() + kStepNs;
  const unsigned count = useful_threads(threads_, chunks_);
  while (workers_.size() < count) workers_.push_back({ElementReader(order_, values_.source.read_by(*reader_), window_), {}, 0});
  if (left_.empty()) run_workers(count, [&](std::size_t number) { work(workers_[number], ends); });
  if (const auto searched = search_left(ends); !searched) return std::unexpected(searched.error());
  return done_ == order_.places() ? State::done : State::more;
}

// Chunk after chunk: at least one, however busy the machine is. What is read of a chunk is searched by this thread, so that between two
// steps nothing in front of the next chunk is missing but what is in left_.
void FindValueTask::work(Worker& worker, std::int64_t ends) {
  while (!stopped_) {
    const std::uint64_t chunk = next_++;
    if (chunk >= chunks_) return;
    Places places{chunk * window_ * kChunkWindows, std::min(order_.places(), (chunk + 1) * window_ * kChunkWindows)};
    while (places.from < places.to) {
      const auto window = worker.values.read(places.from, places.to, unit_);
      if (!window) {
        const std::lock_guard lock(leaving_);
        left_.push_back(places);
        stopped_ = true;
        return;
      }
      search(worker, window->data, window->count, places.from);
      places.from += window->count;
      done_ += window->count;
    }
    if (monotonic_ns() >= ends) return;
  }
}

// By the calling thread alone, so that the reader's last answer is the one to what was read here.
Result<void> FindValueTask::search_left(std::int64_t ends) {
  Worker& worker = workers_.front();
  while (!left_.empty()) {
    Places& places = left_.back();
    const std::uint64_t before = places.from;
    if (const auto window = worker.values.read(places.from, places.to, unit_)) {
      search(worker, window->data, window->count, places.from);
      places.from += window->count;
    } else if (reader_->last_status() != MemoryReader::ReadStatus::fresh) {
      return std::unexpected(window.error());
    } else {
      search_one_by_one(worker, places);
    }
    done_ += places.from - before;
    if (places.from == places.to) left_.pop_back();
    if (monotonic_ns() >= ends) return {};
  }
  stopped_ = false;
  return {};
}

void FindValueTask::search(Worker& worker, const std::byte* values, std::uint64_t count, std::uint64_t place) const {
  const std::size_t each = worker.values.value_bytes() * unit_;
  count /= unit_;  // the bytes of an item are its innermost axis, so a window has whole items
  worker.found.searched += count * order_.repeats();
  const std::span all(values, count * each);
  // If memory order is element order, places are the numbers of values, the first matches are the ones to name, and those behind them are
  // only counted.
  const auto is_settled = [&](std::uint64_t at) {
    return in_element_order_ && worker.found.next && *worker.found.next <= (place + at * unit_) / lanes_;
  };
  std::uint64_t visited = 0;
  if (!is_settled(0)) {
    visited = test_.each_match(all, each, [&](std::uint64_t at) {
      note_match(worker.found, place + at * unit_);
      return !is_settled(at);
    });
  }
  worker.found.matches += test_.count(all.subspan(visited * each), each);
  worker.tested += 2 * visited + (count - visited);
}

// For a stretch in which some values cannot be read.
void FindValueTask::search_one_by_one(Worker& worker, Places& places) const {
  for (const std::uint64_t to = std::min(places.to, places.from + kPlacesAtATime * unit_); places.from < to; places.from += unit_) {
    if (const auto value = worker.values.read(places.from, places.from + unit_, unit_)) {
      search(worker, value->data, unit_, places.from);
    } else {
      worker.found.searched += order_.repeats();
      worker.found.unreadable += order_.repeats();
    }
  }
}

void FindValueTask::note_match(ValueMatches& found, std::uint64_t place) const {
  found.matches += order_.repeats();
  const std::uint64_t element = static_cast<std::uint64_t>(order_.indices().at(place)) / lanes_;
  found.first = std::min(found.first.value_or(element), element);
  if (from_ >= elements_ || (order_.repeats() == 1 && element < from_)) return;
  if (const auto next = first_not_below(values_.layout, element, from_)) found.next = std::min(found.next.value_or(*next), *next);
}

ValueMatches FindValueTask::found() const {
  const auto lower = [](const std::optional<std::uint64_t>& a, const std::optional<std::uint64_t>& b) {
    return a && b ? std::min(a, b) : a ? a : b;
  };
  ValueMatches all;
  for (const Worker& worker : workers_) {
    all.matches += worker.found.matches;
    all.searched += worker.found.searched;
    all.unreadable += worker.found.unreadable;
    all.first = lower(all.first, worker.found.first);
    all.next = lower(all.next, worker.found.next);
  }
  return all;
}

bool FindValueTask::next_is_certain() const {
  return found().next && ((in_element_order_ && left_.empty()) || done_ == order_.places());
}

std::uint64_t FindValueTask::tested() const {
  std::uint64_t all = 0;
  for (const Worker& worker : workers_) all += worker.tested;
  return all;
}

TaskProgress FindValueTask::progress() const {
  const std::uint64_t bits = order_.value_bits();
  return {done_ * bits / 8, order_.places() * bits / 8};  // no overflow: the layout has been validated
}

}  // namespace dlscope::core
