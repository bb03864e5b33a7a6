// What a page is: memory of this process alone, or a file's, or shared.
#include "core/memory/file_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

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
  REQUIRE(file_mapping_at(of_file.address()));
  CHECK(file_mapping_at(of_file.address())->shared);
  CHECK_FALSE(file_mapping_at(own.address()));
}

}  // namespace dlscope::core
