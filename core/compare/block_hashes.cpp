#include "core/compare/block_hashes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/compare/content_hash.h"
#include "core/elements/element_reader.h"
#include "core/elements/memory_order.h"
#include "core/inventory/kept_bytes.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWindow = std::uint64_t{1} << 18;  // bytes of values read at a time

Layout without_broadcasts(LayoutView layout) {
  Layout out{.shape = {}, .stride_bits = {}, .item_bits = layout.item_bits};
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 1 || (layout.stride_bits[axis] == 0 && layout.shape[axis] > 0)) continue;
    out.shape.push_back(layout.shape[axis]);
    out.stride_bits.push_back(layout.stride_bits[axis]);
  }
  return out;
}

// Runs of fewer values in one block are not worth the blocks.
constexpr std::uint64_t kShortestRun = 64;

std::uint64_t bits_of_value(const TensorRecord& tensor) { return std::max<std::uint64_t>(tensor.dtype.bits, 1); }

// Of one hash, for a tensor whose values lie in that order.
std::uint64_t values_per_hash(const TensorRecord& tensor, const MemoryOrder& order) {
  const std::uint64_t in_block = kHashedBlock * 8 / bits_of_value(tensor);
  const auto& axes = order.indices().axes;
  const std::uint64_t step = axes.empty() ? 1 : static_cast<std::uint64_t>(std::abs(axes.front().step));
  return step > in_block / kShortestRun ? std::max<std::uint64_t>(order.values(), 1) : in_block;
}

// The values at data have the indices of the run.
void add(std::vector<std::uint64_t>& sums, std::uint64_t per_block, AffineRun run, const std::byte* data, std::size_t bytes) {
  while (run.count > 0) {
    const auto index = static_cast<std::uint64_t>(run.first);
    const std::uint64_t block = index / per_block, within = index % per_block;
    std::uint64_t n = run.count;
    if (run.step > 0) n = std::min(n, (per_block - 1 - within) / static_cast<std::uint64_t>(run.step) + 1);
    if (run.step < 0) n = std::min(n, within / static_cast<std::uint64_t>(-run.step) + 1);
    sums[block] += hash_of_values(data, bytes, n, index, run.step);
    data += n * bytes;
    run.first += static_cast<std::int64_t>(n) * run.step;
    run.count -= n;
  }
}

}  // namespace

std::uint64_t hashed_blocks(const Snapshot& snapshot, const TensorRecord& tensor) {
  const Layout walked = without_broadcasts(snapshot.layout(tensor));
  const MemoryOrder order(walked, tensor.dtype, tensor.address);
  const std::uint64_t values = order.values(), per_hash = values_per_hash(tensor, order);
  return values / per_hash + (values % per_hash != 0 ? 1 : 0);
}

Result<std::vector<std::uint64_t>> block_hashes(const Snapshot& snapshot, const TensorRecord& tensor, const MemoryReader& memory) {
  if (auto readable = check_kept(snapshot, tensor); !readable) return std::unexpected(readable.error());
  const Layout walked = without_broadcasts(snapshot.layout(tensor));
  const MemoryOrder order(walked, tensor.dtype, tensor.address);
  const bool overlaps = order.values() / 8 > tensor.extent.size() / bits_of_value(tensor);
  const std::uint64_t most = overlaps ? kMaxHashedOverlap : kMaxHashedBytes;
  if (order.values() / 8 > most / bits_of_value(tensor))
    return fail(ErrorKind::unsupported, fmt::format("its values take more than {} GiB{}, and at most as many are hashed", most >> 30,
                                                    overlaps ? ", many of them in the same bytes" : ""));
  const std::uint64_t per_block = values_per_hash(tensor, order);
  std::vector<std::uint64_t> sums(hashed_blocks(snapshot, tensor));
  ElementReader reader(order, ElementSource::checked(memory), kWindow * 8 / std::max<std::uint64_t>(bits_of_value(tensor), 8));
  for (std::uint64_t place = 0; place < order.places();) {
    const auto window = reader.read(place, order.places(), 1);
    if (!window) return std::unexpected(window.error());
    AffineCursor indices(order.indices(), place, place + window->count);
    AffineRun run;
    while (indices.next(run))
      add(sums, per_block, run, window->data + (run.place - place) * reader.value_bytes(), reader.value_bytes());
    place += window->count;
  }
  return sums;
}

}  // namespace dlscope::core
