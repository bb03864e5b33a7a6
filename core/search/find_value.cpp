#include "core/search/find_value.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/base/workers.h"

namespace dlscope::core {
namespace {

// Still in a cache when it is tested. Smaller ones take longer: after each call of the system, reading begins anew, page by page.
constexpr std::uint64_t kWindowBytes = 1 << 20;
constexpr std::size_t kBlockBytes = 16 << 10;      // tested together; in one with a match the first ones are looked for
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

}  // namespace

FindValueTask::FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader,
                             ValueTest test, std::uint64_t from, unsigned threads)
    : snapshot_(std::move(snapshot)),
      reader_(std::move(reader)),
      values_(searched_values(*snapshot_, snapshot_->tensors[tensor])),
      unit_(values_.dtype.code == kItemCode ? std::max<unsigned>(1, values_.dtype.lanes) : 1),
      test_(std::move(test)),
      order_(values_.layout, values_.dtype, values_.address),
      first_(values_.layout, order_, values_.dtype.lanes, unit_, from),
      in_element_order_(order_.repeats() == 1 && rises(order_.indices())),
      threads_(threads),
      window_(std::max<std::uint64_t>(1, window_values(order_.value_bits()) / unit_) * unit_),
      chunks_((order_.places() + window_ - 1) / window_) {}

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
    Places places{chunk * window_, std::min(order_.places(), (chunk + 1) * window_)};
    while (places.from < places.to) {
      const auto window = worker.values.read(places.from, places.to, unit_);
      if (!window) {
        const std::lock_guard lock(leaving_);
        left_.push_back(places);
        stopped_ = true;
        return;
      }
      search(worker, *window, places.from);
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
      search(worker, *window, places.from);
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

void FindValueTask::search(Worker& worker, const ElementReader::Window& window, std::uint64_t place) const {
  const std::size_t each = worker.values.value_bytes() * unit_;
  const std::uint64_t count = window.count / unit_;  // the bytes of an item are its innermost axis, so a window has whole items
  const std::uint64_t block = std::max<std::uint64_t>(1, kBlockBytes / each);
  for (std::uint64_t done = 0; done < count; done += block) {
    const std::uint64_t some = std::min(block, count - done);
    const std::byte* const values = window.data + done * each;
    const std::uint64_t matches = test_.count({values, some * each}, each);
    if (matches > 0) worker.tested += first_.look(test_, values, each, some, place + done * unit_, worker.found);
    worker.found.matches += matches * order_.repeats();
  }
  worker.tested += count;
  worker.found.searched += count * order_.repeats();
}

// For a stretch in which some values cannot be read.
void FindValueTask::search_one_by_one(Worker& worker, Places& places) const {
  for (const std::uint64_t to = std::min(places.to, places.from + kPlacesAtATime * unit_); places.from < to; places.from += unit_) {
    if (const auto value = worker.values.read(places.from, places.from + unit_, unit_)) {
      search(worker, *value, places.from);
    } else {
      worker.found.searched += order_.repeats();
      worker.found.unreadable += order_.repeats();
    }
  }
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
