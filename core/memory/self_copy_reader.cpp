#include "core/memory/self_copy_reader.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace dlscope::core {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // of one system call; the kernel stops at 2 GiB
constexpr std::size_t kMaxPieces = 1024;                 // iovecs the kernel takes at once

// Never dereferenced here.
iovec piece_at(Address address, std::size_t size) { return {reinterpret_cast<void*>(address), size}; }

// How many bytes of the pieces were copied, one after the other. Not through the C library's function: sanitizers look at what is
// handed to that, and call it an error where it cannot be read.
std::size_t copy(std::span<const iovec> pieces, std::span<std::byte> out) {
  const iovec to{out.data(), out.size()};
  const long copied = ::syscall(SYS_process_vm_writev, ::getpid(), pieces.data(), pieces.size(), &to, 1UL, 0UL);
  return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

}  // namespace

std::size_t SelfCopyReader::read(Address from, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto left = out.subspan(done, std::min(out.size() - done, kMaxBytes));
    const iovec piece = piece_at(from + done, left.size());
    const std::size_t copied = copy({&piece, 1}, left);
    done += copied;
    if (copied < left.size()) return done + other_->read(from + done, out.subspan(done));
  }
  return done;
}

void SelfCopyReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                            std::span<std::uint8_t> complete) const {
  if (each == 0 || each > kMaxBytes) return other_->gather(addresses, each, out, complete);
  const std::size_t at_once = std::clamp<std::size_t>(kMaxBytes / each, 1, kMaxPieces);
  std::array<iovec, kMaxPieces> pieces;
  std::size_t done = 0;
  while (done < addresses.size()) {
    const std::size_t count = std::min(addresses.size() - done, at_once);
    for (std::size_t i = 0; i < count; ++i) {
      pieces[i] = piece_at(addresses[done + i], each);
      // The kernel copies one after the other and waits for each; the processor fetches many at once. Of a bad address it fetches nothing.
      __builtin_prefetch(pieces[i].iov_base);
    }
    const std::size_t copied = copy(std::span(pieces).first(count), out.subspan(done * each, count * each)) / each;
    std::fill_n(complete.begin() + static_cast<std::ptrdiff_t>(done), copied, std::uint8_t{1});
    done += copied;
    if (copied == count) continue;
    complete[done] = other_->read(addresses[done], out.subspan(done * each, each)) == each ? 1 : 0;
    ++done;
  }
}

}  // namespace dlscope::core
