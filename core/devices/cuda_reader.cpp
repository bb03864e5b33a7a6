#include "core/devices/cuda_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dlscope::core {
namespace {

// With fewer pieces a 2-D copy does not pay.
constexpr std::size_t kFewRows = 4;

// Whether the addresses are equally spaced and ascending, and the pieces do not overlap.
bool are_rows(std::span<const Address> addresses, std::size_t each) {
  if (addresses.size() < kFewRows || addresses[1] < addresses[0] + each) return false;
  const Address pitch = addresses[1] - addresses[0];
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    if (addresses[i] != addresses[i - 1] + pitch) return false;
  }
  return true;
}

}  // namespace

// Blocks here instead of making our stream wait on the device, so that no other
// wait comes between the driver's answer about an address and the read of it.
Result<std::unique_ptr<CudaReader>> CudaReader::open(int ordinal, std::stop_token stop, CudaRing ring) {
  auto transfer = CudaTransfer::open(ordinal, ring);
  if (!transfer) return std::unexpected(transfer.error());
  if (!captures_graph((*transfer)->driver(), ordinal)) {
    if (const auto waits = (*transfer)->wait_for_default_stream(); !waits) return std::unexpected(waits.error());
    if (const auto done = (*transfer)->finish(stop); !done) return std::unexpected(done.error());
  }
  return std::unique_ptr<CudaReader>(new CudaReader(std::move(*transfer), std::move(stop)));
}

// The bytes from `from` to the end of its allocation. Asks the driver
// every time, because memory freed meanwhile must not be read.
std::size_t CudaReader::readable_bytes(Address from) const {
  const auto found = look_up_cuda_pointer(transfer_->driver(), from);
  if (!found) {
    problem_ = found.error().message;
    return 0;
  }
  const bool here = found->memory == CudaMemory::device && found->ordinal == transfer_->ordinal() && found->allocation;
  if (!here) problem_ = fmt::format("{:#x} is {}, not memory of cuda:{}", from, pointer_text(*found), transfer_->ordinal());
  return here ? found->allocation->end - from : 0;
}

std::size_t CudaReader::read(Address from, std::span<std::byte> out) const {
  const std::lock_guard lock(mutex_);
  std::size_t done = 0;
  while (done < out.size()) {  // one allocation may directly follow another
    const std::size_t bytes = std::min(readable_bytes(from + done), out.size() - done);
    if (bytes == 0) break;
    const auto copied = transfer_->to_host({from + done, bytes, 1, bytes}, out.data() + done, 0, stop_);
    if (!copied) {
      problem_ = copied.error().message;
      break;
    }
    done += bytes;
  }
  return done;
}

void CudaReader::probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < addresses.size(); ++i) readable[i] = readable_bytes(addresses[i]) > 0 ? 1 : 0;
}

// Copies pieces that have been found readable to `out`.
bool CudaReader::bring(std::span<const Address> from, std::size_t each, std::byte* out) const {
  const auto copied = are_rows(from, each) ? transfer_->to_host({from[0], each, from.size(), from[1] - from[0]}, out,
                                                                static_cast<std::ptrdiff_t>(each), stop_)
                                           : transfer_->gather(from, each, out, stop_);
  if (!copied) problem_ = copied.error().message;
  return copied.has_value();
}

void CudaReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                        std::span<std::uint8_t> complete) const {
  const std::lock_guard lock(mutex_);
  std::ranges::fill(complete, std::uint8_t{0});
  std::vector<Address> known;
  std::vector<std::size_t> places;
  ByteRange allocation;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!allocation.holds(addresses[i], each)) {
      const std::size_t bytes = readable_bytes(addresses[i]);
      allocation = {addresses[i], addresses[i] + bytes};
      if (bytes < each) continue;
    }
    known.push_back(addresses[i]);
    places.push_back(i);
  }
  if (known.empty()) return;
  if (known.size() == addresses.size()) {
    if (bring(known, each, out.data())) std::ranges::fill(complete, std::uint8_t{1});
    return;
  }
  std::vector<std::byte> bytes(known.size() * each);
  if (!bring(known, each, bytes.data())) return;
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::copy_n(bytes.data() + i * each, each, out.data() + places[i] * each);
    complete[places[i]] = 1;
  }
}

bool CudaReader::can_scan(Address address) const {
  const std::lock_guard lock(mutex_);
  return readable_bytes(address) > 0 && transfer_->kernels_problem().empty() && transfer_->scratch().has_value();
}

Result<void> CudaReader::scan(const kernels::BlockScan& scan, ByteRange extent, const BlockScanResults& results) const {
  const std::lock_guard lock(mutex_);
  const std::size_t most = transfer_->most_blocks(), blocks = results.answers.size();
  for (std::size_t first = 0; first < blocks; first += most) {
    if (stop_.stop_requested()) return fail(ErrorKind::cancelled, "it was stopped");
    for (Address at = extent.begin;
         at < extent.end;) {  // checked first: a kernel that reads invalid memory destroys the program's context
      const std::size_t bytes = readable_bytes(at);
      if (bytes == 0) return fail(ErrorKind::environment, fmt::format("the byte at {:#x} cannot be read: {}", at, problem_));
      at = bytes < extent.end - at ? at + bytes : extent.end;
    }
    kernels::BlockScan some = scan;
    some.blocks = std::min<std::uint64_t>(most, blocks - first);
    some.first_place = scan.first_place + first * scan.block_values;
    some.places = std::min<std::uint64_t>(scan.places - first * scan.block_values, some.blocks * scan.block_values);
    const BlockScanResults part{results.answers.subspan(first, some.blocks), results.bins, results.codes};
    if (auto done = transfer_->scan_blocks(some, part); !done) return done;
  }
  return {};
}

std::string CudaReader::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace dlscope::core
