#include "core/memory/address_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <string>

#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

constexpr const char* kMaps =
    "00400000-00452000 r-xp 00001000 08:02 173521                             /usr/bin/some program (deleted)\n"
    "00651000-00652000 r--p 00051000 08:02 173521                             /usr/bin/some program (deleted)\n"
    "00652000-00655000 rw-p 00000000 00:00 0 \n"
    "00655000-00656000 ---p 00000000 00:00 0 \n"
    "00656000-00657000 rw-s 00000000 00:01 99      /dev/shm/x\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

TEST_CASE("every field of a maps line is read", "[memory]") {
  const AddressMap map = AddressMap::parse(kMaps);
  REQUIRE(map.mappings().size() == 6);
  const Mapping& code = map.mappings()[0];
  CHECK(code.range == ByteRange{0x400000, 0x452000});
  CHECK((code.read && !code.write && code.execute && !code.shared));
  CHECK(code.file_offset == 0x1000);
  CHECK((code.device == (std::uint64_t{8} << 32 | 2) && code.inode == 173521));
  CHECK(code.path == "/usr/bin/some program (deleted)");
  CHECK(map.mappings()[2].path.empty());
  CHECK((map.mappings()[2].device == 0 && map.mappings()[2].inode == 0));
  CHECK((map.mappings()[4].write && map.mappings()[4].shared));
  CHECK(map.mappings()[5].range.end == 0xffffffffff601000);
  CHECK(map.mappings()[5].path == "[vsyscall]");
}

TEST_CASE("an address is found in its mapping and nowhere else", "[memory]") {
  const AddressMap map = AddressMap::parse(kMaps);
  CHECK(map.find(0) == nullptr);
  CHECK(map.find(0x3fffff) == nullptr);
  CHECK(map.find(0x400000) == &map.mappings()[0]);
  CHECK(map.find(0x451fff) == &map.mappings()[0]);
  CHECK(map.find(0x452000) == nullptr);
  CHECK(map.find(0x651000) == &map.mappings()[1]);
  CHECK(map.find(~Address{0}) == nullptr);
  CHECK(AddressMap::parse("").find(1) == nullptr);
}

TEST_CASE("a range is readable when every byte of it is", "[memory]") {
  const AddressMap map = AddressMap::parse(kMaps);
  CHECK(map.readable({0x651000, 0x655000}));  // two neighbours
  CHECK_FALSE(map.readable({0x651000, 0x655001}));
  CHECK_FALSE(map.readable({0x650fff, 0x652000}));
  CHECK_FALSE(map.readable({0x451fff, 0x651001}));  // a hole between
  CHECK_FALSE(map.readable({0x655000, 0x655001}));
  CHECK(map.readable({0x656000, 0x657000}));
  CHECK_FALSE(map.readable({0xffffffffff600000, 0xffffffffff600001}));
  CHECK_FALSE(map.readable({0, ~Address{0}}));
  CHECK(map.readable({5, 5}));
}

TEST_CASE("only mapped code is executable", "[memory]") {
  const AddressMap map = AddressMap::parse(kMaps);
  CHECK(map.executable(0x400000));
  CHECK_FALSE(map.executable(0x651000));
  CHECK_FALSE(map.executable(0x500000));
}

TEST_CASE("bad lines are skipped and good ones kept, in any order", "[memory]") {
  const AddressMap map = AddressMap::parse(
      "\n"
      "nonsense\n"
      "2000-3000 r--p 0 0:0 0 /second\n"
      "3000-2000 r--p 0 0:0 0 /backwards\n"
      "4000-4000 r--p 0 0:0 0 /empty\n"
      "5000-6000\n"
      "5000-6000 r-\n"
      "5000 r--p 0 0:0 0\n"
      "11111111111111111-22222222222222222 r--p 0 0:0 0 /too long\n"
      "-1000-2000 r--p 0 0:0 0 /negative\n"
      "1000-2000 r--p 0 0:0 0 /first");
  REQUIRE(map.mappings().size() == 2);
  CHECK(map.mappings()[0].path == "/first");
  CHECK(map.mappings()[1].path == "/second");
}

TEST_CASE("this process's own map knows its code, its stack and its forbidden pages", "[memory]") {
  const tests::GuardedMemory guarded(1);
  const int on_stack = 0;
  for (const pid_t pid : {pid_t{0}, ::getpid()}) {
    const AddressMap map = AddressMap::load(pid).value();
    CHECK(map.executable(reinterpret_cast<Address>(&AddressMap::parse)));
    CHECK_FALSE(map.executable(reinterpret_cast<Address>(&on_stack)));
    CHECK(map.find(reinterpret_cast<Address>(&on_stack))->path == "[stack]");
    CHECK(map.readable({guarded.guard_address() - 1, guarded.guard_address()}));
    CHECK_FALSE(map.readable({guarded.guard_address() - 1, guarded.guard_address() + 1}));
    CHECK(map.find(guarded.guard_address()) != nullptr);
  }
}

TEST_CASE("a process that does not exist has no map, and says so", "[memory]") {
  const auto map = AddressMap::load(0x7fff'ffff);
  REQUIRE_FALSE(map);
  CHECK(map.error().kind == ErrorKind::environment);
  CHECK(map.error().message == "cannot read /proc/2147483647/maps: No such file or directory");
}

TEST_CASE("twenty thousand mappings are read completely", "[memory]") {
  // Neighbours of alternating rights cannot be merged by the kernel.
  constexpr std::size_t kPages = 20'000;
  const std::size_t page = tests::page_size();
  void* base = ::mmap(nullptr, kPages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(base != MAP_FAILED);
  const auto begin = reinterpret_cast<Address>(base);
  bool split = true;
  for (std::size_t i = 0; i < kPages && split; i += 2) {
    split = ::mprotect(static_cast<std::byte*>(base) + i * page, page, PROT_READ) == 0;
  }
  if (split) {
    const AddressMap map = AddressMap::load(0).value();
    CHECK(map.mappings().size() >= kPages);
    std::size_t right = 0;
    for (std::size_t i = 0; i < kPages; ++i) {
      const Mapping* mapping = map.find(begin + i * page);
      right += mapping != nullptr && mapping->read == (i % 2 == 0);
    }
    CHECK(right == kPages);
  }
  ::munmap(base, kPages * page);
  if (!split) SKIP("the system allows fewer mappings than this test makes");
}

}  // namespace
TEST_CASE("the map is read when no descriptor is left, and nothing of the process's is closed", "[core][memory]") {
#ifdef __SANITIZE_ADDRESS__
  SKIP("the undefined-behaviour sanitizer looks at memory through a pipe: without descriptors it takes a good object for a bad one");
#endif
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  std::vector<int> taken;
  for (int fd = ::dup(2); fd >= 0; fd = ::dup(2)) taken.push_back(fd);
  const int error = errno;
  const auto map = AddressMap::load(0);
  const bool kept = ::fcntl(0, F_GETFD) >= 0 || ::fcntl(2, F_GETFD) >= 0;
  for (const int fd : taken) ::close(fd);
  CHECK(error == EMFILE);
  CHECK(kept);
  REQUIRE(map.has_value());
  CHECK(map->find(reinterpret_cast<Address>(&before)) != nullptr);
}

}  // namespace dlscope::core
