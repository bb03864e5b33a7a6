#include "app/models/hex/hex_bytes.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/mman.h>

#include <cstring>

#include "core/memory/deadline_reader.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kPage = 4096;

// A mapping of this process that goes away with it.
class Mapping {
 public:
  explicit Mapping(std::size_t size, int protection = PROT_READ | PROT_WRITE)
      : size_(size), begin_(mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(begin_ != MAP_FAILED);
  }
  ~Mapping() { munmap(begin_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] core::Address address() const { return reinterpret_cast<core::Address>(begin_); }
  [[nodiscard]] char* at(std::size_t offset) const { return static_cast<char*>(begin_) + offset; }

 private:
  std::size_t size_;
  void* begin_;
};

std::unique_ptr<core::MemoryReader> own_memory() {
  auto reader = core::process_reader(0);
  REQUIRE(reader);
  return std::move(*reader);
}

// Some pages answer in time, some late, some never.
class SlowPages final : public core::MemoryReader {
 public:
  core::Address late_page = 0, silent_page = 0;
  void gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    const core::Address page = addresses.front() / kPage * kPage;
    const bool here = page != late_page && page != silent_page;
    answer_ = page == late_page ? ReadStatus::pending : page == silent_page ? ReadStatus::hung : ReadStatus::fresh;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      REQUIRE(addresses[i] / kPage * kPage == page);
      complete[i] = here ? 1 : 0;
      for (std::size_t b = 0; b < each; ++b) out[i * each + b] = std::byte{0x5a};
    }
  }
  std::size_t read(core::Address, std::span<std::byte>) const override { return 0; }
  [[nodiscard]] ReadStatus last_status() const override { return answer_; }

 private:
  mutable ReadStatus answer_ = ReadStatus::fresh;
};

}  // namespace

TEST_CASE("The last row of a sparse mapping of 100 GiB shows the bytes that lie there", "[app][models][hex]") {
  constexpr std::size_t kSize = std::size_t{100} << 30;
  const Mapping sparse(kSize);
  std::memcpy(sparse.at(kSize - 16), "the very last ro", 16);
  std::memcpy(sparse.at(kSize - 32), "the row before.!", 16);
  const auto reader = own_memory();
  const HexRows all = rows_of({sparse.address(), sparse.address() + kSize}, 16);
  HexBytes bytes;
  bytes.read(*reader, all, all.rows() - 2, 40);
  REQUIRE(bytes.rows.size() == 2);
  CHECK(bytes.begin == sparse.address() + kSize - 32);
  CHECK(std::memcmp(bytes.row(0).data(), "the row before.!", 16) == 0);
  CHECK(std::memcmp(bytes.row(1).data(), "the very last ro", 16) == 0);
  bytes.read(*reader, all, (all.rows() - 1) / 2, 3);  // never written: zeros that are there
  CHECK(bytes.rows == std::vector(3, RowState::readable));
}

TEST_CASE("A row that is not mapped is said to be, and is no row of zeros", "[app][models][hex]") {
  const Mapping pages(3 * kPage);
  std::memset(pages.at(0), 0x11, 3 * kPage);
  REQUIRE(mprotect(pages.at(kPage), kPage, PROT_NONE) == 0);
  const auto reader = own_memory();
  const HexRows all = rows_of({pages.address(), pages.address() + 3 * kPage}, 32);
  HexBytes bytes;
  bytes.read(*reader, all, kPage / 32 - 2, kPage / 32 + 4);
  REQUIRE(bytes.rows.size() == kPage / 32 + 4);
  for (std::size_t row = 0; row < bytes.rows.size(); ++row) {
    const bool there = row < 2 || row >= kPage / 32 + 2;
    INFO(row);
    REQUIRE(bytes.rows[row] == (there ? RowState::readable : RowState::unmapped));
    REQUIRE(bytes.row(row)[5] == (there ? std::byte{0x11} : std::byte{0}));
  }
  std::byte next[8];
  CHECK(bytes.copy_from(bytes.begin + 60, next) == 4);  // four more are known
  CHECK(bytes.copy_from(bytes.begin + 64, next) == 0);
  CHECK(bytes.copy_from(bytes.begin - 1, next) == 0);
}

TEST_CASE("Rows of a page that is late or silent are told from those of its neighbours", "[app][models][hex]") {
  SlowPages pages;
  pages.late_page = kPage;
  pages.silent_page = 3 * kPage;
  const HexRows all{0, 5 * kPage - 1, 16};
  HexBytes bytes;
  bytes.read(pages, all, 0, all.rows());
  CHECK(bytes.rows[kPage / 16 - 1] == RowState::readable);
  CHECK(bytes.rows[kPage / 16] == RowState::awaited);
  CHECK(bytes.rows[2 * kPage / 16] == RowState::readable);
  CHECK(bytes.rows[3 * kPage / 16] == RowState::no_answer);
  CHECK(bytes.rows[4 * kPage / 16] == RowState::readable);
}

TEST_CASE("Kept bytes come back in rows of any width, and only those that were kept", "[app][models][hex]") {
  const Mapping page(kPage);
  for (std::size_t i = 0; i < kPage; ++i) *page.at(i) = static_cast<char>(i);
  const auto reader = own_memory();
  HexRows all = rows_of({page.address(), page.address() + kPage}, 16);
  HexBytes bytes;
  bytes.read(*reader, all, 2, 3);  // bytes 32 to 79
  KeptBytes kept;
  kept.keep(bytes);
  std::memset(page.at(0), 0, kPage);
  HexBytes then;
  kept.take(all, 0, 8, then);
  CHECK(then.rows == std::vector{RowState::not_kept, RowState::not_kept, RowState::readable, RowState::readable,
                                 RowState::readable, RowState::not_kept, RowState::not_kept, RowState::not_kept});
  CHECK(then.row(3)[7] == std::byte{55});
  all.width = 8;
  kept.take(all, 4, 7, then);
  CHECK(then.rows[5] == RowState::readable);
  CHECK(then.row(5)[7] == std::byte{79});
  CHECK(then.rows[6] == RowState::not_kept);
  all.width = 32;
  kept.take(all, 1, 2, then);
  CHECK(then.rows == std::vector{RowState::readable, RowState::not_kept});  // half of the second
  kept.forget();
  CHECK(kept.bytes() == 0);
}

TEST_CASE("No more is kept than was promised", "[app][models][hex]") {
  const Mapping pages(4 * KeptBytes::kMaxBytes);
  const auto reader = own_memory();
  const HexRows all = rows_of({pages.address(), pages.address() + 4 * KeptBytes::kMaxBytes}, 32);
  KeptBytes kept;
  HexBytes bytes;
  for (std::uint64_t row = 0; row < all.rows(); row += 1000) {
    bytes.read(*reader, all, row, 1000);
    kept.keep(bytes);
    REQUIRE(kept.bytes() <= KeptBytes::kMaxBytes);
  }
  kept.take(all, all.rows() - 1, 1, bytes);
  CHECK(bytes.rows[0] == RowState::readable);  // the newest
}

}  // namespace dlscope::app
