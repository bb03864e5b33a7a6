#include "core/compare/compare.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/tensor/element.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

Address address_of(const void* at) { return reinterpret_cast<Address>(at); }
DType dtype(const char* name) { return dtype_from_name(name).value(); }

// A tensor of random bits whose element [0,...,0] lies in the middle of its memory.
struct Sample {
  DType dtype;
  Layout layout;
  std::vector<std::byte> memory;
  std::int64_t first_bit = 0;

  Sample(DType of, Layout as, std::mt19937& chance) : dtype(of), layout(std::move(as)) {
    const LayoutBounds bounds = validate(layout).value();
    first_bit = (-bounds.lowest_bit + 7) / 8 * 8;
    memory.resize(static_cast<std::size_t>(first_bit + bounds.highest_bit) / 8 + 40);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  }
  [[nodiscard]] ComparedTensor compared() const {
    return {dtype, layout, address_of(memory.data() + first_bit / 8), ElementSource::held_memory()};
  }
  [[nodiscard]] Value value(std::uint64_t element, unsigned lane) const {
    return decode_element(dtype, memory, static_cast<std::size_t>(first_bit + bit_offset_of(layout, element)), lane);
  }
  // Bits of one lane.
  [[nodiscard]] std::vector<int> bits(std::uint64_t element, unsigned lane) const {
    std::vector<int> out;
    const auto from = static_cast<std::size_t>(first_bit + bit_offset_of(layout, element)) + lane * dtype.bits;
    for (std::size_t bit = from; bit < from + dtype.bits; ++bit)
      out.push_back(std::to_integer<int>(memory[bit / 8]) >> bit % 8 & 1);
    return out;
  }
  void set_bits(std::uint64_t element, unsigned lane, const std::vector<int>& to) {
    const auto from = static_cast<std::size_t>(first_bit + bit_offset_of(layout, element)) + lane * dtype.bits;
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::byte& byte = memory[(from + i) / 8];
      const std::byte mask = std::byte{1} << (from + i) % 8;
      byte = to[i] != 0 ? byte | mask : byte & ~mask;
    }
  }
};

long double real_of(const Value& v) {
  if (v.kind == ValueKind::signed_integer) return static_cast<long double>(v.as_signed);
  if (v.kind == ValueKind::unsigned_integer) return static_cast<long double>(v.as_unsigned);
  if (v.kind == ValueKind::boolean) return v.as_unsigned != 0 ? 1 : 0;
  return static_cast<long double>(v.real);
}

void note(WorstError& worst, double size, std::uint64_t index) {
  if (!worst.value || size > worst.size) worst = {size, index};  // in the order of the indices
}

// Element by element, with nothing of the code under test but the decoder.
Comparison slowly(const Sample& a, const Sample& b, Tolerance tolerance) {
  Comparison out;
  out.same_dtype = a.dtype == b.dtype;
  out.lanes = a.dtype.lanes;
  std::uint64_t elements = 1;
  for (const std::int64_t n : a.layout.shape) elements *= static_cast<std::uint64_t>(n);
  for (std::uint64_t element = 0; element < elements; ++element) {
    for (unsigned lane = 0; lane < out.lanes; ++lane, ++out.values) {
      const std::uint64_t index = out.values;
      if (out.same_dtype && a.bits(element, lane) != b.bits(element, lane)) {
        ++out.different_bits;
        if (!out.first_bits) out.first_bits = index;
      }
      const Value x = a.value(element, lane), y = b.value(element, lane);
      const bool nan_x = std::isnan(x.real) || std::isnan(x.imaginary), nan_y = std::isnan(y.real) || std::isnan(y.imaginary);
      if (nan_x && nan_y) {
        ++out.both_nan;
        continue;
      }
      const long double xr = real_of(x), yr = real_of(y), xi = static_cast<long double>(x.imaginary),
                        yi = static_cast<long double>(y.imaginary);
      if (!nan_x && !nan_y && xr == yr && xi == yi) continue;
      ++out.different;
      if (!out.first) out.first = index;
      if (nan_x || nan_y) {
        ++out.one_nan;
        ++out.outside;
        continue;
      }
      const long double dr = xr == yr ? 0 : std::abs(xr - yr), di = xi == yi ? 0 : std::abs(xi - yi);
      const long double size = std::hypot(dr, di), of = std::hypot(yr, yi);
      const bool finite = std::isfinite(xr) && std::isfinite(xi) && std::isfinite(yr) && std::isfinite(yi);
      const auto as_double = [&](long double v) {
        constexpr auto kMax = static_cast<long double>(std::numeric_limits<double>::max());
        return static_cast<double>(finite ? std::min(v, kMax) : v);
      };
      if (!finite || size > static_cast<long double>(tolerance.absolute) + static_cast<long double>(tolerance.relative) * of)
        ++out.outside;
      note(out.absolute, as_double(size), index);
      note(out.relative, !finite || of == 0 ? std::numeric_limits<double>::infinity() : as_double(size / of), index);
    }
  }
  return out;
}

bool near(const WorstError& a, const WorstError& b) {
  if (a.value.has_value() != b.value.has_value()) return false;
  return !a.value || a.size == b.size || std::abs(a.size - b.size) <= 1e-12 * std::abs(b.size);
}

void require_same(const Comparison& got, const Comparison& slow) {
  CHECK(got.values == slow.values);
  CHECK(got.different == slow.different);
  CHECK(got.different_bits == slow.different_bits);
  CHECK(got.both_nan == slow.both_nan);
  CHECK(got.one_nan == slow.one_nan);
  CHECK(got.first == slow.first);
  CHECK(got.first_bits == slow.first_bits);
  CHECK(near(got.absolute, slow.absolute));
  CHECK(near(got.relative, slow.relative));
}

Comparison compared(const Sample& a, const Sample& b, unsigned threads = 1, Tolerance tolerance = {}) {
  CompareOptions options;
  options.threads = threads;
  options.tolerance = tolerance;
  const auto got = compare_tensors(a.compared(), b.compared(), options);
  REQUIRE(got);
  return *got;
}

constexpr const char* kDtypes[] = {"bool",           "int8",          "uint8",         "int16",
                                   "uint32",         "int64",         "uint64",        "float16",
                                   "bfloat16",       "float32",       "float64",       "complex64",
                                   "complex128",     "float8_e4m3fn", "float8_e5m2",   "float8_e4m3fnuz",
                                   "float8_e8m0fnu", "float8_e3m4",   "float6_e2m3fn", "float4_e2m1fn",
                                   "int4",           "uint4"};

std::vector<Layout> layouts(std::uint32_t item) {
  return {Layout::c_order({6, 7}, item), Layout::from_element_strides({6, 7}, {1, 6}, item),
          Layout::from_element_strides({6, 7}, {-9, -1}, item), Layout::from_element_strides({6, 7}, {0, 2}, item)};
}

}  // namespace

TEST_CASE("Any two dtypes and layouts are compared as element by element", "[core][compare]") {
  std::mt19937 chance(1);
  for (const char* name_a : kDtypes) {
    for (const char* name_b : kDtypes) {
      const DType a = dtype(name_a), b = dtype(name_b);
      for (const Layout& layout_a : layouts(a.item_bits())) {
        const Sample x(a, layout_a, chance), y(b, layouts(b.item_bits())[chance() % 4], chance);
        CAPTURE(name_a, name_b, describe(x.layout), describe(y.layout));
        require_same(compared(x, y), slowly(x, y, {}));
      }
    }
  }
}

TEST_CASE("Equal content is bit-equal and has one hash, whatever the strides; one changed bit is found", "[core][compare]") {
  std::mt19937 chance(2);
  for (const char* name : kDtypes) {
    const DType type = dtype(name);
    for (const Layout& layout : layouts(type.item_bits())) {
      if (layout.stride_bits[0] == 0) continue;
      CAPTURE(name, describe(layout));
      Sample x(type, layouts(type.item_bits())[0], chance), y(type, layout, chance);
      for (std::uint64_t i = 0; i < 42; ++i) y.set_bits(i, 0, x.bits(i, 0));
      const Comparison equal = compared(x, y);
      CHECK(equal.bit_equal());
      CHECK(equal.different == 0);
      CHECK(equal.hash_a == equal.hash_b);
      CHECK(equal.both_nan == slowly(x, y, {}).both_nan);
      const std::uint64_t at = chance() % 42;
      auto bits = y.bits(at, 0);
      bits[chance() % bits.size()] ^= 1;
      y.set_bits(at, 0, bits);
      const Comparison changed = compared(x, y);
      CHECK_FALSE(changed.bit_equal());
      CHECK(changed.first_bits == at);
      CHECK(changed.hash_a != changed.hash_b);
      CHECK(changed.hash_a == equal.hash_a);
      require_same(changed, slowly(x, y, {}));
    }
  }
}

TEST_CASE("Zeros, NaN and infinities are told apart", "[core][compare]") {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const std::vector<float> a{0.0F, nan, nan, inf, inf, 1.0F, 3.0F, inf};
  const std::vector<float> b{-0.0F, nan, 2.0F, inf, -inf, 1.0F, 0.0F, 5.0F};
  const Layout layout = Layout::c_order({8}, 32);
  const DType f32 = dtype("float32");
  CompareOptions options;
  options.tolerance = {.absolute = 10, .relative = 1};
  const auto got = compare_tensors({f32, layout, address_of(a.data()), {}}, {f32, layout, address_of(b.data()), {}}, options);
  REQUIRE(got);
  CHECK(got->different == 4);  // NaN and 2, inf and -inf, 3 and 0, inf and 5
  CHECK(got->different_bits == 5);
  CHECK(got->both_nan == 1);
  CHECK(got->one_nan == 1);
  CHECK(got->outside == 3);  // no tolerance takes an infinity for a number
  CHECK(got->first == 2u);
  CHECK(got->first_bits == 0u);
  CHECK(got->absolute == WorstError{std::numeric_limits<double>::infinity(), 4});
  CHECK(got->relative == WorstError{std::numeric_limits<double>::infinity(), 4});
  CHECK(got->ulps.value == 6u);  // of finite numbers only
}

TEST_CASE("Units in the last place are counted over zero and for every float format", "[core][compare]") {
  const auto ulps = [](const char* name, std::uint64_t x, std::uint64_t y) {
    const Layout one = Layout::c_order({}, dtype(name).bits);
    const auto got = compare_tensors({dtype(name), one, address_of(&x), {}}, {dtype(name), one, address_of(&y), {}});
    REQUIRE(got);
    return got->ulps.value ? got->ulps.size : -1;
  };
  CHECK(ulps("float32", 0x3f800000, 0x3f800003) == 3);
  CHECK(ulps("float32", 0x80000001, 0x00000002) == 3);
  CHECK(ulps("float32", 0x80000000, 0x00000000) == -1);  // they are equal
  CHECK(ulps("float64", 0x8000000000000001, 1) == 2);
  CHECK(ulps("float16", 0x3c00, 0x3bff) == 1);
  CHECK(ulps("bfloat16", 0x3f80, 0x3f82) == 2);
  CHECK(ulps("float8_e4m3fn", 0x08, 0x88) == 16);
  CHECK(ulps("float8_e8m0fnu", 0x01, 0xfe) == 253);
  CHECK(ulps("float4_e2m1fn", 0x1, 0x9) == 2);
  CHECK(ulps("float32", 0x7f800000, 0x7f7fffff) == -1);
  CHECK(ulps("int32", 1, 2) == -1);
}

template <class T>
T number(std::uint64_t whole) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(whole);
  else
    return {static_cast<typename T::value_type>(whole), 0};
}

// Two tensors of many blocks with the values f(i), g(i), stored in the order that `layout_b` says for the second.
template <class T>
std::pair<Sample, Sample> two_of(const char* name, const Layout& a, const Layout& b, const std::function<T(std::uint64_t)>& f,
                                 const std::function<T(std::uint64_t)>& g) {
  std::mt19937 chance(7);
  std::pair<Sample, Sample> out{Sample(dtype(name), a, chance), Sample(dtype(name), b, chance)};
  std::uint64_t elements = 1;
  for (const std::int64_t n : a.shape) elements *= static_cast<std::uint64_t>(n);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const T x = f(i), y = g(i);
    std::memcpy(out.first.memory.data() + (out.first.first_bit + bit_offset_of(a, i)) / 8, &x, sizeof x);
    std::memcpy(out.second.memory.data() + (out.second.first_bit + bit_offset_of(b, i)) / 8, &y, sizeof y);
  }
  return out;
}

// Whole numbers of few bits, of which every error is exact in any arithmetic.
template <class T>
void check_blocks(const char* name) {
  const std::uint32_t item = dtype(name).item_bits();
  const Layout c = Layout::c_order({71, 83}, item), turned = Layout::from_element_strides({71, 83}, {1, 71}, item),
               reversed = Layout::from_element_strides({71, 83}, {-83, -1}, item);
  const std::function<T(std::uint64_t)> base = [](std::uint64_t i) { return number<T>(i % 50 + 1); };
  const std::function<T(std::uint64_t)> others[] = {
      [&](std::uint64_t i) { return static_cast<T>(base(i) + T{1}); },                              // the same error everywhere
      [&](std::uint64_t i) { return static_cast<T>(base(i) * T{2}); },                              // the same ratio everywhere
      [&](std::uint64_t i) { return i % 1000 == 999 ? static_cast<T>(base(i) + T{8}) : base(i); },  // few, all alike
      [&](std::uint64_t i) { return i == 4999    ? number<T>(100)
                                    : i % 7 == 3 ? T{0}
                                                 : base(i); },  // one larger, many by zero
  };
  for (const Layout& of_a : {c, reversed}) {
    for (const Layout& of_b : {c, turned, reversed}) {
      for (const auto& other : others) {
        const auto [a, b] = two_of<T>(name, of_a, of_b, base, other);
        for (const Tolerance tolerance : {Tolerance{}, Tolerance{1, 0}, Tolerance{0, 0.25}, Tolerance{1, 0.125}}) {
          CAPTURE(name, describe(of_a), describe(of_b), tolerance.absolute, tolerance.relative);
          const Comparison got = compared(a, b, 1, tolerance), slow = slowly(a, b, tolerance);
          require_same(got, slow);
          CHECK(got.outside == slow.outside);
          CHECK(got.absolute == slow.absolute);
          CHECK(got.relative.value == slow.relative.value);
          CHECK(compared(a, b, 2, tolerance) == got);
        }
      }
    }
  }
}

TEST_CASE("Blocks of pairs that differ: counts, the largest errors and the lowest index that has them", "[core][compare]") {
  check_blocks<float>("float32");
  check_blocks<double>("float64");
  check_blocks<std::uint8_t>("uint8");
  check_blocks<std::int16_t>("int16");
  check_blocks<std::int64_t>("int64");
  check_blocks<std::uint64_t>("uint64");
  check_blocks<std::complex<float>>("complex64");
  check_blocks<std::complex<double>>("complex128");
}

TEST_CASE("Blocks of random bits: NaN and infinities among them", "[core][compare]") {
  std::mt19937 chance(8);
  for (const char* name : kDtypes) {
    const DType type = dtype(name);
    const Layout layout = Layout::c_order({4099}, type.item_bits());
    const Sample a(type, layout, chance), b(type, layout, chance);
    for (const Tolerance tolerance : {Tolerance{}, Tolerance{1e-3, 0.5}}) {
      CAPTURE(name, tolerance.absolute);
      const Comparison got = compared(a, b, 1, tolerance), slow = slowly(a, b, tolerance);
      require_same(got, slow);
      CHECK(got.outside == slow.outside);
    }
  }
}

// The judge: all finite numbers of the format in their order, as the decoder has them.
TEST_CASE("Steps between numbers are those of the list of all numbers of a format", "[core][compare]") {
  std::mt19937 chance(9);
  for (const char* name :
       {"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e3m4", "float6_e2m3fn"}) {
    const DType type = dtype(name);
    std::vector<double> numbers;
    for (unsigned pattern = 0; pattern < 1U << type.bits; ++pattern) {
      const std::byte bytes[] = {static_cast<std::byte>(pattern & 255), static_cast<std::byte>(pattern >> 8)};
      const double number = decode_element(type, bytes, 0).real;
      if (std::isfinite(number)) numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());  // 0 and -0 are one
    const auto rank = [&](double number) { return std::ranges::lower_bound(numbers, number) - numbers.begin(); };
    const Layout layout = Layout::c_order({2500}, type.item_bits());
    const Sample a(type, layout, chance), b(type, layout, chance);
    WorstError most;
    for (std::uint64_t i = 0; i < 2500; ++i) {
      const double x = a.value(i, 0).real, y = b.value(i, 0).real;
      if (!std::isfinite(x) || !std::isfinite(y) || x == y) continue;
      note(most, static_cast<double>(std::abs(rank(x) - rank(y))), i);
    }
    CAPTURE(name);
    REQUIRE(most.value);
    CHECK(compared(a, b).ulps == most);
  }
}

TEST_CASE("Steps of wide floats and of complex numbers, in any place of a block", "[core][compare]") {
  const auto steps_up = [](auto number, int steps) {
    while (steps-- > 0) number = std::nextafter(number, std::numeric_limits<decltype(number)>::infinity());
    return number;
  };
  const auto check = [&]<class T>(const char* name, T) {
    for (const std::uint64_t at : {0, 1, 6, 2040, 2047, 2048, 4098}) {
      const auto [a, b] = two_of<T>(
          name, Layout::c_order({4099}, dtype(name).item_bits()), Layout::c_order({4099}, dtype(name).item_bits()),
          [](std::uint64_t i) { return number<T>(i); },
          [&](std::uint64_t i) {
            if constexpr (std::is_floating_point_v<T>)
              return steps_up(static_cast<T>(i), i == at ? 5 : i % 3 == 0 ? 2 : 0);
            else
              return T(static_cast<typename T::value_type>(i), steps_up(typename T::value_type{0}, i == at      ? 5
                                                                                                   : i % 3 == 0 ? 2
                                                                                                                : 0));
          });
      CAPTURE(name, at);
      CHECK(compared(a, b).ulps == WorstError{5, at});
    }
  };
  check("float32", float{});
  check("float64", double{});
  check("complex64", std::complex<float>{});
  check("complex128", std::complex<double>{});
}

TEST_CASE("64-bit integers are compared exactly, with doubles too", "[core][compare]") {
  const std::int64_t whole[] = {(std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max(), -5};
  const double real[] = {9007199254740992.0, 9223372036854775808.0, -5};
  const Layout layout = Layout::c_order({3}, 64);
  const auto got =
      compare_tensors({dtype("int64"), layout, address_of(whole), {}}, {dtype("float64"), layout, address_of(real), {}});
  REQUIRE(got);
  CHECK(got->different == 2);
  CHECK(got->absolute == WorstError{1, 0});
  CHECK_FALSE(got->bit_equal());
}

TEST_CASE("Large tensors: the answer is the same for any number of threads, for a task, and through a reader",
          "[core][compare]") {
  std::mt19937 chance(4);
  const DType f32 = dtype("float32");
  Sample a(f32, Layout::c_order({1100, 1030}, 32), chance),
      b(f32, Layout::from_element_strides({1100, 1030}, {1, 1100}, 32), chance);
  for (std::uint64_t i = 0; i < 1100 * 1030; ++i) {
    if (i % 1000 != 7) std::memcpy(b.memory.data() + bit_offset_of(b.layout, i) / 8, a.memory.data() + i * 4, 4);
  }
  const Tolerance tolerance{.absolute = 1, .relative = 1e-3};
  const Comparison one = compared(a, b, 1, tolerance);
  CHECK(one.different > 0);
  CHECK(one.first == 7u);
  require_same(one, slowly(a, b, tolerance));
  CHECK(compared(a, b, 3, tolerance) == one);
  CompareTask task(a.compared(), b.compared(), tolerance);
  Result<Task::State> state = task.step();
  for (; state && *state == Task::State::more; state = task.step()) CHECK(task.progress().done < task.progress().total);
  REQUIRE(state);
  CHECK(task.found() == one);
  CHECK(task.progress().done == task.progress().total);
  const auto reader = process_reader(0);
  ComparedTensor x = a.compared(), y = b.compared();
  x.source = y.source = ElementSource::checked(**reader);
  CHECK(compare_tensors(x, y, {.tolerance = tolerance, .threads = 2, .stop = {}, .progress = {}}).value() == one);
}

TEST_CASE("What PyTorch means by conjugated and negated views is compared, not what is stored", "[core][compare]") {
  constexpr SignBits kConjugate{.conjugate = true}, kNegate{.negate = true};
  std::vector<std::complex<float>> z(5000), resolved;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {1, static_cast<float>(i + 1)};
  for (const auto value : z) resolved.push_back(std::conj(value));
  const Layout layout = Layout::c_order({5000}, 64);
  const auto reader = process_reader(0);
  for (const ElementSource source : {ElementSource::held_memory(), ElementSource::checked(**reader)}) {
    const ComparedTensor plain{dtype("complex64"), layout, address_of(z.data()), source},
        conjugated{dtype("complex64"), layout, address_of(z.data()), source, kConjugate},
        copy{dtype("complex64"), layout, address_of(resolved.data()), source};
    const Comparison same_memory = compare_tensors(plain, conjugated).value();
    CHECK_FALSE(same_memory.bit_equal());
    CHECK(same_memory.different == 5000);
    CHECK(same_memory.absolute.size == 10000);
    CHECK(same_memory.hash_a != same_memory.hash_b);
    const Comparison same_values = compare_tensors(conjugated, copy).value();
    CHECK(same_values.bit_equal());
    CHECK(same_values.different == 0);
    CHECK(same_values.hash_a == same_values.hash_b);
    CHECK(compare_tensors(conjugated, conjugated)->bit_equal());
  }
  const std::array<std::int64_t, 2> whole{3, -4}, opposite{-3, 4};
  const Layout two = Layout::c_order({2}, 64);
  const auto got = compare_tensors({dtype("int64"), two, address_of(whole.data()), {}, kNegate},
                                   {dtype("int64"), two, address_of(opposite.data()), {}});
  CHECK(got->bit_equal());
}

TEST_CASE("What cannot be compared is refused in words", "[core][compare]") {
  const std::vector<float> data(12);
  const Layout wide = Layout::c_order({3, 4}, 32), row = Layout::c_order({4}, 32);
  const DType f32 = dtype("float32");
  const ComparedTensor a{f32, wide, address_of(data.data()), {}};
  const auto shapes = compare_tensors(a, {f32, row, address_of(data.data()), {}});
  REQUIRE_FALSE(shapes);
  CHECK(shapes.error().message == "the shapes differ: (3, 4) and (4,)");
  const auto unknown = compare_tensors(a, {{17, 32, 1}, wide, address_of(data.data()), {}});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::unsupported);
  // Broadcasting is said, not guessed.
  const auto broad = broadcast_to(row, wide.shape);
  REQUIRE(broad);
  CHECK(compare_tensors(a, {f32, *broad, address_of(data.data()), {}})->bit_equal());
  CHECK_FALSE(broadcast_to(wide, row.shape));
  CHECK_FALSE(broadcast_to(Layout::c_order({3}, 32), wide.shape));
  // A page that cannot be read.
  const tests::GuardedMemory memory(4096);
  const auto reader = process_reader(0);
  const auto unreadable = compare_tensors(a, {f32, wide, memory.guard_address() - 8, ElementSource::checked(**reader)});
  REQUIRE_FALSE(unreadable);
  CHECK(unreadable.error().message.starts_with("of B the byte at 0x"));
  std::stop_source stop;
  stop.request_stop();
  CHECK(compare_tensors(a, a, {.tolerance = {}, .threads = 1, .stop = stop.get_token(), .progress = {}}).error().kind ==
        ErrorKind::cancelled);
}

TEST_CASE("Broadcast on both sides: one pass over what is there, all of it counted", "[core][compare]") {
  const std::array<float, 2> a{1, 2}, b{1, 3};
  const Layout layout = Layout::from_element_strides({1'000'000'000, 2}, {0, 1}, 32);
  const auto got =
      compare_tensors({dtype("float32"), layout, address_of(a.data()), {}}, {dtype("float32"), layout, address_of(b.data()), {}});
  REQUIRE(got);
  CHECK(got->values == 2'000'000'000);
  CHECK(got->different == 1'000'000'000);
  CHECK(got->first == 1u);
  CHECK_FALSE(got->hash_a);
}

}  // namespace dlscope::core
