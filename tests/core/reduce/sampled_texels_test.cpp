// A sample's texels: whatever the layout, each is of values that lie in the texel, and says where they cannot be read. Neighbours are
// read in pieces, so that a value of the next texel, row or axis would be the mistake.
#include "core/reduce/sampled_texels.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "slow_texels.h"

namespace dlscope::core {
namespace {

const CellAxes kPlain{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};

class CountingReader final : public MemoryReader {
 public:
  std::size_t read(Address from, std::span<std::byte> out) const override { return inner_->read(from, out); }
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    pieces += addresses.size();
    inner_->gather(addresses, each, out, complete);
  }
  mutable std::size_t pieces = 0;

 private:
  std::unique_ptr<MemoryReader> inner_ = process_reader(0).value();
};

Texels sample(const TensorValues& values, const CellAxes& axes, const CellWindow& window, const MemoryReader& reader) {
  TensorValues read = values;
  read.source = values.source.read_by(reader);
  SampledTexels sampled(read, axes, window);
  Texels out;
  out.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())});
  for (std::int64_t line = 0; line < sampled.line_count(); ++line) {
    sampled.begin(line);
    REQUIRE(sampled.advance(0, out).value());
  }
  return out;
}

// Why a sample is none of this tensor; "" if it may be one.
std::string fault_of(const Texels& got, const TensorValues& values, const void* memory, const CellAxes& axes,
                     const CellWindow& window) {
  const CellWindow cells{window.row, window.column, window.rows, window.columns, 1, 1};
  const Texels each = test::slow_texels(values.dtype, values.layout, memory, axes, cells);
  for (std::int64_t texel = 0; texel < static_cast<std::int64_t>(got.size()); ++texel) {
    const std::int64_t row = texel / window.texel_columns() * window.row_step;
    const std::int64_t column = texel % window.texel_columns() * window.column_step;
    std::vector<double> there;
    std::uint8_t flags = 0;
    for (std::int64_t r = row; r < std::min(row + window.row_step, window.rows); ++r) {
      for (std::int64_t c = column; c < std::min(column + window.column_step, window.columns); ++c) {
        const auto cell = static_cast<std::size_t>(r * window.columns + c);
        flags |= each.flags[cell];
        if ((each.flags[cell] & kTexelFinite) != 0) there.push_back(each.min[cell]);
      }
    }
    const auto at = static_cast<std::size_t>(texel);
    // Magnitudes of complex numbers are rounded.
    const auto has = [&](double value) {
      return std::ranges::any_of(there, [&](double one) { return std::abs(one - value) <= 1e-12 * std::abs(value); });
    };
    if (got.flags[at] == 0 || (got.flags[at] & ~flags) != 0)
      return fmt::format("texel {} of {}: flags {} of {}", texel, got.size(), got.flags[at], flags);
    if ((got.flags[at] & kTexelFinite) != 0 &&
        !(has(got.min[at]) && has(got.max[at]) && got.min[at] <= got.mean[at] && got.mean[at] <= got.max[at]))
      return fmt::format("texel {} of {}: {} to {}", texel, got.size(), got.min[at], got.max[at]);
  }
  return {};
}

struct Case {
  Layout layout;
  std::size_t first = 0;  // bytes
  CellAxes axes = kPlain;
};

// Rows and columns of different lengths and directions, folded axes, gaps, repeats.
std::vector<Case> cases(std::int64_t bits) {
  const auto unit = static_cast<std::size_t>(bits) / 8;
  CellAxes folded{.down = {0, 1}, .across = {2, 3}, .reduced = {}, .at = {0, 0, 0, 0}};
  CellAxes backwards = kPlain;
  backwards.at = {-1, -1};
  return {{Layout::c_order({50, 70}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({70, 50}, {1, 70}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({40, 60}, {-75, -1}, static_cast<std::uint32_t>(bits)), (39 * 75 + 59) * unit},
          {Layout::from_element_strides({40, 60}, {-1, 45}, static_cast<std::uint32_t>(bits)), 39 * unit},
          {Layout::from_element_strides({40, 30}, {90, 3}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({40, 30}, {2, 90}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({40, 30}, {0, 2}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({40, 30}, {1, 0}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({40, 30}, {1, 1}, static_cast<std::uint32_t>(bits))},
          {Layout::from_element_strides({3, 13, 4, 17}, {17 * 13 + 5, 17, 1000, 1}, static_cast<std::uint32_t>(bits)), 0, folded},
          {Layout::from_element_strides({3, 13, 4, 17}, {13, 1, 1000, 50}, static_cast<std::uint32_t>(bits)), 0, folded},
          {Layout::c_order({50, 70}, static_cast<std::uint32_t>(bits)), 0, backwards}};
}

TEST_CASE("each texel of a sample is of values that lie in it", "[core][reduce]") {
  std::mt19937 chance(31);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(n)); };
  std::vector<std::byte> memory(std::size_t{1} << 17);
  for (std::byte& one : memory) one = static_cast<std::byte>(chance());
  const CountingReader reader;
  for (const char* const name : {"int8", "float16", "float32", "int64", "complex64", "complex128", "float8_e4m3fn"}) {
    const DType dtype = *dtype_from_name(name);
    for (const Case& one : cases(dtype.bits)) {
      const TensorValues values{dtype, one.layout, reinterpret_cast<Address>(memory.data() + one.first), {}};
      const CellCounts all = count_cells(one.layout, one.axes).value();
      for (int i = 0; i < 12; ++i) {
        CellWindow window{below(all.rows), below(all.columns), 0, 0, 1 + below(9), 1 + below(9)};
        if (i == 0) window = {0, 0, 0, 0, 4, 5};
        window.rows = i == 0 ? all.rows : 1 + below(all.rows - window.row);
        window.columns = i == 0 ? all.columns : 1 + below(all.columns - window.column);
        INFO(name << ", strides " << one.layout.stride_bits[0] << ", " << one.layout.stride_bits.back() << ", window " << window.row
                  << ", " << window.column << ": " << window.rows << " x " << window.columns << " by " << window.row_step << " x "
                  << window.column_step);
        const Texels got = sample(values, one.axes, window, reader);
        REQUIRE(fault_of(got, values, memory.data() + one.first, one.axes, window).empty());
        CHECK(sample(values, one.axes, window, reader).mean == got.mean);  // the same again
      }
    }
  }
}

TEST_CASE("a window that begins elsewhere samples the same values", "[core][reduce]") {
  std::vector<float> memory(600 * 900);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const CountingReader reader;
  for (const bool turned : {false, true}) {
    const Layout layout = turned ? Layout::from_element_strides({900, 600}, {1, 900}, 32) : Layout::c_order({600, 900}, 32);
    const TensorValues values{*dtype_from_name("float32"), layout, reinterpret_cast<Address>(memory.data()), {}};
    const Texels all = sample(values, kPlain, {0, 0, 600, 600, 10, 9}, reader);
    const CellWindow part{40, 63, 200, 300, 10, 9};  // from the fifth row and the eighth column of texels on
    const Texels got = sample(values, kPlain, part, reader);
    for (std::size_t row = 0; row < 20; ++row)
      for (std::size_t column = 0; column < 33; ++column)
        REQUIRE(got.mean[row * got.rect.columns + column] == all.mean[(row + 4) * all.rect.columns + column + 7]);
  }
}

TEST_CASE("texels that lie close together are read with few pieces, rows and columns alike", "[core][reduce]") {
  const std::vector<float> memory(1000 * 1000, 1.0F);
  for (const bool turned : {false, true}) {
    const Layout layout = turned ? Layout::from_element_strides({1000, 1000}, {1, 1000}, 32) : Layout::c_order({1000, 1000}, 32);
    const CountingReader reader;
    const TensorValues values{*dtype_from_name("float32"), layout, reinterpret_cast<Address>(memory.data()), {}};
    const Texels got = sample(values, kPlain, {0, 0, 1000, 1000, 10, 10}, reader);
    CHECK(std::ranges::all_of(got.flags, [](std::uint8_t flags) { return flags == kTexelFinite; }));
    CHECK(reader.pieces <= got.size() / 3);
  }
}

TEST_CASE("of a piece that cannot be read as a whole, what can be read is", "[core][reduce]") {
  constexpr std::size_t kPage = 4096, kBytes = 10 * kPage;
  void* const mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto* const memory = static_cast<std::byte*>(mapped);
  std::memset(memory, 1, kBytes);
  constexpr std::int64_t kBad = 3 * kPage;
  REQUIRE(::mprotect(memory + kBad, kPage, PROT_NONE) == 0);
  const Layout layout = Layout::c_order({1, kBytes}, 8);
  const TensorValues values{*dtype_from_name("int8"), layout, reinterpret_cast<Address>(memory), {}};
  const CountingReader reader;
  for (const std::int64_t step : {7, 100, 3000}) {
    const Texels got = sample(values, kPlain, {0, 0, 1, kBytes, 1, step}, reader);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(got.size()); ++i) {
      const std::int64_t begin = i * step, end = std::min<std::int64_t>(begin + step, kBytes);
      const std::uint8_t flags = got.flags[static_cast<std::size_t>(i)];
      INFO(step << ", texel " << i);
      if (end <= kBad || begin >= kBad + 4096) REQUIRE(flags == kTexelFinite);
      if (begin >= kBad && end <= kBad + 4096) REQUIRE(flags == kTexelUnread);
    }
  }
  ::munmap(memory, kBytes);
}

}  // namespace
}  // namespace dlscope::core
