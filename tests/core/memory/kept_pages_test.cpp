// The kernel's file that is kept open, in a process whose descriptors are its program's to do with as it likes.
#include "core/memory/kept_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

namespace dlscope::core {
namespace {

constexpr std::size_t kPages = 600;  // more than are asked for at once

// Of which every second page is there.
class Pages {
 public:
  Pages() {
    for (std::size_t i = 0; i < kPages; i += 2) bytes_[i * page_] = 1;
  }
  ~Pages() { ::munmap(bytes_, kPages * page_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  [[nodiscard]] ByteRange of(std::size_t first, std::size_t count) const {
    const auto begin = reinterpret_cast<Address>(bytes_) + first * page_;
    return {begin, begin + count * page_};
  }
  void touch_all() const {
    for (std::size_t i = 0; i < kPages; ++i) bytes_[i * page_] = 1;
  }

 private:
  std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  char* bytes_ = [this] {
    void* const at = ::mmap(nullptr, kPages * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::madvise(at, kPages * page_, MADV_NOHUGEPAGE);
    return static_cast<char*>(at);
  }();
};

void check_answers(const KeptPages& kept, const Pages& pages) {
  const ProcessPages opened(0);
  for (std::size_t i = 0; i < 20; ++i) {
    const ByteRange page = pages.of(i, 1);
    CHECK(kept.present(page) == (i % 2 == 0));
    CHECK(kept.present(page) == opened.present(page));
  }
  CHECK_FALSE(kept.present(pages.of(0, 2)));
  CHECK(kept.present({}));
  CHECK_FALSE(kept.present({4096, 4097}));
}

TEST_CASE("a kept file answers as a new one does, also for many pages", "[core][memory]") {
  const Pages pages;
  const KeptPages kept;
  check_answers(kept, pages);
  CHECK_FALSE(kept.present(pages.of(0, kPages)));
  pages.touch_all();
  CHECK(kept.present(pages.of(0, kPages)));
  CHECK(kept.descriptor() >= 900);
  CHECK((::fcntl(kept.descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a program that closes the kept descriptor, or puts another file there, is answered truly", "[core][memory]") {
  const Pages pages;
  const KeptPages kept;
  check_answers(kept, pages);
  ::close(kept.descriptor());
  check_answers(kept, pages);

  // A file in which every page would be there: all ones.
  const int other = ::memfd_create("pages", 0);
  REQUIRE(other >= 0);
  const std::vector<char> ones(4096, '\xff');
  const off_t place = static_cast<off_t>(pages.of(1, 1).begin / static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) * 8);
  REQUIRE(::pwrite(other, ones.data(), ones.size(), place) == static_cast<ssize_t>(ones.size()));
  const int stolen = kept.descriptor();
  REQUIRE(::dup2(other, stolen) == stolen);
  check_answers(kept, pages);
  CHECK(kept.descriptor() != stolen);
  CHECK(::fcntl(stolen, F_GETFD) >= 0);  // the program's file stays open
  ::close(stolen);
  ::close(other);
}

TEST_CASE("no descriptor is kept where the process may have few, or has none left", "[core][memory]") {
  const Pages pages;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const rlim_t few : {rlim_t{256}, rlim_t{3}}) {
    const KeptPages kept;
    const rlimit limit{few, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    const bool there = kept.present(pages.of(0, 1)), missing = kept.present(pages.of(1, 1));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(there == (few > 3));  // where no file can be opened, nothing is known to be there
    CHECK_FALSE(missing);
    CHECK(kept.descriptor() == -1);
    check_answers(kept, pages);
  }
}

TEST_CASE("a forked child closes the parent's descriptor, and only that", "[core][memory]") {
  const Pages pages;
  const KeptPages kept;
  check_answers(kept, pages);
  const int file = kept.descriptor();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    kept.close_kept();
    const bool closed = ::fcntl(file, F_GETFD) < 0;
    const KeptPages own;
    ::_exit(closed && own.present(pages.of(0, 1)) && !own.present(pages.of(1, 1)) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(kept.descriptor() == file);
  check_answers(kept, pages);
}

TEST_CASE("threads may ask at once while the descriptor is being closed", "[core][memory]") {
  const Pages pages;
  const KeptPages kept;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        if (kept.present(pages.of(1, 1))) ++wrong;
        if (round % 50 == 0) kept.close_kept();
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
  check_answers(kept, pages);
}

}  // namespace
}  // namespace dlscope::core
