// Memory that changes while it is read, for tests of whatever reads memory: RacingMapping (unmapped, protected, moved),
// TruncatedFile (its file gets shorter), SlowPages (pages that come late or never, by userfaultfd), WriteProtectedPages. Whatever
// can be read at all has its right bytes at every moment: a reading gives right bytes or fewer of them.
#pragma once

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/address.h"

namespace dlscope::tests {

// An area of whole pages whose byte number i is right_byte(i).
class PatternArea {
 public:
  static constexpr std::size_t kPage = 4096, kPages = 32, kBytes = kPage * kPages;

  [[nodiscard]] static std::byte right_byte(std::size_t at) { return static_cast<std::byte>((at * 131 >> 4) + 17); }
  [[nodiscard]] core::Address begin() const { return reinterpret_cast<core::Address>(base_); }
  [[nodiscard]] bool is_right(core::Address from, std::span<const std::byte> bytes) const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != right_byte(from - begin() + i)) return false;
    }
    return true;
  }

 protected:
  // Far below the addresses that the system gives out: what is unmapped there stays so until it is mapped again here.
  explicit PatternArea(std::size_t number) : base_(reinterpret_cast<std::byte*>(0x7e90'0000'0000 + (number << 32))) {
    static const std::vector<std::byte> kBytesOfAll = [] {
      std::vector<std::byte> bytes(kBytes);
      for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = right_byte(i);
      return bytes;
    }();
    pattern_ = kBytesOfAll;
  }
  ~PatternArea() { ::munmap(base_, kBytes); }
  PatternArea(const PatternArea&) = delete;
  PatternArea& operator=(const PatternArea&) = delete;

  static void check(bool done, const char* call) {
    if (!done) throw std::runtime_error(call);
  }
  static int pattern_file(std::span<const std::byte> pattern) {
    const int file = static_cast<int>(::syscall(SYS_memfd_create, "hostile", 1U));  // MFD_CLOEXEC
    check(file >= 0 && ::pwrite(file, pattern.data(), pattern.size(), 0) == static_cast<ssize_t>(pattern.size()), "memfd");
    return file;
  }
  std::byte* map(std::byte* at, std::size_t bytes, int flags, int file, std::size_t offset) {
    void* const mapped = ::mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
    check(mapped == at, "mmap");
    return static_cast<std::byte*>(mapped);
  }

  std::byte* base_;
  std::span<const std::byte> pattern_;
};

// A thread that makes one change after the other, from its construction to stop().
class Racer {
 public:
  template <class Change>
  explicit Racer(Change change)
      : thread_([this, change](const std::stop_token& stop) mutable {
          for (std::mt19937 random(7); !stop.stop_requested(); ++changes_) change(random);
        }) {}
  [[nodiscard]] int changes() const { return changes_; }
  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
  }

 private:
  std::atomic<int> changes_{0};
  std::jthread thread_;
};

// Some of its pages are unmapped, protected or moved away at any moment. After stop() all are there.
class RacingMapping : public PatternArea {
 public:
  enum class Of { memory, file };
  explicit RacingMapping(Of of) : PatternArea(of == Of::file ? 0 : 1), file_(of == Of::file ? pattern_file(pattern_) : -1) {
    put_back(0, kPages);
    racer_.emplace([this](std::mt19937& random) { change(random); });
  }
  ~RacingMapping() {
    stop();
    ::munmap(aside(), kBytes);
    if (file_ >= 0) ::close(file_);
  }
  [[nodiscard]] int changes() const { return racer_->changes(); }
  void stop() { racer_->stop(); }

 private:
  [[nodiscard]] std::byte* aside() const { return base_ + (std::size_t{1} << 31); }

  // In one step: at no moment a page is there without its bytes.
  void put_back(std::size_t first, std::size_t count) {
    const std::size_t at = first * kPage, bytes = count * kPage;
    if (file_ >= 0) {
      map(base_ + at, bytes, MAP_PRIVATE | MAP_FIXED, file_, at);
      return;
    }
    std::byte* const made = map(aside(), bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::memcpy(made, pattern_.data() + at, bytes);
    check(::mremap(made, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base_ + at) == base_ + at, "mremap");
  }
  void change(std::mt19937& random) {
    const std::size_t first = random() % kPages, count = 1 + random() % std::min<std::size_t>(6, kPages - first);
    std::byte* const at = base_ + first * kPage;
    const std::size_t bytes = count * kPage;
    switch (random() % 3) {
      case 0:
        check(::munmap(at, bytes) == 0, "munmap");
        std::this_thread::yield();
        put_back(first, count);
        break;
      case 1:
        check(::mprotect(at, bytes, PROT_NONE) == 0, "mprotect");
        std::this_thread::yield();
        check(::mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
        break;
      default:  // page by page: what lies side by side may be mappings of their own
        for (std::size_t i = 0; i < bytes; i += kPage) move_away_and_back(at + i);
    }
  }
  void move_away_and_back(std::byte* page) {
    check(::mremap(page, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, aside()) == aside(), "mremap");
    std::this_thread::yield();
    check(::mremap(aside(), kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page, "mremap");
  }

  int file_;
  std::optional<Racer> racer_;  // last: it uses the others
};

// A shared mapping of a file that gets shorter by some pages and is written again. After stop() it is whole.
class TruncatedFile : public PatternArea {
 public:
  TruncatedFile() : PatternArea(2), file_(pattern_file(pattern_)) {
    map(base_, kBytes, MAP_SHARED | MAP_FIXED, file_, 0);
    racer_.emplace([this](std::mt19937& random) { change(random); });
  }
  ~TruncatedFile() {
    stop();
    ::close(file_);
  }
  [[nodiscard]] int changes() const { return racer_->changes(); }
  void stop() { racer_->stop(); }

 private:
  void change(std::mt19937& random) {
    const std::size_t kept = (random() % kPages) * kPage;
    check(::ftruncate(file_, static_cast<off_t>(kept)) == 0, "ftruncate");
    std::this_thread::yield();
    for (std::size_t at = kept; at < kBytes; at += kPage)  // behind its end: the file has the page only with its bytes
      check(::pwrite(file_, pattern_.data() + at, kPage, static_cast<off_t>(at)) == static_cast<ssize_t>(kPage), "pwrite");
  }

  int file_;
  std::optional<Racer> racer_;  // last: it uses the others
};

// Pages that are missing. Served: each comes a little after somebody has asked for it. Else never, unless let_go() is called:
// whoever reads one stands in the kernel until then.
class SlowPages : public PatternArea {
 public:
  enum class Serve { late, never };
  [[nodiscard]] static bool may_be_used() {
    const long file = ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) ::close(static_cast<int>(file));
    return file >= 0;
  }
  explicit SlowPages(Serve serve)
      : PatternArea(3), faults_(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK))) {
    check(faults_ >= 0, "userfaultfd");
    map(base_, kBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    uffdio_api api{UFFD_API, 0, 0};
    uffdio_register area{{begin(), kBytes}, UFFDIO_REGISTER_MODE_MISSING, 0};
    check(::ioctl(faults_, UFFDIO_API, &api) == 0 && ::ioctl(faults_, UFFDIO_REGISTER, &area) == 0, "UFFDIO_REGISTER");
    if (serve == Serve::late)
      server_ = std::jthread([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) serve_one();
      });
  }
  ~SlowPages() { let_go(); }
  // Page number `page` is there from now on.
  void put(std::size_t page) {
    uffdio_copy copy{begin() + page * kPage, reinterpret_cast<std::uint64_t>(pattern_.data() + page * kPage), kPage, 0, 0};
    ::ioctl(faults_, UFFDIO_COPY, &copy);  // EEXIST: somebody has put it there before
  }
  // Every page is there from now on, and nobody waits any more.
  void let_go() {
    if (faults_ < 0) return;
    if (server_.joinable()) {
      server_.request_stop();
      server_.join();
    }
    for (std::size_t page = 0; page < kPages; ++page) put(page);
    ::close(faults_);
    faults_ = -1;
  }

 private:
  void serve_one() {
    pollfd ready{faults_, POLLIN, 0};
    uffd_msg message{};
    if (::poll(&ready, 1, 20) <= 0 || ::read(faults_, &message, sizeof message) != sizeof message) return;
    std::this_thread::yield();
    if (message.event == UFFD_EVENT_PAGEFAULT) put((message.arg.pagefault.address - begin()) / kPage);
  }

  int faults_;
  std::jthread server_;
};

// Pages that are there, and that nobody lets anyone write: whoever writes one stands in the kernel until let_go() is called.
class WriteProtectedPages : public PatternArea {
 public:
  // By this user, and with this kernel (5.7).
  [[nodiscard]] static bool may_be_used() {
    const int faults = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
    uffdio_api api{UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP, 0};
    const bool may = faults >= 0 && ::ioctl(faults, UFFDIO_API, &api) == 0;
    if (faults >= 0) ::close(faults);
    return may;
  }
  WriteProtectedPages() : PatternArea(4), faults_(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK))) {
    check(faults_ >= 0, "userfaultfd");
    map(base_, kBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::ranges::copy(pattern_, base_);
    uffdio_api api{UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP, 0};
    uffdio_register area{{begin(), kBytes}, UFFDIO_REGISTER_MODE_WP, 0};
    uffdio_writeprotect protect{{begin(), kBytes}, UFFDIO_WRITEPROTECT_MODE_WP};
    check(::ioctl(faults_, UFFDIO_API, &api) == 0 && ::ioctl(faults_, UFFDIO_REGISTER, &area) == 0, "UFFDIO_REGISTER");
    check(::ioctl(faults_, UFFDIO_WRITEPROTECT, &protect) == 0, "UFFDIO_WRITEPROTECT");
  }
  ~WriteProtectedPages() { let_go(); }
  void let_go() {
    if (faults_ >= 0) ::close(faults_);
    faults_ = -1;
  }

 private:
  int faults_;
};

}  // namespace dlscope::tests
