#include "core/wire/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "core/base/build_id.h"

namespace dlscope::core::wire {
namespace {

constexpr std::uint64_t kMagic = 0x65706f63736c64ffULL;  // "\xffdlscope"
constexpr std::uint32_t kLayoutVersion = 1;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeaderBytes = (sizeof(RegionHeader) + kPage - 1) / kPage * kPage;
constexpr std::size_t kFixedBytes = kHeaderBytes + 2 * kRingBytes;
constexpr std::size_t kSmallestSlot = std::size_t{1} << 20;
constexpr std::uint64_t kWorthGivingBack = std::uint64_t{16} << 20;

std::unexpected<Error> system_error(const char* what) {
  return fail(ErrorKind::environment, std::string("the shared memory between viewer and host: ") + what + ": " + strerror(errno));
}

std::unexpected<Error> wrong(const char* what) {
  return fail(ErrorKind::invalid, std::string("the shared memory handed to the host is not dlscope's: ") + what);
}

// Checked first, because ftruncate() beyond the file size limit ends the process with SIGXFSZ.
std::size_t file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return ~std::size_t{0};
  return limit.rlim_cur;
}

}  // namespace

Result<std::unique_ptr<Region>> Region::create(std::size_t slot_bytes) {
  slot_bytes = (std::max(slot_bytes, kSmallestSlot) + kPage - 1) / kPage * kPage;
  const std::size_t limit = file_size_limit();
  while (slot_bytes > kSmallestSlot && kFixedBytes + 2 * slot_bytes > limit) slot_bytes = slot_bytes / 2 / kPage * kPage;
  std::unique_ptr<Region> region(new Region);
  region->fd_ = memfd_create("dlscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (region->fd_ < 0) return system_error("memfd_create failed");
  for (;; slot_bytes = slot_bytes / 2 / kPage * kPage) {
    const std::size_t bytes = kFixedBytes + 2 * slot_bytes;
    if (ftruncate(region->fd_, static_cast<off_t>(bytes)) != 0) return system_error("setting its size failed");
    const Result<void> mapped = region->map(region->fd_, bytes);
    if (mapped) break;
    if (slot_bytes / 2 < kSmallestSlot) return std::unexpected(mapped.error());
  }
  if (fcntl(region->fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return system_error("sealing its size failed");
  madvise(region->base_, region->bytes_, MADV_DONTDUMP);
  auto* header = new (region->base_) RegionHeader{};
  header->magic = kMagic;
  header->layout_version = kLayoutVersion;
  header->header_bytes = sizeof(RegionHeader);
  std::strncpy(header->build_id, build_id(), sizeof header->build_id - 1);
  region->header_ = header;
  return region;
}

Result<std::unique_ptr<Region>> Region::attach(int fd) {
  std::unique_ptr<Region> region(new Region);
  region->fd_ = fd;  // closed with the region when anything fails
  struct stat status {};
  if (fstat(fd, &status) != 0) return system_error("its descriptor cannot be examined");
  if (!S_ISREG(status.st_mode)) return wrong("the descriptor is not a file in memory");
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes < kFixedBytes + 2 * kSmallestSlot || (bytes - kFixedBytes) % (2 * kPage) != 0) return wrong("it has another size");
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return wrong("its size is not sealed");
  if (const Result<void> mapped = region->map(fd, bytes); !mapped) return std::unexpected(mapped.error());
  auto* header = reinterpret_cast<RegionHeader*>(region->base_);
  if (header->magic != kMagic) return wrong("it has no mark");
  if (header->layout_version != kLayoutVersion || header->header_bytes != sizeof(RegionHeader)) {
    return wrong("it has another version; viewer and host must be of one build");
  }
  madvise(region->base_, bytes, MADV_DONTFORK);
  madvise(region->base_, bytes, MADV_DONTDUMP);
  region->header_ = header;
  region->close_fd();
  return region;
}

Result<void> Region::map(int fd, std::size_t bytes) {
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (address == MAP_FAILED) return system_error("mapping it failed (is the address space limited, ulimit -v?)");
  base_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
  slot_bytes_ = (bytes - kFixedBytes) / 2;
  return {};
}

Region::~Region() {
  if (base_ != nullptr) munmap(base_, bytes_);
  close_fd();
}

void Region::close_fd() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::span<std::byte> Region::ring(unsigned index) const { return {base_ + kHeaderBytes + index * kRingBytes, kRingBytes}; }
std::span<std::byte> Region::slot(unsigned index) const { return {base_ + kFixedBytes + index * slot_bytes_, slot_bytes_}; }

RingWriter Region::to_host_writer() { return {&header_->to_host, ring(0)}; }
RingReader Region::to_host_reader() { return {&header_->to_host, ring(0)}; }
RingWriter Region::to_viewer_writer() { return {&header_->to_viewer, ring(1)}; }
RingReader Region::to_viewer_reader() { return {&header_->to_viewer, ring(1)}; }

std::span<std::byte> Region::begin_snapshot() {
  header_->slots[next_slot_].sequence.store(last_sequence_ + 1, std::memory_order_relaxed);  // odd: being written
  std::atomic_thread_fence(std::memory_order_release);
  return slot(next_slot_);
}

std::uint64_t Region::publish_snapshot(std::uint64_t bytes) {
  bytes = std::min<std::uint64_t>(bytes, slot_bytes_);
  RegionHeader::Slot& target = header_->slots[next_slot_];
  last_sequence_ += 2;
  target.bytes.store(bytes, std::memory_order_relaxed);
  target.sequence.store(last_sequence_, std::memory_order_release);
  // Returns the memory of an earlier, much larger snapshot to the system.
  const std::uint64_t end_of_use = (bytes + kPage - 1) / kPage * kPage;
  if (used_bytes_[next_slot_] > end_of_use + kWorthGivingBack) {
    madvise(slot(next_slot_).data() + end_of_use, used_bytes_[next_slot_] - end_of_use, MADV_REMOVE);
  }
  used_bytes_[next_slot_] = end_of_use;
  next_slot_ ^= 1;
  return last_sequence_;
}

std::optional<std::vector<std::byte>> Region::take_snapshot(std::uint64_t sequence) {
  if (sequence == 0 || sequence % 2 != 0) return std::nullopt;
  for (unsigned index = 0; index < 2; ++index) {
    const RegionHeader::Slot& source = header_->slots[index];
    if (source.sequence.load(std::memory_order_acquire) != sequence) continue;
    const std::uint64_t bytes = source.bytes.load(std::memory_order_relaxed);
    if (bytes > slot_bytes_) return std::nullopt;
    const std::span<std::byte> from = slot(index).first(bytes);
    std::vector<std::byte> copy(from.begin(), from.end());
    std::atomic_thread_fence(std::memory_order_acquire);
    if (source.sequence.load(std::memory_order_relaxed) == sequence) return copy;
  }
  return std::nullopt;
}

}  // namespace dlscope::core::wire
