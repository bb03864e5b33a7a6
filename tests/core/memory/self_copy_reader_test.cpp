// SelfCopyReader, the room it copies into, and what tells whether addresses are this process's own.
#include "core/memory/self_copy_reader.h"

#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/memory/mapped_here.h"
#include "core/memory/read_buffer.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

Address address_of(const void* at) { return reinterpret_cast<Address>(at); }

// Reads this process; whatever it is asked for is counted.
class CountedReader final : public MemoryReader {
 public:
  std::size_t read(Address from, std::span<std::byte> out) const override {
    ++asked;
    return inner_->read(from, out);
  }
  mutable int asked = 0;

 private:
  std::unique_ptr<MemoryReader> inner_ = process_reader(0).value();
};

void fill(tests::GuardedMemory& memory) {
  for (std::byte* at = memory.begin(); at < memory.guard(); ++at) *at = static_cast<std::byte>((at - memory.begin()) * 7 >> 3);
}

}  // namespace

TEST_CASE("a copy to ourselves reads what a plain reader reads, also where memory cannot be read", "[core][memory]") {
  tests::GuardedMemory memory(3 * tests::page_size());
  fill(memory);
  const std::shared_ptr<const MemoryReader> plain = process_reader(0).value();
  const SelfCopyReader reader(plain);
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Address from = address_of(memory.begin()) + random() % (3 * tests::page_size());
    std::vector<std::byte> out(random() % (2 * tests::page_size())), expected(out.size());
    const std::size_t got = reader.read(from, out);
    REQUIRE(got == plain->read(from, expected));
    REQUIRE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got), expected.begin()));
    const std::size_t each = 1 + random() % 16;
    std::vector<Address> addresses(1 + random() % 1500);
    for (Address& address : addresses) address = address_of(memory.begin()) + random() % (3 * tests::page_size() + each);
    std::vector<std::byte> bytes(addresses.size() * each), right(bytes.size());
    std::vector<std::uint8_t> complete(addresses.size()), right_complete(addresses.size());
    reader.gather(addresses, each, bytes, complete);
    plain->gather(addresses, each, right, right_complete);
    REQUIRE(complete == right_complete);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (complete[i] != 0) REQUIRE(std::memcmp(&bytes[i * each], &right[i * each], each) == 0);
    }
  }
}

TEST_CASE("addresses that no process has are read by nobody", "[core][memory]") {
  const std::shared_ptr<const MemoryReader> plain = process_reader(0).value();
  const SelfCopyReader reader(plain);
  std::vector<std::byte> out(64);
  for (const Address from : {Address{0}, Address{1} << 47, Address{0x8000000000000000}, std::numeric_limits<Address>::max() - 8})
    CHECK(reader.read(from, out) == 0);
  const std::vector<std::byte> here(8, std::byte{3});
  const std::vector<Address> addresses{address_of(here.data()), Address{1} << 63, address_of(here.data())};
  std::vector<std::uint8_t> complete(3);
  reader.gather(addresses, 8, out, complete);
  CHECK(complete == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(std::equal(here.begin(), here.end(), out.begin() + 16));
}

TEST_CASE("a file that became shorter ends the copy where it ends", "[core][memory]") {
  const int file = ::memfd_create("test", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  const std::size_t page = tests::page_size();
  REQUIRE(::ftruncate(file, static_cast<off_t>(4 * page)) == 0);
  void* const memory = ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 7, 4 * page);
  REQUIRE(::ftruncate(file, static_cast<off_t>(page)) == 0);
  std::vector<std::byte> out(4 * page);
  CHECK(SelfCopyReader(process_reader(0).value()).read(address_of(memory), out) == page);
  CHECK(std::ranges::all_of(std::span(out).first(page), [](std::byte byte) { return byte == std::byte{7}; }));
  ::munmap(memory, 4 * page);
  ::close(file);
}

TEST_CASE("room for much begins where a huge page can, room for little is of the heap", "[core][memory]") {
  ReadBuffer large(ReadBuffer::kLarge);
  const std::span<std::byte> bytes = large.first(300'000);
  CHECK(address_of(bytes.data()) % ReadBuffer::kHugePage == 0);
  std::ranges::fill(bytes, std::byte{9});
  CHECK(large.first(1000).data() == bytes.data());
  CHECK(large.first(300'000)[299'999] == std::byte{9});
  CHECK(large.first(ReadBuffer::kHugePage + 1).size() == ReadBuffer::kHugePage + 1);
  CHECK(large.data()[ReadBuffer::kHugePage] == std::byte{0});
  ReadBuffer moved = std::move(large);
  moved.first(ReadBuffer::kHugePage)[5] = std::byte{1};
  ReadBuffer small(ReadBuffer::kLarge - 1);
  CHECK(small.first(100).size() == 100);
  CHECK(small.first(0).empty());
}

TEST_CASE("what is mapped here is told from what is not", "[core][memory]") {
  const tests::GuardedMemory memory(1);
  CHECK(is_mapped_here(address_of(memory.begin())));
  CHECK(is_mapped_here(address_of(memory.guard())));  // though it cannot be read
  CHECK_FALSE(is_mapped_here(0));
  CHECK_FALSE(is_mapped_here(Address{1} << 63));
}

TEST_CASE("nobody else is asked for what the kernel copies", "[core][memory]") {
  tests::GuardedMemory memory(tests::page_size());
  fill(memory);
  const auto other = std::make_shared<CountedReader>();
  const SelfCopyReader reader(other);
  std::vector<std::byte> out(tests::page_size());
  REQUIRE(reader.read(address_of(memory.begin()), out) == out.size());
  CHECK(std::memcmp(out.data(), memory.begin(), out.size()) == 0);
  if (other->asked > 0) SKIP("the system forbids process_vm_writev");
  CHECK(reader.read(address_of(memory.begin()) + 1, out) == out.size() - 1);
  CHECK(other->asked == 1);
}

}  // namespace dlscope::core
