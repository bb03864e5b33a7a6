// Which pages of files a range shows, and what a page is: memory of this process alone, or a file's, or shared.
#include "core/memory/file_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

namespace dlscope::core {
namespace {

class Pages {
 public:
  Pages(int flags, int file) : size_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    bytes_ = static_cast<char*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, file, 0));
    REQUIRE(bytes_ != MAP_FAILED);
  }
  ~Pages() { ::munmap(bytes_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void write() { bytes_[7] = 1; }
  [[nodiscard]] Address address() const { return reinterpret_cast<Address>(bytes_); }

 private:
  std::size_t size_;
  char* bytes_;
};

}  // namespace

TEST_CASE("a page that is nobody else's is told from a file's or a shared one", "[core][memory]") {
  char name[] = "/tmp/dlscope-mapped-XXXXXX";
  const int file = ::mkstemp(name);
  REQUIRE(file >= 0);
  ::unlink(name);
  REQUIRE(::ftruncate(file, ::sysconf(_SC_PAGESIZE)) == 0);
  Pages own(MAP_PRIVATE | MAP_ANONYMOUS, -1), shared(MAP_SHARED | MAP_ANONYMOUS, -1), of_file(MAP_SHARED, file),
      copied(MAP_PRIVATE, file);
  ::close(file);
  CHECK(may_be_file_page(own.address()));  // never touched: nobody can say
  for (Pages* pages : {&own, &shared, &of_file, &copied}) pages->write();
  if (may_be_file_page(own.address())) SKIP("the system does not say of its own pages what they are (/proc/self/pagemap)");
  CHECK(may_be_file_page(shared.address()));
  CHECK(may_be_file_page(of_file.address()));
  CHECK_FALSE(may_be_file_page(copied.address()));  // written: this process's own copy
  const AddressMap map = AddressMap::load(0).value();
  const auto in_file = file_mappings_in(map, {of_file.address(), of_file.address() + 1});
  REQUIRE(in_file.size() == 1);
  CHECK(in_file.front().shared);
  CHECK(file_mappings_in(map, {own.address(), own.address() + 1}).empty());
}

TEST_CASE("the parts of a mapping that the kernel has split are one again", "[core][memory]") {
  const AddressMap map = AddressMap::parse(
      "10000-11000 rw-s 00005000 00:01 7 /memfd:x\n"
      "11000-14000 rw-s 00006000 00:01 7 /memfd:x\n"
      "14000-15000 rw-p 00000000 00:00 0\n"
      "20000-24000 rw-s 00008000 00:01 7 /memfd:x\n");
  const auto whole = file_mappings_in(map, {0x10000, 0x14000});
  REQUIRE(whole.size() == 1);
  CHECK((whole[0].range == ByteRange{0x10000, 0x14000} && whole[0].offset == 0x5000));
  const auto cut = file_mappings_in(map, {0x10800, 0x13800});
  REQUIRE(cut.size() == 1);
  CHECK((cut[0].range == ByteRange{0x10800, 0x13800} && cut[0].offset == 0x5800));
  const auto around = file_mappings_in(map, {0xf000, 0x22000});
  REQUIRE(around.size() == 2);
  CHECK(around[1].range == ByteRange{0x20000, 0x22000});
  CHECK(show_same_pages(around[0], file_mappings_in(map, {0x20000, 0x24000})[0]));
  CHECK_FALSE(show_same_pages(file_mappings_in(map, {0x10000, 0x11000})[0], around[1]));
  CHECK(file_mappings_in(map, {0x14000, 0x20000}).empty());
  CHECK(file_mappings_in(map, {0x10000, 0x10000}).empty());
}

TEST_CASE("neighbours that are not one piece of one file stay apart", "[core][memory]") {
  for (const char* const second : {"11000-12000 rw-s 00002000 00:01 7 /a gap in the file\n", "11000-12000 rw-s 00001000 00:01 8 /b\n",
                                   "11000-12000 rw-s 00001000 08:01 7 /another disk\n", "11000-12000 rw-p 00001000 00:01 7 /a\n",
                                   "12000-13000 rw-s 00001000 00:01 7 /a\n"}) {
    INFO(second);
    const AddressMap map = AddressMap::parse(std::string("10000-11000 rw-s 00000000 00:01 7 /a\n") + second);
    CHECK(file_mappings_in(map, {0x10000, 0x13000}).size() == 2);
  }
}

TEST_CASE("the first SysV segment is shared memory, although its inode is 0", "[core][memory]") {
  const AddressMap map = AddressMap::parse(
      "10000-11000 rw-s 00000000 00:01 0          /SYSV00000000 (deleted)\n"
      "20000-21000 rw-s 00000000 00:01 0          /SYSV00000000 (deleted)\n"
      "30000-31000 rw-p 00000000 00:00 0          [heap]\n");
  const auto first = file_mappings_in(map, {0x10000, 0x11000}), second = file_mappings_in(map, {0x20000, 0x21000});
  REQUIRE((first.size() == 1 && second.size() == 1));
  CHECK(show_same_pages(first[0], second[0]));
  CHECK(file_mappings_in(map, {0x30000, 0x31000}).empty());
}

TEST_CASE("a file that has become shorter does not reach the end of its mapping", "[core][memory]") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const int file = ::memfd_create("shorter", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(::ftruncate(file, static_cast<off_t>(4 * page)) == 0);
  void* const mapped = ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  const auto begin = reinterpret_cast<Address>(mapped);
  const auto own = process_reader(0).value();
  const AddressMap map = AddressMap::load(0).value();
  CHECK(files_reach_end(*own, map, {begin, begin + 4 * page}));
  REQUIRE(::ftruncate(file, static_cast<off_t>(page + 1)) == 0);
  CHECK_FALSE(files_reach_end(*own, map, {begin, begin + 4 * page}));
  CHECK(files_reach_end(*own, map, {begin, begin + 2 * page}));  // what remains of a page is readable, the rest of it is zero
  CHECK_FALSE(files_reach_end(*own, map, {begin + 2 * page, begin + 2 * page + 1}));
  const int on_stack = 0;
  CHECK(files_reach_end(*own, map, {reinterpret_cast<Address>(&on_stack), reinterpret_cast<Address>(&on_stack) + 1}));
  ::munmap(mapped, 4 * page);
  ::close(file);
}

}  // namespace dlscope::core
