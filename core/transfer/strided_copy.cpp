#include "core/transfer/strided_copy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/workers.h"
#include "core/transfer/copy_kernels.h"
#include "core/transfer/copy_plan.h"

namespace dlscope::core {
namespace {

// Larger copies use non-temporal stores: the target would be evicted from the caches before anyone reads it.
constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;
constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);
// Rows of the target that a rectangle is copied to at a time: few enough for their pages to stay in the TLB.
constexpr std::int64_t kPanel = 512;
constexpr std::int64_t kBetweenStops = std::int64_t{4} << 20;  // bytes copied between two checks of the stop token

// Which inner loop copies the one or two innermost axes.
enum class CopyMethod : std::uint8_t {
  run,        // large items: one memcpy after the other
  reverse,    // the target's axis is reversed in the source
  spread,     // one axis is innermost in both, with gaps
  repeat,     // broadcast: one source element along the target's axis
  transpose,  // contiguous along one axis in the source, along the other in the target
  split,      // de-interleave groups of two to four elements
  join,       // interleave groups of two to four elements
  scattered   // none of these: element by element, in squares
};

// What an inner loop copies.
struct Rectangle {
  CopyMethod method = CopyMethod::run;
  CopyAxis inner;   // the axis with the smallest stride in the target
  CopyAxis across;  // the axis with the smallest stride in the source, if that is another one; else count 1
  std::int64_t item = 1;
  std::size_t log_item = 0;  // log2 of the item size, for items of 1, 2, 4 or 8 bytes
  bool has_kernel = false;   // the item has such a size
  Store store = Store::cached;
};

struct Walk : Rectangle {
  std::vector<CopyAxis> outer;
};

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

// ---- Choosing --------------------------------------------------------------------------------------------------------

bool makes_groups(std::int64_t count, std::int64_t pitch, std::int64_t item) {
  return pitch % item == 0 && pitch / item >= 2 && pitch / item <= 4 && count >= 1 && count <= pitch / item;
}

// Whether the rectangle is large enough for CopyKernels::transpose_tiles, and its items are of a size that these know.
bool fills_tiles(const Rectangle& walk) {
  return std::ranges::find(kTileItems, walk.item) != kTileItems.end() && walk.inner.count * walk.item >= 2 * kLine &&
         walk.across.count * walk.item >= 2 * kLine;
}

CopyMethod choose_method(const Walk& walk) {
  const CopyAxis& inner = walk.inner;
  const CopyAxis& across = walk.across;
  const std::int64_t item = walk.item;
  const bool dense = walk.has_kernel && inner.to == item;
  if (across.count > 1) {
    const bool transposable = inner.to == item && across.from == item;
    if (transposable && walk.has_kernel) {
      if (makes_groups(across.count, inner.from, item)) return CopyMethod::split;
      if (inner.count <= 4 && across.to == inner.count * item) return CopyMethod::join;
      return CopyMethod::transpose;
    }
    return transposable && fills_tiles(walk) ? CopyMethod::transpose : CopyMethod::scattered;
  }
  if (dense && inner.from == -item) return CopyMethod::reverse;
  if (inner.from == 0) return CopyMethod::repeat;
  return dense && makes_groups(1, inner.from, item) ? CopyMethod::split : CopyMethod::spread;
}

// Whether every row of the target begins at a cache line.
bool lines_up(const CopyPlan& plan, const std::byte* to) {
  std::int64_t all = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) + plan.to_start;
  for (const CopyAxis& axis : std::span(plan.axes).first(plan.rank)) {
    if (axis.to >= kLine) all |= axis.to;
  }
  return all % kLine == 0;
}

std::int64_t bytes_of(const CopyPlan& plan) {
  std::int64_t bytes = plan.item;
  for (const CopyAxis& axis : std::span(plan.axes).first(plan.rank)) bytes *= axis.count;
  return bytes;
}

// Chooses the inner axes and loop. `plan` must have at least one axis and be in bytes.
Walk make_walk(const CopyPlan& plan, const std::byte* to) {
  constexpr std::int64_t kLongRun = 32;
  Walk walk;
  walk.item = plan.item;
  walk.has_kernel = plan.item <= 8 && std::has_single_bit(static_cast<std::uint64_t>(plan.item));
  if (walk.has_kernel) walk.log_item = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(plan.item)));
  walk.outer.assign(plan.axes.begin(), plan.axes.begin() + static_cast<std::ptrdiff_t>(plan.rank));
  walk.across.count = 1;
  const bool runs = plan.item >= kLongRun;
  walk.inner = walk.outer.back();
  walk.outer.pop_back();
  if (!runs) {
    const auto closest =
        std::ranges::min_element(walk.outer, {}, [](const CopyAxis& a) { return a.from == 0 ? INT64_MAX : magnitude(a.from); });
    if (closest != walk.outer.end() && closest->from != 0 && magnitude(closest->from) < magnitude(walk.inner.from)) {
      walk.across = *closest;
      walk.outer.erase(closest);
    }
  }
  walk.method = runs ? CopyMethod::run : choose_method(walk);
  // Where rows do not begin at cache lines, the lines at both of their ends are written in part: short rows would gain nothing.
  // Nor do bytes, whose tiles take longer to transpose than to write.
  const bool may_stream =
      walk.method != CopyMethod::transpose || lines_up(plan, to) || (walk.item > 1 && walk.inner.count * walk.item >= 8 * kLine);
  if (bytes_of(plan) >= kStreamBytes && may_stream) walk.store = Store::stream;
  // Axes with a small stride in either memory become the innermost of the outer loops.
  std::ranges::stable_sort(walk.outer, std::ranges::greater{},
                           [](const CopyAxis& a) { return std::min(magnitude(a.from), a.to); });
  return walk;
}

// An axis that is reversed in the source is reversed in both: the target is then walked downwards along it.
void walk_downwards(Walk& walk) {
  walk.across.from = -walk.across.from;
  walk.across.to = -walk.across.to;
  walk.method = choose_method(walk);
}

// ---- Inner loops -----------------------------------------------------------------------------------------------------

// Uses non-temporal stores for runs of at least a page.
void copy_run(const std::byte* from, std::byte* to, std::int64_t bytes, Store store) {
  constexpr std::int64_t kLongEnough = 4096;
  if (store == Store::cached || bytes < kLongEnough) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const std::int64_t head = std::min(bytes, -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (kLine - 1));
  const std::int64_t whole = (bytes - head) / kLine * kLine;
  std::memcpy(to, from, static_cast<std::size_t>(head));
  copy_kernels().stream(from + head, to + head, static_cast<std::size_t>(whole));
  std::memcpy(to + head + whole, from + head + whole, static_cast<std::size_t>(bytes - head - whole));
}

void copy_runs(const Rectangle& walk, const std::byte* from, std::byte* to) {
  constexpr std::int64_t kShort = 1024;
  const CopyAxis& inner = walk.inner;
  if (walk.item <= kShort) {
    copy_kernels().copy_runs(from, inner.from, to, inner.to, static_cast<std::size_t>(walk.item),
                             static_cast<std::size_t>(inner.count), walk.store);
    return;
  }
  for (std::int64_t i = 0; i < inner.count; ++i) copy_run(from + i * inner.from, to + i * inner.to, walk.item, walk.store);
}

// Calls `loop` with a copy function for a compile-time item size, so that copying an item is a load and a store.
template <class Loop>
void with_item_size(std::int64_t item, Loop loop) {
  const auto fixed = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
    loop([](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  };
  switch (item) {
    case 1:
      return fixed(std::integral_constant<std::size_t, 1>());
    case 2:
      return fixed(std::integral_constant<std::size_t, 2>());
    case 3:
      return fixed(std::integral_constant<std::size_t, 3>());
    case 4:
      return fixed(std::integral_constant<std::size_t, 4>());
    case 6:
      return fixed(std::integral_constant<std::size_t, 6>());
    case 8:
      return fixed(std::integral_constant<std::size_t, 8>());
    case 12:
      return fixed(std::integral_constant<std::size_t, 12>());
    case 16:
      return fixed(std::integral_constant<std::size_t, 16>());
    case 24:
      return fixed(std::integral_constant<std::size_t, 24>());
    default:
      loop([item](std::byte* to, const std::byte* from) { std::memcpy(to, from, static_cast<std::size_t>(item)); });
  }
}

void copy_spread(const CopyAxis& axis, std::int64_t item, const std::byte* from, std::byte* to) {
  with_item_size(item, [&](auto copy_item) {
    for (std::int64_t i = 0; i < axis.count; ++i) copy_item(to + i * axis.to, from + i * axis.from);
  });
}

// Fills by copying what has been written so far, doubling it each time.
void copy_repeat(const CopyAxis& axis, std::int64_t item, const std::byte* from, std::byte* to) {
  if (axis.to != item) return copy_spread(axis, item, from, to);
  const std::int64_t bytes = axis.count * item;
  std::memcpy(to, from, static_cast<std::size_t>(item));
  for (std::int64_t have = item; have < bytes; have *= 2)
    std::memcpy(to + have, to, static_cast<std::size_t>(std::min(have, bytes - have)));
}

// Copies element by element, in squares of cache lines, so that each
// line of either memory is used completely while it is in the cache.
void copy_scattered(const Rectangle& walk, const std::byte* from, std::byte* to) {
  const std::int64_t side = std::max<std::int64_t>(1, kLine / walk.item);
  const CopyAxis &inner = walk.inner, &across = walk.across;
  with_item_size(walk.item, [&](auto copy_item) {
    const auto copy_square = [&](std::int64_t a, std::int64_t i) {
      const std::int64_t a_end = std::min(a + side, across.count), i_end = std::min(i + side, inner.count);
      for (std::int64_t x = a; x < a_end; ++x) {
        for (std::int64_t y = i; y < i_end; ++y)
          copy_item(to + x * across.to + y * inner.to, from + x * across.from + y * inner.from);
      }
    };
    // For small items fewer rows at a time, so that they fit into the level-1 cache.
    const std::int64_t width = walk.item >= 16 ? kPanel : side;
    for (std::int64_t panel = 0; panel < across.count; panel += width) {
      const std::int64_t end = std::min(panel + width, across.count);
      for (std::int64_t i = 0; i < inner.count; i += side) {
        for (std::int64_t a = panel; a < end; a += side) copy_square(a, i);
      }
    }
  });
}

void copy_transposed(const Rectangle& walk, const std::byte* from, std::byte* to) {
  const CopyKernels& kernels = copy_kernels();
  const TransposedRect rect{from, to, walk.inner.count, walk.across.count, walk.inner.from, walk.across.to};
  if (walk.has_kernel && !fills_tiles(walk)) return kernels.transpose_blocks[walk.log_item](rect);
  kernels.transpose_tiles[std::ranges::find(kTileItems, walk.item) - kTileItems.begin()](rect, walk.store);
}

void copy_split(const Rectangle& walk, const std::byte* from, std::byte* to) {
  std::byte* targets[4];
  const auto channels = static_cast<std::size_t>(walk.across.count);
  for (std::size_t c = 0; c < channels; ++c) targets[c] = to + static_cast<std::int64_t>(c) * walk.across.to;
  copy_kernels().split[walk.log_item](from, static_cast<std::size_t>(walk.inner.from / walk.item),
                                      std::span(targets).first(channels), static_cast<std::size_t>(walk.inner.count));
}

void copy_joined(const Rectangle& walk, const std::byte* from, std::byte* to) {
  const std::byte* sources[4];
  const auto channels = static_cast<std::size_t>(walk.inner.count);
  for (std::size_t c = 0; c < channels; ++c) sources[c] = from + static_cast<std::int64_t>(c) * walk.inner.from;
  copy_kernels().join[walk.log_item](std::span(sources).first(channels), to, static_cast<std::size_t>(walk.across.count));
}

void copy_inner(const Rectangle& walk, const std::byte* from, std::byte* to) {
  const CopyAxis& inner = walk.inner;
  switch (walk.method) {
    case CopyMethod::run:
      return copy_runs(walk, from, to);
    case CopyMethod::reverse:
      return copy_kernels().reverse[walk.log_item](from, to, static_cast<std::size_t>(inner.count));
    case CopyMethod::spread:
      return copy_spread(inner, walk.item, from, to);
    case CopyMethod::repeat:
      return copy_repeat(inner, walk.item, from, to);
    case CopyMethod::transpose:
      return copy_transposed(walk, from, to);
    case CopyMethod::split:
      return copy_split(walk, from, to);
    case CopyMethod::join:
      return copy_joined(walk, from, to);
    case CopyMethod::scattered:
      return copy_scattered(walk, from, to);
  }
}

// ---- Outer loops -----------------------------------------------------------------------------------------------------

// One thread's part. Long inner rectangles are divided, to check for a stop in between.
class Copier {
 public:
  Copier(const Walk& walk, std::stop_token stop) : walk_(walk), stop_(std::move(stop)) {
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
      copy_inner(walk_, from, to);
      since_look_ += bytes_each_;
      return since_look_ < kBetweenStops || look();
    }
    Rectangle part = walk_;
    for (std::int64_t a = 0; a < walk_.across.count; a += across_) {
      part.across.count = std::min(across_, walk_.across.count - a);
      for (std::int64_t i = 0; i < walk_.inner.count; i += inner_) {
        part.inner.count = std::min(inner_, walk_.inner.count - i);
        copy_inner(part, from + a * walk_.across.from + i * walk_.inner.from, to + a * walk_.across.to + i * walk_.inner.to);
        if (!look()) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool look() {
    since_look_ = 0;
    return !stop_.stop_requested();
  }

  const Walk& walk_;
  std::stop_token stop_;
  std::int64_t across_ = 1, inner_ = 1;  // how much of each axis is copied between two checks
  std::int64_t bytes_each_ = 0, since_look_ = 0;
};

// ---- Threads ---------------------------------------------------------------------------------------------------------

// The longest of the axes that can be divided among threads; the inner axis only at cache lines of the target.
CopyAxis& axis_to_cut(Walk& walk, std::int64_t& unit) {
  unit = 1;
  for (CopyAxis& axis : walk.outer) {
    if (axis.count >= 8) return axis;
  }
  if (walk.across.count > walk.inner.count) return walk.across;
  unit = kLine;
  return walk.inner;
}

bool copy_walk(Walk walk, const std::byte* from, std::byte* to, const CopyOptions& options) {
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
    Walk walk;
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
  Walk walk;
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
  Walk walk = make_walk(plan, to);
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
  Walk walk = make_walk(plan, nullptr);
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
