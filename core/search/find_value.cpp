#include "core/search/find_value.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "core/base/clock.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWindowBytes = 256 << 10;  // so that it stays in the level-2 cache between reading and testing
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
                             ValueTest test, std::uint64_t from)
    : snapshot_(std::move(snapshot)),
      reader_(std::move(reader)),
      layout_(snapshot_->layout(snapshot_->tensors[tensor])),
      elements_(snapshot_->tensors[tensor].elements),
      lanes_(std::max<unsigned>(1, snapshot_->tensors[tensor].dtype.lanes)),
      test_(test),
      from_(from),
      order_(layout_, snapshot_->tensors[tensor].dtype, snapshot_->tensors[tensor].address),
      values_(order_, ElementSource::checked(*reader_), window_values(order_.value_bits())),
      in_element_order_(order_.repeats() == 1 && rises(order_.indices())) {}

Result<Task::State> FindValueTask::step() {
  const std::int64_t ends = monotonic_ns() + kStepNs;
  while (place_ < order_.places() && monotonic_ns() < ends) {
    if (const auto window = values_.read(place_, order_.places(), 1)) {
      search(window->data, window->count, place_);
      place_ += window->count;
    } else if (reader_->last_answer() != MemoryReader::Answer::now) {
      return std::unexpected(window.error());
    } else {
      search_one_by_one(std::min(order_.places(), place_ + kPlacesAtATime));
    }
  }
  return place_ == order_.places() ? State::done : State::more;
}

void FindValueTask::search(const std::byte* values, std::uint64_t count, std::uint64_t place) {
  found_.searched += count * order_.repeats();
  const std::size_t each = values_.value_bytes();
  const std::span all(values, count * each);
  // If memory order is element order, the first matches are the ones to name, and the others are only counted.
  const auto is_settled = [&] { return in_element_order_ && found_.next; };
  std::uint64_t visited = 0;
  if (!is_settled()) {
    visited = test_.each_match(all, each, [&](std::uint64_t at) {
      note_match(place + at);
      return !is_settled();
    });
  }
  found_.matches += test_.count(all.subspan(visited * each), each);
  tested_ += 2 * visited + (count - visited);
}

// For a stretch in which some values cannot be read.
void FindValueTask::search_one_by_one(std::uint64_t to) {
  for (; place_ < to; ++place_) {
    if (const auto value = values_.read(place_, place_ + 1, 1)) {
      search(value->data, 1, place_);
    } else {
      found_.searched += order_.repeats();
      found_.unreadable += order_.repeats();
    }
  }
}

void FindValueTask::note_match(std::uint64_t place) {
  found_.matches += order_.repeats();
  const std::uint64_t element = static_cast<std::uint64_t>(order_.indices().at(place)) / lanes_;
  found_.first = std::min(found_.first.value_or(element), element);
  if (from_ >= elements_ || (order_.repeats() == 1 && element < from_)) return;
  if (const auto next = first_not_below(layout_, element, from_)) found_.next = std::min(found_.next.value_or(*next), *next);
}

TaskProgress FindValueTask::progress() const {
  const std::uint64_t bits = order_.value_bits();
  return {place_ * bits / 8, order_.places() * bits / 8};  // no overflow: the layout has been validated
}

}  // namespace dlscope::core
