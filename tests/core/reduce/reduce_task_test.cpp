// Pictures of tensors: against a judge that decodes every value by itself, for every dtype and any strides, mapping, window and zoom;
// then what a person relies on: one NaN is seen at every zoom, a sample says so, a broadcast costs nothing, bad memory is no crash.
#include "core/reduce/reduce_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/base/checked_math.h"
#include "slow_texels.h"
#include "tests/support/meeting_reader.h"
#include "tests/support/put_part.h"

namespace dlscope::core {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::shared_ptr<const MemoryReader> own_memory() { return process_reader(0).value(); }

TensorValues values_of(const char* dtype, const Layout& layout, const void* data) {
  return {*dtype_from_name(dtype), layout, reinterpret_cast<Address>(data), {}};
}

CellWindow whole(std::int64_t rows, std::int64_t columns, std::int64_t row_step, std::int64_t column_step) {
  return {0, 0, rows, columns, row_step, column_step};
}

// All that a task said, put together; how much of it was a sample.
struct Picture {
  Texels texels;
  std::size_t sampled = 0, exact = 0;
  std::string failed;
};

Picture picture_of(const TensorValues& values, const CellAxes& axes, const CellWindow& window, std::uint64_t most_exact = kAll,
                   unsigned threads = 0, std::shared_ptr<const MemoryReader> reader = own_memory()) {
  auto task = ReduceTask::make(values, axes, window, most_exact, nullptr, std::move(reader), threads);
  INFO((task ? std::string() : task.error().message));
  REQUIRE(task);
  Picture out;
  out.texels.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())},
                    static_cast<std::uint32_t>(count_channels(values.layout, axes)));
  std::uint64_t before = 0;
  for (bool more = true; more;) {
    const auto state = (*task)->step();
    more = state && *state == Task::State::more;
    if (!state) out.failed = state.error().message;
    CHECK((*task)->progress().done <= (*task)->progress().total);
    CHECK((*task)->progress().done >= std::exchange(before, (*task)->progress().done));
    while (const auto part = (*task)->take(1000)) {
      const std::size_t texels = std::size_t{part->repeats_down ? out.texels.rect.rows : part->rect.rows} *
                                 (part->repeats_across ? out.texels.rect.columns : part->rect.columns);
      (part->method == TexelMethod::exact ? out.exact : out.sampled) += texels;
      REQUIRE(fits(*part, out.texels));
      tests::put_part(*part, out.texels);
    }
  }
  return out;
}

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::vector<std::byte> bytes(std::size_t count) {
    std::vector<std::byte> out(count);
    for (std::byte& b : out) b = static_cast<std::byte>(random_());
    return out;
  }

 private:
  std::mt19937_64 random_;
};

// A layout somewhere in the middle of `bits` bits: any strides, also 0, negative and overlapping.
struct Placed {
  Layout layout;
  std::size_t first_byte = 0;
};
std::optional<Placed> random_layout(Chance& chance, DType dtype, int rank, std::int64_t bits) {
  Placed out;
  out.layout.item_bits = dtype.item_bits();
  const std::int64_t unit = dtype.bits % 8 == 0 ? 8 : dtype.bits;
  const int order = static_cast<int>(chance.below(3));
  std::int64_t dense = dtype.item_bits();
  for (int d = 0; d < rank; ++d)
    out.layout.shape.push_back(chance.below(12) == 0 ? chance.below(2) : 1 + chance.below(rank > 4 ? 3 : 9));
  out.layout.stride_bits.assign(out.layout.shape.size(), 0);
  std::vector<std::size_t> axes(out.layout.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  for (std::size_t i = axes.size(); order == 1 && i-- > 1;)
    std::swap(axes[i], axes[static_cast<std::size_t>(chance.below(static_cast<std::int64_t>(i) + 1))]);
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t d = axes[i];
    out.layout.stride_bits[d] = order == 2 ? (chance.below(41) - 20) * unit : chance.below(4) == 0 ? -dense : dense;
    if (order != 2 && chance.below(9) == 0) out.layout.stride_bits[d] = 0;
    dense *= std::max<std::int64_t>(out.layout.shape[d], 1);
    if (chance.below(4) == 0) dense += unit;
  }
  const auto bounds = validate(out.layout);
  if (!bounds || bounds->elements > 20'000) return std::nullopt;
  out.first_byte = static_cast<std::size_t>(-floor_div(bounds->lowest_bit, 8));
  if ((bounds->highest_bit - bounds->lowest_bit) / 8 + 64 > bits / 8) return std::nullopt;
  return out;
}

CellAxes random_axes(Chance& chance, const Layout& layout) {
  CellAxes axes;
  axes.lanes = static_cast<CellValue>(chance.below(3));
  const bool mixed = chance.below(2) == 0;
  const bool reverses = chance.below(2) == 0;
  std::vector<std::uint8_t> order(layout.shape.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  for (std::size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(chance.below(static_cast<std::int64_t>(i) + 1))]);
  for (const std::int64_t size : layout.shape) axes.at.push_back(size > 0 ? chance.below(size) : 0);
  for (const std::uint8_t axis : order) {
    const auto use = chance.below(6);
    const CellValue value = mixed ? static_cast<CellValue>(chance.below(3)) : axes.lanes;
    if (use == 0 || use == 4) axes.down.push_back(axis);
    if (use == 1) axes.across.push_back(axis);
    const std::int64_t size = layout.shape[axis];
    const bool is_channel = use == 5 && !axes.channel && size >= 1 && size <= kMaxChannels;
    if (is_channel) axes.channel = axis;
    if (use == 2 || (use >= 3 && use != 4 && !is_channel && size == 0)) axes.reduced.push_back({axis, value});
  }
  for (const auto* const line : {&axes.down, &axes.across}) {
    for (const std::uint8_t axis : *line) {
      if (reverses && chance.below(2) == 0) axes.at[axis] = -1;
    }
  }
  return axes;
}

CellWindow random_window(Chance& chance, CellCounts cells) {
  CellWindow w;
  w.row = chance.below(cells.rows + 1);
  w.column = chance.below(cells.columns + 1);
  w.rows = chance.below(3) == 0 ? cells.rows - w.row : chance.below(cells.rows - w.row + 1);
  w.columns = chance.below(3) == 0 ? cells.columns - w.column : chance.below(cells.columns - w.column + 1);
  w.row_step = 1 + chance.below(chance.below(2) == 0 ? 1 : cells.rows + 2);
  w.column_step = 1 + chance.below(chance.below(2) == 0 ? 1 : cells.columns + 2);
  return w;
}

TEST_CASE("exact pictures of every dtype, layout, mapping, window and zoom", "[core][reduce]") {
  constexpr std::int64_t kBytes = 1 << 16;
  Chance chance(20);
  const std::vector<std::byte> memory = chance.bytes(kBytes);
  for (unsigned code = 0; code <= static_cast<unsigned>(DTypeCode::float4_e2m1fn); ++code) {
    for (unsigned bits = 1; bits <= 128; ++bits) {
      const DType single{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
      if (!has_statistics(single)) continue;
      for (int round = 0, made = 0; made < 70 && round < 1000; ++round) {
        DType dtype = single;
        if (chance.below(8) == 0 && bits % 8 == 0) dtype.lanes = static_cast<std::uint16_t>(2 + chance.below(3));
        const auto placed = random_layout(chance, dtype, static_cast<int>(chance.below(9)), kBytes * 8);
        if (!placed) continue;
        ++made;
        const CellAxes axes = random_axes(chance, placed->layout);
        const auto cells = count_cells(placed->layout, axes);
        REQUIRE(cells);
        const CellWindow window = random_window(chance, *cells);
        const std::byte* const data = memory.data() + placed->first_byte + 16;
        INFO(dtype_name(dtype) << " " << describe(placed->layout)
                               << fmt::format(" down {} across {} reduced {} {} channels {} at {}", axes.down.size(),
                                              axes.across.size(), axes.reduced.size(), cell_value_name(axes.lanes),
                                              axes.channel.has_value(), fmt::join(axes.at, ","))
                               << fmt::format(" window {},{} {}x{} steps {},{}", window.row, window.column, window.rows,
                                              window.columns, window.row_step, window.column_step));
        const TensorValues values{dtype, placed->layout, reinterpret_cast<Address>(data), {}};
        const Picture got = picture_of(values, axes, window, kAll, made % 8 == 0 ? 3 : 0);
        const Texels expected = test::slow_texels(dtype, placed->layout, data, axes, window);
        REQUIRE(got.failed.empty());
        CHECK(got.exact == expected.rect.size());
        const bool means = axes.lanes == CellValue::mean ||
                           std::ranges::find(axes.reduced, CellValue::mean, &ReducedAxis::value) != axes.reduced.end();
        const bool rounded = means || dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
        REQUIRE(test::difference(got.texels, expected, rounded) == "");
      }
    }
  }
}

TEST_CASE("pictures of negated and conjugated views are those of the values meant", "[core][reduce]") {
  Chance chance(21);
  for (const char* const name : {"float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "uint64",
                                 "complex64", "complex128"}) {
    const DType dtype = *dtype_from_name(name);
    const std::int64_t each = dtype.bits / 8;
    const std::vector<std::byte> stored = chance.bytes(static_cast<std::size_t>(each) * 400'000);
    for (const SignBits signs : {SignBits{.negate = true}, SignBits{.conjugate = true}, SignBits{true, true}}) {
      std::vector<std::byte> meant = stored;
      apply_sign_bits(dtype, signs, meant);
      for (const bool transposed : {false, true}) {
        const Layout layout = transposed ? Layout::from_element_strides({500, 600}, {-1, 500}, dtype.bits)
                                         : Layout::from_element_strides({600, 500}, {520, 1}, dtype.bits);
        const auto values = [&](const std::vector<std::byte>& memory, SignBits of) {
          return TensorValues{dtype, layout, reinterpret_cast<Address>(memory.data()) + static_cast<Address>(transposed ? 499 * each : 0), {},
                              of};
        };
        const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
        const auto cells = count_cells(layout, axes).value();
        for (const std::int64_t step : {1, 7}) {
          const CellWindow window{.row = 3, .column = 5, .rows = 60 * step, .columns = 60 * step, .row_step = step,
                                  .column_step = step};
          INFO(name << " transposed " << transposed << " step " << step);
          const Texels expected = picture_of(values(meant, {}), axes, window, kAll).texels;
          CHECK(test::difference(picture_of(values(stored, signs), axes, window, kAll).texels, expected, false) == "");
        }
        const CellWindow all{.row = 0, .column = 0, .rows = cells.rows, .columns = cells.columns, .row_step = 30, .column_step = 30};
        CHECK(test::difference(picture_of(values(stored, signs), axes, all, 0).texels, picture_of(values(meant, {}), axes, all, 0).texels,
                               false) == "");  // a sample
      }
    }
  }
}

TEST_CASE("axes reduced in several stages: the greatest of the means is not the mean of the greatest", "[core][reduce]") {
  const std::vector<float> memory{0, 4, 1, 1, 8, kNan};  // 3 x 2
  const Layout layout = Layout::c_order({3, 2}, 32);
  const auto number = [&](CellValue outer, CellValue inner) {
    const CellAxes axes{.down = {}, .across = {}, .reduced = {{0, outer}, {1, inner}}, .at = {0, 0}};
    const Picture got = picture_of(values_of("float32", layout, memory.data()), axes, whole(1, 1, 1, 1));
    CHECK(got.texels.flags[0] == (kTexelFinite | kTexelNan));
    return got.texels.mean[0];
  };
  CHECK(number(CellValue::max, CellValue::mean) == 8);
  CHECK(number(CellValue::mean, CellValue::max) == 13.0 / 3);
  CHECK(number(CellValue::mean, CellValue::mean) == 14.0 / 5);  // of all finite numbers
  CHECK(number(CellValue::min, CellValue::max) == 1);
}

TEST_CASE("the channels of an image lie side by side in every layout", "[core][reduce]") {
  std::vector<std::uint8_t> memory(40 * 30 * 3);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 7);
  const Layout layouts[] = {Layout::c_order({40, 30, 3}, 8), Layout::from_byte_strides({40, 30, 3}, {30, 1, 1200}, 8),
                            Layout::from_byte_strides({40, 30, 3}, {90, -3, -1}, 8)};
  for (const Layout& layout : layouts) {
    const std::uint8_t* const data = memory.data() + (layout.stride_bits[1] < 0 ? 29 * 3 + 2 : 0);
    const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0, 0}, .channel = std::uint8_t{2}};
    const CellWindow window = whole(40, 30, 3, 4);
    const TensorValues values = values_of("uint8", layout, data);
    CHECK(count_values(values, axes, window).shown == 3600);
    const Picture got = picture_of(values, axes, window);
    CHECK(test::difference(got.texels, test::slow_texels(values.dtype, layout, data, axes, window), false) == "");
  }
}

TEST_CASE("a lone NaN and a lone infinity are seen at every zoom", "[core][reduce]") {
  constexpr std::int64_t kSide = 1024;
  std::vector<float> memory(kSide * kSide, 1.0F);
  memory[700 * kSide + 901] = kNan;
  memory[3 * kSide + 5] = -std::numeric_limits<float>::infinity();
  for (const bool transposed : {false, true}) {
    const Layout layout =
        transposed ? Layout::from_byte_strides({kSide, kSide}, {4, 4 * kSide}, 32) : Layout::c_order({kSide, kSide}, 32);
    const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
    for (const std::int64_t step : {3, 4, 7, 64, 1000, 5000}) {
      const CellWindow window = whole(kSide, kSide, step, step);
      const Picture got = picture_of(values_of("float32", layout, memory.data()), axes, window);
      const auto texel = [&](std::int64_t row, std::int64_t column) {
        if (transposed) std::swap(row, column);
        return static_cast<std::size_t>(row / step * window.texel_columns() + column / step);
      };
      std::size_t nan = 0, infinite = 0;
      for (const std::uint8_t flags : got.texels.flags) {
        nan += (flags & kTexelNan) != 0 ? 1 : 0;
        infinite += (flags & (kTexelNegInf | kTexelPosInf)) != 0 ? 1 : 0;
        CHECK((flags & kTexelFinite) != 0);
      }
      CHECK(nan == 1);
      CHECK(infinite == 1);
      CHECK((got.texels.flags[texel(700, 901)] & kTexelNan) != 0);
      CHECK((got.texels.flags[texel(3, 5)] & kTexelNegInf) != 0);
      CHECK(got.sampled == 0);  // all of so few are read sooner than some of them one by one
    }
  }
}

TEST_CASE("very many values come as a sample first", "[core][reduce]") {
  constexpr std::int64_t kSide = 5000;
  std::vector<float> memory(2 * kSide);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const Layout layout = Layout::from_element_strides({kSide, kSide}, {1, 1}, 32);  // overlapping: many values, little memory
  const Picture got = picture_of(values_of("float32", layout, memory.data()), axes, whole(kSide, kSide, 50, 50));
  CHECK(got.sampled == got.texels.rect.size());
  CHECK(got.exact == got.texels.rect.size());
  CHECK(got.texels.min[1] == 50);
  CHECK(got.texels.max[1] == 50 + 49 + 49);
}

TEST_CASE("any number of threads gives the same bits", "[core][reduce]") {
  Chance chance(8);
  constexpr std::int64_t kSide = 720;
  const std::vector<std::byte> memory = chance.bytes(kSide * kSide * 4);  // floats of any size, NaN and infinities
  const Layout dense = Layout::c_order({kSide, kSide}, 32), turned = Layout::from_element_strides({kSide, kSide}, {1, kSide}, 32);
  const Layout deep = Layout::c_order({kSide, kSide / 3, 3}, 32);
  const CellAxes plain{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const CellAxes means{.down = {0}, .across = {1}, .reduced = {{2, CellValue::mean}}, .at = {0, 0, 0}};
  const CellAxes channels{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0, 0}, .channel = std::uint8_t{2}};
  const struct {
    const Layout& layout;
    const CellAxes& axes;
    std::int64_t columns;
  } cases[] = {{dense, plain, kSide}, {turned, plain, kSide}, {deep, means, kSide / 3}, {deep, channels, kSide / 3}};
  for (const auto& one : cases) {
    const TensorValues values = values_of("float32", one.layout, memory.data());
    for (const std::uint64_t most_exact : {std::uint64_t{0}, kAll}) {
      const CellWindow window = whole(kSide, one.columns, 5, 3);
      const Picture alone = picture_of(values, one.axes, window, most_exact, 1);
      for (const unsigned threads : {2U, 5U}) {
        const Picture shared = picture_of(values, one.axes, window, most_exact, threads);
        CHECK(shared.texels.mean == alone.texels.mean);
        CHECK(shared.texels.min == alone.texels.min);
        CHECK(shared.texels.max == alone.texels.max);
        CHECK(shared.texels.flags == alone.texels.flags);
        CHECK(shared.exact == alone.exact);
        CHECK(shared.sampled == alone.sampled);
      }
    }
  }
}

TEST_CASE("a step of a picture uses as many threads as it may, sampled and exact", "[core][reduce]") {
  const std::vector<float> memory(1 << 20, 1.0F);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  for (const std::uint64_t most_exact : {std::uint64_t{0}, kAll}) {
    const auto reader = std::make_shared<tests::MeetingReader>();
    const Picture got = picture_of(values_of("float32", Layout::c_order({1024, 1024}, 32), memory.data()), axes,
                                   whole(1024, 1024, 8, 8), most_exact, 2, reader);
    CHECK(reader->met());
    CHECK(got.exact + got.sampled == got.texels.rect.size());
  }
}

TEST_CASE("what was asked to stay a sample says so, and is close", "[core][reduce]") {
  constexpr std::int64_t kSide = 2048;
  std::vector<float> memory(kSide * kSide);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i / kSide);  // the row
  const Layout layout = Layout::c_order({kSide, kSide}, 32);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const CellWindow window = whole(kSide, kSide, 32, 32);
  const Picture got = picture_of(values_of("float32", layout, memory.data()), axes, window, 1000);
  CHECK(got.exact == 0);
  CHECK(got.sampled == got.texels.rect.size());
  for (std::size_t i = 0; i < got.texels.rect.size(); ++i) {
    REQUIRE(got.texels.flags[i] == kTexelFinite);
    const double row = static_cast<double>(i / got.texels.rect.columns) * 32;
    CHECK((got.texels.min[i] >= row && got.texels.max[i] < row + 32));
  }
  // Again: the same values.
  CHECK(picture_of(values_of("float32", layout, memory.data()), axes, window, 1000).texels.mean == got.texels.mean);
}

TEST_CASE("rows and columns that repeat the same memory are read once", "[core][reduce]") {
  std::vector<float> row(100'000, 2.0F);
  row[77] = kNan;
  const Layout layout = Layout::from_byte_strides({100'000, 100'000}, {0, 4}, 32);
  const TensorValues values = values_of("float32", layout, row.data());
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const CellWindow window = whole(100'000, 100'000, 250, 200);
  CHECK(count_values(values, axes, window).to_read == 100'000);
  const Picture got = picture_of(values, axes, window, 0);
  CHECK(got.exact == got.texels.rect.size());
  for (std::size_t i = 0; i < got.texels.rect.size(); ++i)
    REQUIRE(((got.texels.flags[i] & kTexelNan) != 0) == (i % got.texels.rect.columns == 0));
  CHECK(count_values(values, axes, window).shown == 10'000'000'000);
  const CellAxes turned{.down = {1}, .across = {0}, .reduced = {}, .at = {0, 0}};
  CHECK(count_values(values, turned, window).to_read == 100'000);
  const CellAxes reduced{.down = {}, .across = {1}, .reduced = {{0, CellValue::mean}}, .at = {0, 0}};
  CHECK(count_values(values, reduced, whole(1, 100'000, 1, 100)).to_read == 100'000);
}

TEST_CASE("means of the largest doubles stay among them", "[core][reduce]") {
  const std::vector<double> memory(4096, 1.7e308);
  const Layout layout = Layout::c_order({64, 64}, 64);
  const Picture got = picture_of(values_of("float64", layout, memory.data()),
                                 {.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}}, whole(64, 64, 64, 64));
  CHECK(got.texels.mean[0] == 1.7e308);
}

TEST_CASE("the mean of the largest doubles of both signs is a number between them", "[core][reduce]") {
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const std::vector<double> turns{1.7e308, -1.7e308, 1.7e308, -1.7e308}, rows{1.7e308, 1.7e308, -1.7e308, -1.7e308};
  const Layout square = Layout::c_order({2, 2}, 64);
  for (const auto* const memory : {&turns, &rows}) {
    const Picture got = picture_of(values_of("float64", square, memory->data()), axes, whole(2, 2, 2, 2));
    CHECK(got.texels.flags[0] == kTexelFinite);
    CHECK(got.texels.mean[0] == 0);
  }
  // Column sums that overflow one way each.
  std::vector<double> large(4096);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = i % 64 < 32 ? 1.7e308 : -1.7e308;
  const Picture got = picture_of(values_of("float64", Layout::c_order({64, 64}, 64), large.data()), axes, whole(64, 64, 64, 64));
  CHECK(got.texels.flags[0] == kTexelFinite);
  CHECK(got.texels.mean[0] == 0);
}

TEST_CASE("memory that cannot be read: the sample says where, the exact picture fails in words", "[core][reduce]") {
  constexpr std::size_t kBytes = std::size_t{1} << 20, kPage = 4096;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, kBytes);
  REQUIRE(::mprotect(static_cast<std::byte*>(memory) + kBytes / 2, kPage, PROT_NONE) == 0);  // rows 512 to 515
  const Layout layout = Layout::c_order({1024, 1024}, 8);
  const TensorValues values = values_of("int8", layout, memory);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  for (const unsigned threads : {1U, 3U}) {
    const Picture got = picture_of(values, axes, whole(1024, 1024, 4, 64), kAll, threads);
    CHECK(got.failed.find("cannot be read") != std::string::npos);
    for (std::size_t i = 0; i < got.texels.rect.size(); ++i) {
      const bool unread = i / got.texels.rect.columns == 128;
      REQUIRE(got.texels.flags[i] == (unread ? kTexelUnread : kTexelFinite));
    }
  }
  ::munmap(memory, kBytes);
}

TEST_CASE("a task refuses what makes no picture", "[core][reduce]") {
  const std::vector<float> memory(16);
  const Layout layout = Layout::c_order({4, 4}, 32);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const auto make = [&](const char* dtype, const CellWindow& window) {
    return ReduceTask::make(values_of(dtype, layout, memory.data()), axes, window, kAll, nullptr, own_memory());
  };
  CHECK(make("float32", whole(4, 4, 1, 1)));
  CHECK_FALSE(make("float32", whole(5, 4, 1, 1)));
  CHECK_FALSE(ReduceTask::make({{3, 64, 1}, layout, 0, {}}, axes, whole(4, 4, 1, 1), kAll, nullptr, own_memory()));
  const Layout one_value = Layout::from_byte_strides({1000, 1000}, {0, 0}, 32), empty = Layout::c_order({0, 4}, 32);
  const TensorValues many = values_of("float32", one_value, memory.data());
  CellAxes no_image = axes;
  no_image.channel = std::uint8_t{7};
  CHECK_FALSE(
      ReduceTask::make(values_of("float32", layout, memory.data()), no_image, whole(4, 4, 1, 1), kAll, nullptr, own_memory()));
  const Layout five = Layout::from_byte_strides({2, 2, 5}, {0, 0, 4}, 32);
  const CellAxes five_channels{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0, 0}, .channel = std::uint8_t{2}};
  CHECK_FALSE(
      ReduceTask::make(values_of("float32", five, memory.data()), five_channels, whole(2, 2, 1, 1), kAll, nullptr, own_memory()));
  CHECK_FALSE(ReduceTask::make(many, axes, whole(1000, 1000, 1, 1), kAll, nullptr, own_memory()));
  const auto none = ReduceTask::make(values_of("float32", empty, nullptr), axes, {}, kAll, nullptr, own_memory());
  REQUIRE(none);
  CHECK((*none)->step().value() == Task::State::done);
  CHECK_FALSE((*none)->take(1000));
}

}  // namespace
}  // namespace dlscope::core
