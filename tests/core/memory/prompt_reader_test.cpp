// PromptReader: what is there is read by the calling thread, the rest in time.
#include "core/memory/prompt_reader.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using namespace dlscope::core;
using namespace std::chrono_literals;

namespace {

const std::size_t kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// Reads this process; which thread reads how often is counted, and reads of one page may be held up.
class CountedMemory final : public MemoryReader {
 public:
  std::size_t read(Address from, std::span<std::byte> out) const override {
    std::unique_lock lock(mutex_);
    ++(std::this_thread::get_id() == caller_ ? here : elsewhere);
    const Address first = from / kPage, last = (from + out.size() - 1) / kPage;
    freed_.wait(lock, [&] { return held_ == 0 || held_ / kPage < first || last < held_ / kPage; });
    return inner_->read(from, out);
  }
  void hold_up(Address address) {
    const std::lock_guard lock(mutex_);
    held_ = address;
    freed_.notify_all();
  }
  mutable int here = 0, elsewhere = 0;

 private:
  std::unique_ptr<MemoryReader> inner_ = process_reader(0).value();
  std::thread::id caller_ = std::this_thread::get_id();
  mutable std::mutex mutex_;
  mutable std::condition_variable freed_;
  Address held_ = 0;
};

// Sixteen pages without a file, of which the first eight have been touched.
class Pages {
 public:
  Pages() : bytes_(::mmap(nullptr, 16 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    for (std::size_t i = 0; i < 8 * kPage; ++i) static_cast<std::byte*>(bytes_)[i] = static_cast<std::byte>(i * 7 >> 3);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(bytes_, 16 * kPage); }
  [[nodiscard]] Address at(std::size_t page) const { return reinterpret_cast<Address>(bytes_) + page * kPage; }
  void protect(std::size_t page) { ::mprotect(static_cast<std::byte*>(bytes_) + page * kPage, kPage, PROT_NONE); }

 private:
  void* bytes_;
};

// Of memory that is there; some containers forbid it.
bool may_copy_to_itself() {
  std::byte from{1}, to{};
  const iovec local{&from, 1}, remote{&to, 1};
  return ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0) == 1;
}

}  // namespace

TEST_CASE("memory that is there is read on the calling thread, other memory on one that may be given up", "[core][memory]") {
  const Pages pages;
  const auto memory = std::make_shared<CountedMemory>();
  const PromptReader reader(memory, DeadlineReader(memory, {.late = {}}));
  std::vector<std::byte> out(3 * kPage);
  REQUIRE(reader.read(pages.at(2), out) == out.size());
  CHECK(std::memcmp(out.data(), reinterpret_cast<const void*>(pages.at(2)), out.size()) == 0);
  CHECK(memory->elsewhere == 0);
  if (may_copy_to_itself()) CHECK(memory->here == 0);  // no page of it is looked up
  REQUIRE(reader.read(pages.at(6), out) == out.size());  // the third page was never touched
  CHECK(std::memcmp(out.data(), reinterpret_cast<const void*>(pages.at(6)), out.size()) == 0);
  CHECK(memory->elsewhere > 0);
  CHECK(reader.last_status() == MemoryReader::ReadStatus::fresh);
  CHECK(reader.problem().empty());
}

TEST_CASE("many pieces far apart that are there are copied on the calling thread", "[core][memory]") {
  constexpr std::size_t kBytes = std::size_t{80} << 20, kPieces = 400, kEach = 24;
  auto* const bytes =
      static_cast<std::byte*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(bytes != MAP_FAILED);
  for (std::size_t i = 0; i < kBytes; i += 8) std::memcpy(bytes + i, &i, 8);
  std::vector<Address> addresses(kPieces);
  std::mt19937 random(5);
  for (Address& one : addresses) one = reinterpret_cast<Address>(bytes) + random() % (kBytes - kEach);
  std::vector<std::byte> out(kPieces * kEach);
  for (const bool all_there : {true, false}) {
    // One page that is not there among them: of userfaultfd, perhaps.
    if (!all_there) ::madvise(bytes + kBytes / kPage / 2 * kPage, kPage, MADV_DONTNEED);
    const auto memory = std::make_shared<CountedMemory>();
    const PromptReader reader(memory, DeadlineReader(memory, {.late = {}}));
    std::vector<std::uint8_t> complete(kPieces, 0);
    reader.gather(addresses, kEach, out, complete);
    CHECK(std::ranges::all_of(complete, [](std::uint8_t one) { return one == 1; }));
    for (std::size_t i = 0; i < kPieces; ++i)
      REQUIRE(std::memcmp(out.data() + i * kEach, reinterpret_cast<const void*>(addresses[i]), kEach) == 0);
    if (may_copy_to_itself()) CHECK((memory->elsewhere == 0) == all_there);
    CHECK((!may_copy_to_itself() || memory->here == 0));
  }
  ::munmap(bytes, kBytes);
}

TEST_CASE("single bytes that are there are probed on the calling thread, others in time", "[core][memory]") {
  const Pages pages;
  const auto memory = std::make_shared<CountedMemory>();
  DeadlineOptions options;
  options.give_up = 50ms;
  const PromptReader reader(memory, DeadlineReader(memory, options));
  using Probed = MemoryReader::Probed;
  std::array<Probed, 2> found{};
  reader.probe_each(std::array{pages.at(0), pages.at(7) + 5}, found);
  CHECK(found == std::array{Probed::readable, Probed::readable});
  CHECK((memory->here > 0 && memory->elsewhere == 0));
  memory->hold_up(pages.at(12));
  reader.probe_each(std::array{pages.at(0), pages.at(12)}, found);
  CHECK(found == std::array{Probed::readable, Probed::hung});
  CHECK(reader.problem() == "the memory does not answer");
  memory->hold_up(0);
}

TEST_CASE("it reads what a plain reader reads, also where memory cannot be read", "[core][memory]") {
  Pages pages;
  pages.protect(5);
  const std::shared_ptr<const MemoryReader> plain = process_reader(0).value();
  const PromptReader reader(plain, DeadlineReader(plain));
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Address from = pages.at(0) + random() % (15 * kPage);
    std::vector<std::byte> out(random() % (4 * kPage)), expected(out.size());
    out.resize(std::min<std::size_t>(out.size(), pages.at(16) - from));
    expected.resize(out.size());
    const std::size_t got = reader.read(from, out);
    REQUIRE(got == plain->read(from, expected));
    REQUIRE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got), expected.begin()));
    std::vector<Address> addresses(1 + random() % 700);
    for (Address& address : addresses) address = pages.at(0) + random() % (15 * kPage);
    const std::size_t each = 1 + random() % 16;
    std::vector<std::byte> bytes(addresses.size() * each), right(bytes.size());
    std::vector<std::uint8_t> complete(addresses.size()), right_complete(addresses.size());
    reader.gather(addresses, each, bytes, complete);
    plain->gather(addresses, each, right, right_complete);
    REQUIRE(complete == right_complete);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (complete[i] != 0) REQUIRE(std::memcmp(&bytes[i * each], &right[i * each], each) == 0);
    }
  }
  std::vector<std::uint8_t> readable(2);
  reader.probe(std::array{pages.at(0), pages.at(5)}, readable);
  CHECK(readable == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("memory that does not answer is given up, and said to be it", "[core][memory]") {
  const Pages pages;
  const auto memory = std::make_shared<CountedMemory>();
  DeadlineOptions options;
  options.give_up = 50ms;
  const PromptReader reader(memory, DeadlineReader(memory, options));
  memory->hold_up(pages.at(12));
  std::vector<std::byte> out(2 * kPage);
  CHECK(reader.read(pages.at(11), out) < out.size());
  CHECK(reader.last_status() == MemoryReader::ReadStatus::hung);
  CHECK(reader.problem() == "the memory does not answer");
  CHECK(reader.read(pages.at(1), out) == out.size());
  memory->hold_up(0);
}
