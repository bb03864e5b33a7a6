#include "core/transfer/strided_copy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/workers.h"
#include "core/transfer/copy_method.h"
#include "core/transfer/copy_plan.h"
#include "core/transfer/copy_rectangle.h"

namespace dlscope::core {
namespace {

constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);
constexpr std::int64_t kBetweenStops = std::int64_t{4} << 20;  // bytes copied between two checks of the stop token

// ---- Outer loops -----------------------------------------------------------------------------------------------------

// One thread's part. Long inner rectangles are divided, to check for a stop in between.
class Copier {
 public:
  Copier(const CopyWalk& walk, std::stop_token stop) : walk_(walk), stop_(std::move(stop)) {
    across_ = std::min(walk.across.count, kPanel);
    const std::int64_t row = across_ * walk.item;
    inner_ = std::max<std::int64_t>(kBetweenStops / std::max<std::int64_t>(row, 1) / kLine * kLine, kLine);
    bytes_each_ = walk.inner.count * walk.across.count * walk.item;
  }

  [[nodiscard]] bool copy(std::size_t axis, const std::byte* from, std::byte* to) {
    if (axis == walk_.outer.size()) return copy_pieces(from, to);
    const CopyAxis& outer = walk_.outer[axis];
    for (std::int64_t i = 0; i < outer.count; ++i) {
      if (!copy(axis + 1, from + i * outer.from, to + i * outer.to)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool copy_pieces(const std::byte* from, std::byte* to) {
    if (bytes_each_ <= kBetweenStops || walk_.method == CopyMethod::join) {
      copy_rectangle(walk_, from, to);
      since_look_ += bytes_each_;
      return since_look_ < kBetweenStops || look();
    }
    CopyRectangle part = walk_;
    for (std::int64_t a = 0; a < walk_.across.count; a += across_) {
      part.across.count = std::min(across_, walk_.across.count - a);
      for (std::int64_t i = 0; i < walk_.inner.count; i += inner_) {
        part.inner.count = std::min(inner_, walk_.inner.count - i);
        copy_rectangle(part, from + a * walk_.across.from + i * walk_.inner.from, to + a * walk_.across.to + i * walk_.inner.to);
        if (!look()) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool look() {
    since_look_ = 0;
    return !stop_.stop_requested();
  }

  const CopyWalk& walk_;
  std::stop_token stop_;
  std::int64_t across_ = 1, inner_ = 1;  // how much of each axis is copied between two checks
  std::int64_t bytes_each_ = 0, since_look_ = 0;
};

// ---- Threads ---------------------------------------------------------------------------------------------------------

// The longest of the axes that can be divided among threads; the inner axis only at cache lines of the target.
CopyAxis& axis_to_cut(CopyWalk& walk, std::int64_t& unit) {
  unit = 1;
  for (CopyAxis& axis : walk.outer) {
    if (axis.count >= 8) return axis;
  }
  if (walk.across.count > walk.inner.count) return walk.across;
  unit = kLine;
  return walk.inner;
}

bool copy_walk(CopyWalk walk, const std::byte* from, std::byte* to, const CopyOptions& options) {
  constexpr std::int64_t kWorthAThread = std::int64_t{1} << 20;
  std::int64_t bytes = walk.item * walk.inner.count * walk.across.count;
  for (const CopyAxis& axis : walk.outer) bytes *= axis.count;
  const std::int64_t threads = std::clamp<std::int64_t>(bytes / kWorthAThread, 1, std::max(1u, options.threads));
  if (threads == 1) return Copier(walk, options.stop).copy(0, from, to);
  std::int64_t unit = 1;
  CopyAxis& cut = axis_to_cut(walk, unit);
  const CopyAxis all = cut;
  const std::int64_t each = (all.count / threads + unit - 1) / unit * unit + unit;
  struct Part {
    CopyWalk walk;
    const std::byte* from;
    std::byte* to;
  };
  std::vector<Part> parts;  // made here, so that the threads allocate nothing
  parts.reserve(static_cast<std::size_t>(threads));
  for (std::int64_t begin = 0; begin < all.count; begin += each) {
    cut.count = std::min(each, all.count - begin);
    parts.push_back({walk, from + begin * all.from, to + begin * all.to});
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_stopped = false;
  run_workers(parts.size(), [&](std::size_t) {
    for (std::size_t i = next++; i < parts.size() && !is_stopped; i = next++) {
      if (!Copier(parts[i].walk, options.stop).copy(0, parts[i].from, parts[i].to)) is_stopped = true;
    }
  });
  return !is_stopped;
}

bool copy_whole(const std::byte* from, std::byte* to, std::int64_t bytes, const CopyOptions& options) {
  CopyPlan plan;
  plan.item = 1;
  const Store store = bytes >= kStreamBytes ? Store::stream : Store::cached;
  if (options.threads <= 1) {
    for (std::int64_t at = 0; at < bytes; at += kBetweenStops) {
      copy_run(from + at, to + at, std::min(kBetweenStops, bytes - at), store);
      if (options.stop.stop_requested()) return at + kBetweenStops >= bytes;
    }
    return true;
  }
  CopyWalk walk;
  walk.item = std::min<std::int64_t>(bytes, 1 << 16);
  walk.inner = {bytes / walk.item, walk.item, walk.item};
  walk.across.count = 1;
  walk.store = store;
  const std::int64_t even = walk.inner.count * walk.item;
  std::memcpy(to + even, from + even, static_cast<std::size_t>(bytes - even));
  return copy_walk(std::move(walk), from, to, options);
}

// ---- Bits ------------------------------------------------------------------------------------------------------------

void copy_bits(const std::byte* from, std::int64_t from_bit, std::byte* to, std::int64_t to_bit, std::int64_t count) {
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t s = from_bit + done, t = to_bit + done;
    const std::int64_t n = std::min({count - done, 8 - (s & 7), 8 - (t & 7)});
    const auto mask = static_cast<unsigned>((1u << n) - 1);
    const unsigned bits = std::to_integer<unsigned>(from[s >> 3]) >> (s & 7) & mask;
    const unsigned kept = std::to_integer<unsigned>(to[t >> 3]) & ~(mask << (t & 7));
    to[t >> 3] = static_cast<std::byte>(kept | bits << (t & 7));
    done += n;
  }
}

bool copy_in_bits(const CopyPlan& plan, std::size_t axis, const std::byte* from, std::int64_t from_bit, std::byte* to,
                  std::int64_t to_bit, const std::stop_token& stop) {
  if (axis == plan.rank) {
    copy_bits(from, from_bit, to, to_bit, plan.item);
    return true;
  }
  const CopyAxis& outer = plan.axes[axis];
  for (std::int64_t i = 0; i < outer.count; ++i) {
    if (!copy_in_bits(plan, axis + 1, from, from_bit + i * outer.from, to, to_bit + i * outer.to, stop)) return false;
    if ((i & 0xffff) == 0xffff && stop.stop_requested()) return false;
  }
  return true;
}

}  // namespace

bool copy_strided(const std::byte* from, LayoutView from_layout, std::byte* to, LayoutView to_layout,
                  const CopyOptions& options) {
  const CopyPlan plan = plan_copy(from_layout, to_layout);
  if (plan.empty) return true;
  if (!plan.in_bytes) return copy_in_bits(plan, 0, from, plan.from_start, to, plan.to_start, options.stop);
  if (plan.rank == 0) return copy_whole(from + plan.from_start, to + plan.to_start, plan.item, options);
  CopyWalk walk = make_walk(plan, to);
  const std::byte* start = from + plan.from_start;
  std::byte* target = to + plan.to_start;
  if (walk.across.from < 0) {
    start += (walk.across.count - 1) * walk.across.from;
    target += (walk.across.count - 1) * walk.across.to;
    walk_downwards(walk);
  }
  return copy_walk(std::move(walk), start, target, options);
}

std::string copy_method_text(LayoutView from, LayoutView to) {
  const CopyPlan plan = plan_copy(from, to);
  if (plan.empty) return "nothing to copy";
  if (!plan.in_bytes) return "in bits";
  if (plan.rank == 0) return "memcpy";
  CopyWalk walk = make_walk(plan, nullptr);
  if (walk.across.from < 0) walk_downwards(walk);
  switch (walk.method) {
    case CopyMethod::run:
      return "runs of " + std::to_string(walk.item) + " bytes";
    case CopyMethod::reverse:
      return "reversed";
    case CopyMethod::spread:
      return "strided, one element after the other";
    case CopyMethod::repeat:
      return "one element repeated";
    case CopyMethod::transpose:
      return fills_tiles(walk) ? "transposed in tiles" : "transposed in blocks";
    case CopyMethod::split:
      return "groups of elements split";
    case CopyMethod::join:
      return "groups of elements joined";
    case CopyMethod::scattered:
      break;
  }
  return "strided, in squares of cache lines";
}

}  // namespace dlscope::core
