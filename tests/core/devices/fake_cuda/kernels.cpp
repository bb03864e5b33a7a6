#include "kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/devices/kernels/block_scan.h"
#include "core/devices/kernels/gather.h"
#include "core/devices/kernels/item_copy.h"

namespace fake_cuda {
namespace {

// The kernels, a thread after the other. An address outside of every allocation: the device stops, for good (Driver::enter_with_context).
void run_copy(Driver& driver, const dlscope::core::kernels::ItemCopy& copy, std::size_t item, bool few) {
  using dlscope::core::kernels::places_of_item;
  for (std::uint64_t i = 0; i < copy.items; ++i) {
    const auto at =
        few ? places_of_item<std::uint32_t>(copy, static_cast<std::uint32_t>(i)) : places_of_item<std::uint64_t>(copy, i);
    std::byte* const to = driver.behind(at.to, item);
    const std::byte* const from = driver.behind(at.from, item);
    if (to == nullptr || from == nullptr || at.to % item != 0 || at.from % item != 0) {
      driver.failures["*"] = {kIllegalAddress, 0};
      return;
    }
    std::memcpy(to, from, item);
  }
}

void run_gather(Driver& driver, const dlscope::core::kernels::Gather& gather) {
  const auto* const addresses = reinterpret_cast<const std::uint64_t*>(driver.behind(gather.addresses, gather.pieces * 8));
  std::byte* const to = driver.behind(gather.to, gather.pieces * gather.each);
  for (std::uint64_t i = 0; i < gather.pieces * gather.each; ++i) {
    const std::byte* const from =
        addresses != nullptr ? driver.behind(dlscope::core::kernels::place_of_byte(gather, addresses, i), 1) : nullptr;
    if (to == nullptr || from == nullptr) {
      driver.failures["*"] = {kIllegalAddress, 0};
      return;
    }
    to[i] = *from;
  }
}

// The threads of a block one after the other; what they found is combined in the device's order.
void run_scan(Driver& driver, const dlscope::core::kernels::BlockScan& scan) {
  namespace kernels = dlscope::core::kernels;
  auto* const answers =
      reinterpret_cast<kernels::BlockAnswer*>(driver.behind(scan.answers, scan.blocks * sizeof(kernels::BlockAnswer)));
  auto* const bins =
      reinterpret_cast<kernels::BinCounts*>(scan.bins != 0 ? driver.behind(scan.bins, sizeof(kernels::BinCounts)) : nullptr);
  const std::size_t patterns = std::size_t{1} << (8 * std::min(kernels::bytes_of(scan.type), 2u));
  auto* const codes = reinterpret_cast<std::uint64_t*>(scan.codes != 0 ? driver.behind(scan.codes, patterns * 8) : nullptr);
  bool lost = answers == nullptr || (scan.codes != 0 && codes == nullptr) || (scan.bins != 0 && bins == nullptr);
  const auto value_at = [&](std::uint64_t place) {
    const std::uint64_t address = scan.base + static_cast<std::uint64_t>(kernels::offset_of_place(scan, place));
    const std::byte* const at = driver.behind(address, kernels::bytes_of(scan.type));
    lost = lost || at == nullptr || address % kernels::bytes_of(scan.type) != 0;
    return lost ? kernels::Scanned{} : kernels::scanned(scan.type, kernels::bits_at(scan.type, at));
  };
  for (std::uint64_t block = 0; block < scan.blocks && !lost; ++block) {
    const std::uint64_t first = scan.first_place + block * scan.block_values;
    const std::uint64_t values = std::min<std::uint64_t>(scan.block_values, scan.places - block * scan.block_values);
    const kernels::Scanned shift = kernels::shift_of(value_at(first));
    std::array<kernels::Partial, kernels::kScanThreads> partials{};
    for (std::uint64_t i = 0; i < values; ++i)
      kernels::add(partials[i % kernels::kScanThreads], scan.type, value_at(first + i), shift);
    for (unsigned half = kernels::kScanThreads / 2; half > 0; half /= 2) {
      for (unsigned thread = 0; thread < half; ++thread) kernels::combine(partials[thread], partials[thread + half]);
    }
    answers[block] = kernels::answer_of(partials[0], scan, shift);
    for (std::uint64_t i = 0; codes != nullptr && answers[block].plain != 0 && i < values; ++i) {
      const std::uint64_t address = scan.base + static_cast<std::uint64_t>(kernels::offset_of_place(scan, first + i));
      ++codes[kernels::bits_at(scan.type, driver.behind(address, kernels::bytes_of(scan.type)))];
    }
    for (std::uint64_t i = 0; bins != nullptr && answers[block].plain != 0 && i < values; ++i) {
      const int bin = kernels::bin_of(scan, value_at(first + i));
      ++(bin < 0 ? bins->below : bin == kernels::kScanBins ? bins->above : bins->bins[bin]);
    }
  }
  if (lost) driver.failures["*"] = {kIllegalAddress, 0};
}

template <std::size_t item, bool few>
void put_copy(Driver& driver, Stream& stream, const void* parameters) {
  Driver::put(stream, [&driver, copy = *static_cast<const dlscope::core::kernels::ItemCopy*>(parameters)] {
    run_copy(driver, copy, item, few);
  });
}
void put_gather(Driver& driver, Stream& stream, const void* parameters) {
  Driver::put(stream, [&driver, gather = *static_cast<const dlscope::core::kernels::Gather*>(parameters)] {
    run_gather(driver, gather);
  });
}

void put_scan(Driver& driver, Stream& stream, const void* parameters) {
  Driver::put(stream,
              [&driver, scan = *static_cast<const dlscope::core::kernels::BlockScan*>(parameters)] { run_scan(driver, scan); });
}

constexpr Kernel kKernels[] = {{"dlscope_copy_1", put_copy<1, false>},   {"dlscope_copy_1_few", put_copy<1, true>},
                               {"dlscope_copy_2", put_copy<2, false>},   {"dlscope_copy_2_few", put_copy<2, true>},
                               {"dlscope_copy_4", put_copy<4, false>},   {"dlscope_copy_4_few", put_copy<4, true>},
                               {"dlscope_copy_8", put_copy<8, false>},   {"dlscope_copy_8_few", put_copy<8, true>},
                               {"dlscope_copy_16", put_copy<16, false>}, {"dlscope_copy_16_few", put_copy<16, true>},
                               {"dlscope_gather", put_gather},           {"dlscope_scan_f16", put_scan},
                               {"dlscope_scan_bf16", put_scan},          {"dlscope_scan_f32", put_scan},
                               {"dlscope_scan_f64", put_scan},           {"dlscope_scan_i8", put_scan},
                               {"dlscope_scan_i16", put_scan},           {"dlscope_scan_i32", put_scan},
                               {"dlscope_scan_i64", put_scan},           {"dlscope_scan_u8", put_scan},
                               {"dlscope_scan_u16", put_scan},           {"dlscope_scan_u32", put_scan},
                               {"dlscope_scan_u64", put_scan},           {"dlscope_scan_boolean", put_scan}};

}  // namespace

const Kernel* find_kernel(std::string_view name) {
  const auto* const found = std::ranges::find(kKernels, name, &Kernel::name);
  return found != std::end(kKernels) ? found : nullptr;
}

}  // namespace fake_cuda
