#include "core/transfer/plain_copy.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

#include "core/base/clock.h"
#include "core/base/workers.h"
#include "core/memory/available_memory.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20, kPiece = std::size_t{2} << 20, kMaxThreads = 4;

// Mapped for itself, so that its pages are new.
class NewPages {
 public:
  NewPages() : at_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~NewPages() {
    if (at_ != MAP_FAILED) ::munmap(at_, kBytes);
  }
  NewPages(const NewPages&) = delete;
  NewPages& operator=(const NewPages&) = delete;
  [[nodiscard]] std::byte* data() const { return at_ != MAP_FAILED ? static_cast<std::byte*>(at_) : nullptr; }

 private:
  void* at_;
};

}  // namespace

double plain_copy_rate() {
  const auto available = available_memory();
  if (available && *available < 4 * kBytes) return 0;
  const NewPages from, to;
  if (from.data() == nullptr || to.data() == nullptr) return 0;
  std::memset(from.data(), 1, kBytes);
  std::atomic<std::size_t> next = 0;
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  const std::int64_t began_ns = monotonic_ns();
  run_workers(threads, [&](std::size_t) {
    for (std::size_t at = next.fetch_add(kPiece); at < kBytes; at = next.fetch_add(kPiece))
      std::memcpy(to.data() + at, from.data() + at, kPiece);
  });
  const std::int64_t ns = std::max<std::int64_t>(monotonic_ns() - began_ns, 1);
  return static_cast<double>(kBytes) / static_cast<double>(ns);
}

}  // namespace dlscope::core
