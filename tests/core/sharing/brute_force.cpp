#include "tests/core/sharing/brute_force.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/checked_math.h"

namespace dlscope::core::test {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t kMaxElements = 600;
constexpr std::int64_t kSomewhere = std::int64_t{1} << 20;

void limit_elements(Numbers& shape) {
  for (;;) {
    std::int64_t product = 1;
    for (const std::int64_t n : shape) product *= std::max<std::int64_t>(n, 1);
    if (product <= kMaxElements) return;
    std::int64_t& largest = *std::ranges::max_element(shape);
    largest = std::max<std::int64_t>(1, largest / 2);
  }
}

Numbers random_shape(Random& random, int rank) {
  Numbers shape;
  for (int d = 0; d < rank; ++d) {
    const auto kind = pick(random, 0, 19);
    shape.push_back(kind == 0 ? 0 : kind <= 3 ? 1 : pick(random, 2, rank <= 1 ? 60 : rank == 2 ? 16 : 6));
  }
  limit_elements(shape);
  return shape;
}

std::uint32_t random_item_bits(Random& random) {
  static constexpr std::uint32_t kBits[] = {8, 8, 16, 32, 32, 64, 128, 24};
  return kBits[pick(random, 0, 7)];
}

std::uint32_t random_packed_bits(Random& random) {
  static constexpr std::uint32_t kBits[] = {4, 4, 4, 4, 2, 1, 6, 12, 3};
  return kBits[pick(random, 0, 8)];
}

void shuffle_axes(Random& random, Layout& layout) {
  for (std::size_t i = layout.shape.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(i) - 1));
    std::swap(layout.shape[i - 1], layout.shape[j]);
    std::swap(layout.stride_bits[i - 1], layout.stride_bits[j]);
  }
}

// x[start:stop:step, ...] of a dense array, some axes reversed, some dropped, then permuted. Returns the first bit.
std::int64_t slice(Random& random, Layout& layout) {
  std::int64_t first_bit = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    std::int64_t& n = layout.shape[d];
    if (n < 2 || pick(random, 0, 3) == 0) continue;
    const std::int64_t step = pick(random, 1, std::min<std::int64_t>(n, 4));
    const std::int64_t start = pick(random, 0, n - 1);
    first_bit += start * layout.stride_bits[d];
    n = pick(random, 1, (n - start + step - 1) / step);
    layout.stride_bits[d] *= step;
    if (pick(random, 0, 3) == 0) {  // reversed
      first_bit += (n - 1) * layout.stride_bits[d];
      layout.stride_bits[d] = -layout.stride_bits[d];
    }
  }
  shuffle_axes(random, layout);
  return first_bit;
}

Layout sliding_windows(Random& random) {
  const std::uint32_t bits = random_item_bits(random);
  const std::int64_t step = pick(random, 1, 3);
  const std::int64_t rows = pick(random, 1, 12);
  const std::int64_t width = pick(random, 1, 6);
  Layout layout = Layout::from_element_strides({rows, width}, {step, 1}, bits);
  if (pick(random, 0, 1) == 0) {
    const std::int64_t pitch = pick(random, 5, 60);
    layout.shape.insert(layout.shape.end(), {pick(random, 1, 4), pick(random, 1, 3)});
    layout.stride_bits.insert(layout.stride_bits.end(), {pitch * bits, pitch * bits});
  }
  shuffle_axes(random, layout);
  limit_elements(layout.shape);
  return layout;
}

Layout random_strides(Random& random, std::uint32_t item_bits, std::int64_t unit_bits, std::int64_t largest) {
  Layout layout{random_shape(random, static_cast<int>(pick(random, 0, 6))), {}, item_bits};
  for (std::size_t d = 0; d < layout.shape.size(); ++d) layout.stride_bits.push_back(pick(random, -largest, largest) * unit_bits);
  return layout;
}

}  // namespace

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

OwnedView make_view(Layout layout, Address address) {
  const auto bounds = validate(layout);
  if (!bounds) throw std::invalid_argument(bounds.error().message);
  const auto extent = extent_of(*bounds, address);
  if (!extent) throw std::invalid_argument(extent.error().message);
  return {std::move(layout), address, *extent};
}

std::map<Address, std::uint64_t> touched_bytes(const OwnedView& view) {
  std::map<Address, std::uint64_t> bytes;
  std::uint64_t elements = 1;
  for (const std::int64_t n : view.layout.shape) elements *= static_cast<std::uint64_t>(n);
  for (std::uint64_t flat = 0; flat < elements; ++flat) {
    const std::int64_t bit = bit_offset_of(view.layout, flat);
    for (std::int64_t byte = floor_div(bit, 8); byte < ceil_div(bit + view.layout.item_bits, 8); ++byte) {
      bytes.emplace(view.address + static_cast<std::uint64_t>(byte), flat);  // keeps the first, smallest number
    }
  }
  return bytes;
}

Overlap expected_overlap(const OwnedView& a, const OwnedView& b) {
  const auto in_a = touched_bytes(a);
  const auto in_b = touched_bytes(b);
  Overlap out{.relation = Relation::disjoint, .method = OverlapMethod::extent, .shared_bytes = 0, .witness = std::nullopt};
  std::uint64_t common = 0;
  for (const auto& [address, flat] : in_a) {
    const auto found = in_b.find(address);
    if (found == in_b.end()) continue;
    if (common++ == 0) out.witness = Witness{address, flat, found->second};
  }
  out.shared_bytes = common;
  if (in_a.empty() || in_b.empty() || !a.extent.meets(b.extent)) return out;
  if (common == 0)
    out.relation = Relation::interleaved;
  else if (common == in_a.size() && common == in_b.size())
    out.relation = Relation::identical;
  else if (common == in_b.size())
    out.relation = Relation::contains;
  else if (common == in_a.size())
    out.relation = Relation::contained;
  else
    out.relation = Relation::overlaps;
  return out;
}

bool expected_self_overlap(LayoutView layout) {
  std::uint64_t elements = 1;
  for (const std::int64_t n : layout.shape) elements *= static_cast<std::uint64_t>(n);
  Numbers starts;
  for (std::uint64_t flat = 0; flat < elements; ++flat) starts.push_back(bit_offset_of(layout, flat));
  std::ranges::sort(starts);
  const auto too_near = [&](std::int64_t a, std::int64_t b) { return b - a < layout.item_bits; };
  return std::ranges::adjacent_find(starts, too_near) != starts.end();
}

OwnedView random_view(Random& random) {
  const auto address = static_cast<Address>(kSomewhere + pick(random, 0, 160));
  const int rank = static_cast<int>(pick(random, 0, 6));
  switch (pick(random, 0, 9)) {
    case 0:
    case 1: {
      Layout layout = Layout::c_order(random_shape(random, rank), random_item_bits(random));
      shuffle_axes(random, layout);
      return make_view(std::move(layout), address);
    }
    case 2:
    case 3: {
      Layout layout = Layout::c_order(random_shape(random, rank), random_item_bits(random));
      const std::int64_t first_bit = slice(random, layout);
      return make_view(std::move(layout), address + static_cast<Address>(first_bit / 8));
    }
    case 4: {  // broadcast
      Layout layout = Layout::c_order(random_shape(random, rank), random_item_bits(random));
      for (std::int64_t& stride : layout.stride_bits) stride = pick(random, 0, 1) == 0 ? 0 : stride;
      return make_view(std::move(layout), address);
    }
    case 5:
      return make_view(sliding_windows(random), address);
    case 6:
      return make_view(random_strides(random, random_item_bits(random), 8, pick(random, 1, 90)), address);
    case 7: {  // whole items, like as_strided
      const std::uint32_t bits = random_item_bits(random);
      return make_view(random_strides(random, bits, bits, pick(random, 1, 24)), address);
    }
    case 8: {  // packed and dense, or a slice of it
      Layout layout = Layout::c_order(random_shape(random, rank), random_packed_bits(random));
      const std::int64_t first_bit = pick(random, 0, 1) == 0 ? 0 : slice(random, layout);
      return make_view(std::move(layout), address + static_cast<Address>(first_bit / 8));
    }
    default: {  // packed and strange
      const std::uint32_t bits = random_packed_bits(random);
      return make_view(random_strides(random, bits, pick(random, 0, 1) == 0 ? 1 : bits, pick(random, 1, 60)), address);
    }
  }
}

ViewPair random_pair(Random& random) {
  if (pick(random, 0, 2) != 0) return {random_view(random), random_view(random)};
  // Two slices of one array, perhaps seen as two dtypes.
  const auto address = static_cast<Address>(kSomewhere + pick(random, 0, 8));
  const Numbers shape = random_shape(random, static_cast<int>(pick(random, 1, 4)));
  const std::uint32_t bits = random_item_bits(random);
  const auto view_of = [&] {
    Layout layout = Layout::c_order(shape, bits);
    const std::int64_t first_byte = slice(random, layout) / 8;
    const std::int64_t inside = pick(random, 0, 3) == 0 ? pick(random, 0, bits / 8 - 1) : 0;  // a field of a record
    if (inside > 0) layout.item_bits = static_cast<std::uint32_t>(pick(random, 1, bits / 8 - inside)) * 8;
    return make_view(std::move(layout), address + static_cast<Address>(first_byte + inside));
  };
  OwnedView a = view_of();
  return {std::move(a), view_of()};
}

namespace {

struct LargeArray {
  std::int64_t rows, columns, item_bytes;
  Address address;
};

OwnedView part_of(Random& random, const LargeArray& array) {
  const std::int64_t size = array.item_bytes, pitch = array.columns * size;
  const auto bits = static_cast<std::uint32_t>(size * 8);
  const auto some = [&](std::int64_t n) { return pick(random, 1, std::max<std::int64_t>(n, 1)); };
  switch (pick(random, 0, 6)) {
    case 0: {  // x.ravel()[start::step]
      const std::int64_t all = array.rows * array.columns, start = pick(random, 0, all - 1), step = some(all / 8);
      return make_view(Layout::from_byte_strides({some((all - start + step - 1) / step)}, {step * size}, bits),
                       array.address + static_cast<Address>(start * size));
    }
    case 1: {  // a diagonal, or the other one
      const std::int64_t n = std::min(array.rows, array.columns), step = pick(random, 0, 1) == 0 ? pitch + size : pitch - size;
      const std::int64_t start = step > pitch ? 0 : array.columns - 1;
      return make_view(Layout::from_byte_strides({some(n)}, {step}, bits), array.address + static_cast<Address>(start * size));
    }
    case 2: {  // sliding windows
      const std::int64_t height = some(std::min<std::int64_t>(array.rows, 6)),
                         width = some(std::min<std::int64_t>(array.columns, 6));
      return make_view(Layout::from_byte_strides({some(array.rows - height), some(array.columns - width), height, width},
                                                 {pitch, size, pitch, size}, bits),
                       array.address);
    }
    case 3: {  // three strides without a plan
      const std::int64_t reach = array.rows * pitch / 4;
      Layout layout{{}, {}, bits};
      for (int d = 0; d < 3; ++d) {
        layout.shape.push_back(pick(random, 2, 60));
        layout.stride_bits.push_back(8 * size * some(std::max<std::int64_t>(reach / layout.shape.back() / size, 1)));
      }
      return make_view(std::move(layout), array.address + static_cast<Address>(pick(random, 0, 64)));
    }
    default: {  // x[a:b:s, c:d:t], perhaps backwards, perhaps a field of the items
      const std::int64_t row = pick(random, 0, array.rows - 1), column = pick(random, 0, array.columns - 1);
      const std::int64_t row_step = some(std::min<std::int64_t>(array.rows, 5)),
                         column_step = some(std::min<std::int64_t>(array.columns, 5));
      Layout layout = Layout::from_byte_strides(
          {some((array.rows - row + row_step - 1) / row_step), some((array.columns - column + column_step - 1) / column_step)},
          {row_step * pitch, column_step * size}, bits);
      std::int64_t first = row * pitch + column * size;
      for (std::size_t d = 0; d < 2; ++d) {
        if (pick(random, 0, 3) != 0) continue;
        first += (layout.shape[d] - 1) * layout.stride_bits[d] / 8;
        layout.stride_bits[d] = -layout.stride_bits[d];
      }
      if (size > 1 && pick(random, 0, 5) == 0) layout.item_bits = static_cast<std::uint32_t>(some(size - 1) * 8);
      shuffle_axes(random, layout);
      return make_view(std::move(layout), array.address + static_cast<Address>(first));
    }
  }
}

}  // namespace

ViewPair random_large_pair(Random& random) {
  LargeArray array{pick(random, 2, 700), pick(random, 2, 700), std::int64_t{1} << pick(random, 0, 3),
                   static_cast<Address>(kSomewhere + pick(random, 0, 8))};
  OwnedView a = part_of(random, array);
  // The other one may see the same bytes in another shape and type.
  if (pick(random, 0, 3) == 0) {
    std::swap(array.rows, array.columns);
    if (pick(random, 0, 1) == 0 && array.item_bytes > 1)
      array = {array.rows, array.columns * 2, array.item_bytes / 2, array.address};
    array.address += static_cast<Address>(pick(random, 0, 3));
  }
  return {std::move(a), part_of(random, array)};
}

}  // namespace dlscope::core::test
