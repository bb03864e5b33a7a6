#include "app/host/device_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dlscope::app {

using core::Address;
namespace wire = core::wire;

std::optional<wire::DeviceBytes> DeviceReader::ask(std::span<const Address> addresses, std::size_t each) const {
  auto answer = ask_({ordinal_, static_cast<std::uint32_t>(each), {addresses.begin(), addresses.end()}});
  if (!answer || answer->bytes.size() != addresses.size() * each || answer->complete.size() != addresses.size())
    return std::nullopt;
  const std::lock_guard lock(mutex_);
  problem_ = answer->problem;
  return answer;
}

// In pieces that fit one answer. When a piece cannot be read as a whole (the memory ends in it), its halves are tried.
std::size_t DeviceReader::read(Address from, std::span<std::byte> out) const {
  std::size_t done = 0, most = wire::kMaxDeviceBytes;
  while (done < out.size() && most > 0) {
    const std::size_t bytes = std::min(most, out.size() - done);
    const auto answer = ask(std::array{from + done}, bytes);
    if (!answer) break;
    if (answer->complete[0] != 0) {
      std::ranges::copy(answer->bytes, out.begin() + static_cast<std::ptrdiff_t>(done));
      done += bytes;
    } else {
      most = bytes / 2;
    }
  }
  return done;
}

void DeviceReader::probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
  std::vector<std::byte> bytes(addresses.size());
  gather(addresses, 1, bytes, readable);
}

void DeviceReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                          std::span<std::uint8_t> complete) const {
  if (each > wire::kMaxDeviceBytes) return MemoryReader::gather(addresses, each, out, complete);
  std::ranges::fill(complete, std::uint8_t{0});
  const std::size_t at_once = std::min(wire::kMaxDevicePieces, wire::kMaxDeviceBytes / std::max<std::size_t>(each, 1));
  for (std::size_t first = 0; first < addresses.size(); first += at_once) {
    const auto some = addresses.subspan(first, std::min(at_once, addresses.size() - first));
    const auto answer = ask(some, each);
    if (!answer) return;
    std::ranges::copy(answer->bytes, out.begin() + static_cast<std::ptrdiff_t>(first * each));
    std::ranges::copy(answer->complete, complete.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

std::string DeviceReader::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace dlscope::app
