#include "core/memory/memory_reader.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

using tests::GuardedMemory;
using tests::page_size;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

std::size_t count_readable(const MemoryReader& reader, Address from, std::size_t size) {
  std::vector<std::byte> out(size);
  return reader.read(from, out);
}

// Each check returns the number of its first failure, 0 for none: they also run in children, where no test framework is.
int check_contents(const MemoryReader& reader) {
  std::array<std::uint32_t, 5000> numbers{};
  std::iota(numbers.begin(), numbers.end(), 7u);
  std::array<std::uint32_t, 5000> copy{};
  if (reader.read(address_of(numbers.data()), std::as_writable_bytes(std::span(copy))) != sizeof numbers) return 1;
  if (copy != numbers) return 2;
  if (reader.read(address_of(numbers.data()), {}) != 0) return 3;
  return 0;
}

int check_borders(const MemoryReader& reader) {
  const GuardedMemory memory(3 * page_size());
  memory.last(1)[0] = std::byte{42};
  const Address guard = memory.guard_address();
  if (count_readable(reader, guard - 1, 1) != 1) return 11;
  if (count_readable(reader, guard - 100, 200) != 100) return 12;
  if (count_readable(reader, address_of(memory.begin()), 5 * page_size()) != 3 * page_size()) return 13;
  if (count_readable(reader, guard, 1) != 0) return 14;  // PROT_NONE
  std::byte last{};
  if (reader.read(guard - 1, {&last, 1}) != 1 || last != std::byte{42}) return 15;
  return 0;
}

int check_wild_addresses(const MemoryReader& reader) {
  int number = 21;
  for (const Address wild : {Address{0}, Address{1}, Address{4095}, Address{0x0000'8000'0000'0000},
                             Address{0x8000'0000'0000'0000}, Address{0xffff'8000'0000'0000}, ~Address{0}, ~Address{0} - 8}) {
    if (count_readable(reader, wild, 64) != 0) return number;
    ++number;
  }
  return 0;
}

int check_rights(const MemoryReader& reader) {
  const GuardedMemory memory(page_size());
  if (::mprotect(memory.begin(), page_size(), PROT_EXEC) != 0) return 0;  // refused here: nothing to see
  const std::size_t got = count_readable(reader, address_of(memory.begin()), 8);
  ::mprotect(memory.begin(), page_size(), PROT_READ | PROT_WRITE);
  return got == 0 ? 0 : 31;
}

int check_past_end_of_file(const MemoryReader& reader) {
  const int file = ::memfd_create("dlscope-test", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, 100) != 0) return 41;
  const std::size_t page = page_size();
  void* base = ::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (base == MAP_FAILED) return 42;
  const std::size_t got = count_readable(reader, address_of(base), 2 * page);  // a load of the second page is SIGBUS
  ::munmap(base, 2 * page);
  return got == page ? 0 : 43;
}

int check_probe(const MemoryReader& reader) {
  const GuardedMemory memory(1);
  std::vector<Address> addresses;
  std::vector<std::uint8_t> expected;
  for (std::size_t i = 0; i < 5000; ++i) {
    const bool good = i % 7 != 0 && i % 1024 != 1023;
    addresses.push_back(good ? memory.guard_address() - 1 - i % 100 : i % 2 ? memory.guard_address() : i);
    expected.push_back(good);
  }
  std::vector<std::uint8_t> got(addresses.size(), 99);
  reader.probe(addresses, got);
  if (got != expected) return 51;
  reader.probe({}, {});
  return 0;
}

int check_gather(const MemoryReader& reader) {
  constexpr std::size_t kEach = 5, kPieces = 3000;
  const GuardedMemory memory(1);
  for (std::size_t i = 0; i < page_size(); ++i) memory.begin()[i] = static_cast<std::byte>(i * 7);
  std::vector<Address> addresses;
  std::vector<std::byte> got(kPieces * kEach, std::byte{1});
  std::vector<std::uint8_t> complete(kPieces, 99);
  for (std::size_t i = 0; i < kPieces; ++i) {
    // Overlapping pieces backwards from the border; every ninth runs over it, or lies nowhere.
    const Address whole = memory.guard_address() - kEach - i % 1000;
    addresses.push_back(i % 9 != 4 ? whole : i % 2 ? memory.guard_address() - 1 - i % (kEach - 1) : ~Address{0} - i % 8);
  }
  reader.gather(addresses, kEach, got, complete);
  for (std::size_t i = 0; i < kPieces; ++i) {
    if (complete[i] != (i % 9 != 4)) return 61;
    if (complete[i] && std::memcmp(&got[i * kEach], reinterpret_cast<const void*>(addresses[i]), kEach) != 0) return 62;
  }
  std::uint8_t nothing = 99;
  reader.gather(std::span(addresses).first(1), 0, {}, {&nothing, 1});
  return nothing == 1 ? 0 : 63;  // no bytes asked for, none missing
}

int check_all(const MemoryReader& reader) {
  for (const auto check :
       {check_contents, check_borders, check_wild_addresses, check_rights, check_past_end_of_file, check_probe, check_gather}) {
    if (const int failure = check(reader)) return failure;
  }
  return 0;
}

// process_vm_readv answers EPERM from now on, as under an old container profile; also /proc/PID/mem when `no_files`.
bool forbid_vm_read(bool no_files) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  if (no_files) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int kNoSeccomp = 100;

// The exit code of `body` run in a child; -1 when a signal ended it.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("this process is read exactly as far as its pages allow", "[memory]") {
  for (const pid_t pid : {pid_t{0}, ::getpid()}) CHECK(check_all(**process_reader(pid)) == 0);
}

TEST_CASE("where process_vm_readv is forbidden, the mem file and the map together say the same", "[memory]") {
  const int result = in_child([] {
    if (!forbid_vm_read(false)) return kNoSeccomp;
    std::byte byte{};
    const iovec here{&byte, 1};
    if (::process_vm_readv(::getpid(), &here, 1, &here, 1, 0) != -1) return 101;
    const auto reader = process_reader(0);
    return reader ? check_all(**reader) : 102;
  });
  if (result == kNoSeccomp) SKIP("system call filters are not allowed here");
  CHECK(result == 0);
}

TEST_CASE("when nothing works the error names both reasons and the fix", "[memory]") {
  const int result = in_child([] {
    if (!forbid_vm_read(true)) return kNoSeccomp;
    const auto reader = process_reader(0);
    if (reader) return 1;
    const std::string& message = reader.error().message;
    if (reader.error().kind != ErrorKind::environment) return 2;
    if (message.find("process_vm_readv: Operation not permitted") == std::string::npos) return 3;
    if (message.find("Permission denied") == std::string::npos) return 4;
    if (message.find("SYS_PTRACE") == std::string::npos) return 5;
    return message.find('\n') == std::string::npos ? 0 : 6;
  });
  if (result == kNoSeccomp) SKIP("system call filters are not allowed here");
  CHECK(result == 0);
}

TEST_CASE("a child's memory is read at the child's addresses, until it is gone", "[memory]") {
  std::uint64_t value = 1;
  int ready[2], done[2];
  REQUIRE((::pipe2(ready, O_CLOEXEC) == 0 && ::pipe2(done, O_CLOEXEC) == 0));
  char byte = 'x';
  const pid_t child = ::fork();
  if (child == 0) {
    value = 77;
    if (::write(ready[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 1) ::_exit(1);
    ::_exit(0);
  }
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  const auto reader = process_reader(child);
  std::uint64_t seen = 0;
  const auto seen_bytes = std::as_writable_bytes(std::span(&seen, 1));
  if (reader) {
    CHECK((*reader)->read(address_of(&value), seen_bytes) == sizeof seen);
    CHECK(seen == 77);
    CHECK(value == 1);
  }
  CHECK(::write(done[1], &byte, 1) == 1);
  ::waitpid(child, nullptr, 0);
  for (const int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
  if (!reader) SKIP("children cannot be read here: " + reader.error().message);
  CHECK((*reader)->read(address_of(&value), seen_bytes) == 0);
}

TEST_CASE("a process that does not exist is not found", "[memory]") {
  const auto reader = process_reader(0x7fff'fffe);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().kind == ErrorKind::not_found);
}

}  // namespace
}  // namespace dlscope::core
