// Statistics against looking at one value after another: every dtype, every layout, special values in every place.
#include "core/statistics/statistics.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "core/statistics/block_kernels.h"
#include "slow_reference.h"
#include "tests/support/guarded_memory.h"
#include "tests/support/layout_samples.h"

namespace dlscope::core {
namespace {

using test::difference;
using test::slow_statistics;

const std::vector<const char*> kDtypes = {"bool",
                                          "int1",
                                          "int2",
                                          "int4",
                                          "int8",
                                          "int16",
                                          "int32",
                                          "int64",
                                          "uint1",
                                          "uint2",
                                          "uint4",
                                          "uint8",
                                          "uint16",
                                          "uint32",
                                          "uint64",
                                          "float16",
                                          "bfloat16",
                                          "float32",
                                          "float64",
                                          "complex32",
                                          "complex64",
                                          "complex128",
                                          "float8_e3m4",
                                          "float8_e4m3",
                                          "float8_e4m3b11fnuz",
                                          "float8_e4m3fn",
                                          "float8_e4m3fnuz",
                                          "float8_e5m2",
                                          "float8_e5m2fnuz",
                                          "float8_e8m0fnu",
                                          "float6_e2m3fn",
                                          "float6_e3m2fn",
                                          "float4_e2m1fn"};

std::vector<std::byte> random_bytes(std::size_t size, std::mt19937_64& chance) {
  std::vector<std::byte> out(size + 64);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t bits = chance();
    std::memcpy(out.data() + i, &bits, 8);
  }
  return out;
}

TensorValues held(DType dtype, const Layout& layout, const void* data) {
  return {dtype, layout, reinterpret_cast<Address>(data), ElementSource::held_memory()};
}

template <class T>
std::string check_vector(const std::vector<T>& values, const char* name, bool histogram = false) {
  const DType dtype = *dtype_from_name(name);
  const Layout layout = Layout::c_order({static_cast<std::int64_t>(values.size())}, dtype.bits);
  StatisticsOptions options;
  options.histogram = histogram;
  const auto got = exact_statistics(held(dtype, layout, values.data()), options);
  if (!got) return got.error().message;
  const auto expected = slow_statistics(dtype, layout, values.data());
  std::string out = difference(got->summary, expected);
  if (histogram) out += difference(got->histogram, expected);
  return out;
}

}  // namespace

TEST_CASE("statistics of every dtype are those of its values one by one", "[core][statistics]") {
  std::mt19937_64 chance(1);
  for (const char* const name : kDtypes) {
    const DType dtype = *dtype_from_name(name);
    for (const std::int64_t size : {0, 1, 3, 17, 64, 1000, 4096, 5000, 40'000}) {
      const auto bytes = random_bytes(static_cast<std::size_t>(size) * dtype.bits / 8 + 16, chance);
      const Layout layout = Layout::c_order({size}, dtype.bits);
      for (const bool histogram : {false, true}) {
        StatisticsOptions options;
        options.histogram = histogram;
        const auto got = exact_statistics(held(dtype, layout, bytes.data()), options);
        REQUIRE(got);
        const auto expected = slow_statistics(dtype, layout, bytes.data());
        INFO(name << " x " << size << (histogram ? " with histogram" : ""));
        CHECK(difference(got->summary, expected) == "");
        const bool real = dtype.code != static_cast<std::uint8_t>(DTypeCode::complex);
        if (histogram && real) CHECK(difference(got->histogram, expected) == "");
        if (histogram && real && size > 0 && dtype.bits <= 16 && !expected.finite.empty()) {
          REQUIRE(got->quantiles.method == StatisticsMethod::exact);
          for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
            const double n = static_cast<double>(expected.finite.size());
            const auto rank =
                std::clamp(static_cast<std::size_t>(std::ceil(kQuantiles[i] * n)), std::size_t{1}, expected.finite.size());
            CHECK(got->quantiles.values[i] == static_cast<double>(expected.finite[rank - 1]));
          }
          auto distinct = expected.finite;
          CHECK(got->quantiles.distinct ==
                static_cast<std::uint32_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin()));
        }
      }
    }
  }
}

TEST_CASE("statistics of every layout are those of its values one by one", "[core][statistics]") {
  std::mt19937 chance(2);
  std::mt19937_64 bytes_chance(2);
  const auto memory = random_bytes(8192, bytes_chance);
  const auto reader = process_reader(0);
  for (int i = 0; i < 6000; ++i) {
    const Layout layout = tests::random_layout(chance);
    std::vector<DType> dtypes;
    if (layout.item_bits == 4) dtypes = {*dtype_from_name("float4_e2m1fn"), *dtype_from_name("int4"), {1, 2, 2}};
    if (layout.item_bits == 6) dtypes = {*dtype_from_name("float6_e3m2fn"), *dtype_from_name("float6_e2m3fn")};
    if (layout.item_bits == 8) dtypes = {*dtype_from_name("float8_e5m2"), *dtype_from_name("int8"), {0, 4, 2}, {17, 4, 1}};
    if (layout.item_bits == 16) dtypes = {*dtype_from_name("float16"), *dtype_from_name("bfloat16"), {1, 8, 2}};
    if (layout.item_bits == 32) dtypes = {*dtype_from_name("float32"), *dtype_from_name("uint32"), {2, 16, 2}, {5, 32, 1}};
    for (const DType dtype : dtypes) {
      const std::byte* const data = memory.data() + 4096;
      TensorValues values = held(dtype, layout, data);
      const auto expected = slow_statistics(dtype, layout, data);
      const auto direct = exact_statistics(values);
      REQUIRE(direct);
      INFO(dtype_name(dtype) << " " << describe(layout));
      REQUIRE(difference(direct->summary, expected) == "");
      values.source = ElementSource::checked(**reader);
      const auto checked = exact_statistics(values);
      REQUIRE(checked);
      REQUIRE(std::memcmp(&checked->summary.mean, &direct->summary.mean, sizeof(double)) == 0);
      REQUIRE(difference(checked->summary, expected) == "");
    }
  }
}

TEST_CASE("large and small numbers, offsets and cancellation stay within the bounds that are claimed", "[core][statistics]") {
  std::mt19937_64 chance(3);
  std::normal_distribution<double> normal;
  const std::vector<double> magnitudes = {1e-320, 1e-300, 1e-200, 1e-150, 1e-45, 1e-39, 1e-30, 1e-18, 1e-3,
                                          1,      1e3,    1e18,   1e30,   1e38,  1e150, 1e160, 1e300, 1e307};
  for (const double spread : magnitudes) {
    for (const double offset : {0.0, 1.0, 1e4, 1e8, -1e15}) {
      std::vector<double> doubles(10'000);
      for (double& x : doubles) x = (normal(chance) + offset) * spread;
      INFO("spread " << spread << " offset " << offset);
      CHECK(check_vector(doubles, "float64", true) == "");
      std::vector<float> floats(doubles.begin(), doubles.end());
      CHECK(check_vector(floats, "float32", true) == "");
      for (std::size_t i = 0; i < floats.size(); i += 97) floats[i] = i % 2 == 0 ? INFINITY : NAN;
      CHECK(check_vector(floats, "float32", true) == "");
      for (std::size_t i = 0; i < doubles.size(); i += 1001) doubles[i] = i % 2 == 0 ? -INFINITY : NAN;
      CHECK(check_vector(doubles, "float64", true) == "");
    }
  }
  // Blocks of very different size beside each other.
  std::vector<double> mixed(30'000);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] = normal(chance) * (i < 5000 ? 0 : i < 10'000 ? 1e-310 : i < 15'000 ? 1e-200 : i < 20'000 ? 1 : 1e306);
  }
  for (const std::size_t size : {5000u, 10'000u, 15'000u, 20'000u, 30'000u}) {
    CHECK(check_vector(std::vector<double>(mixed.begin(), mixed.begin() + static_cast<std::ptrdiff_t>(size)), "float64", true) ==
          "");
  }
}

TEST_CASE("constant values have no spread", "[core][statistics]") {
  for (const float value : {0.0f, -0.0f, 1.0f, 0.1f, 1e38f, 1e-44f, -3.25f}) {
    const std::vector<float> values(9000, value);
    CHECK(check_vector(values, "float32", true) == "");
    const auto got = exact_statistics(held({2, 32, 1}, Layout::c_order({9000}, 32), values.data()));
    REQUIRE(got);
    CHECK(got->summary.std == 0);
    CHECK(got->summary.std_error <= 1e-25 * std::abs(static_cast<double>(value)));
    CHECK(got->summary.mean == static_cast<double>(value));
  }
  CHECK(check_vector(std::vector<std::int64_t>(9000, INT64_MIN), "int64", true) == "");
  CHECK(check_vector(std::vector<std::uint64_t>(9000, UINT64_MAX), "uint64", true) == "");
  CHECK(check_vector(std::vector<std::uint8_t>(9000, 255), "uint8", true) == "");
  CHECK(check_vector(std::vector<std::int16_t>(9000, INT16_MIN), "int16", true) == "");
}

TEST_CASE("integers at the ends of their range are added up exactly", "[core][statistics]") {
  std::mt19937_64 chance(4);
  const auto check = [&]<class T>(T, const char* name) {
    std::vector<T> values(20'000);
    for (T& x : values) x = chance() % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    CHECK(check_vector(values, name) == "");
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 3 == 0 ? 0 : chance());
    CHECK(check_vector(values, name, true) == "");
    T next = static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(100));
    for (T& x : values) x = static_cast<T>(next - static_cast<T>(chance() % 20));  // far from 0, close to each other
    CHECK(check_vector(values, name, true) == "");
    const DType dtype = *dtype_from_name(name);
    const auto got = exact_statistics(held(dtype, Layout::c_order({20'000}, dtype.bits), values.data()));
    REQUIRE(got);
    CHECK(got->summary.std > 5);
    CHECK(got->summary.std < 6);
    CHECK(got->summary.std_error < 1e-7);
  };
  check(std::int8_t{}, "int8");
  check(std::uint8_t{}, "uint8");
  check(std::int16_t{}, "int16");
  check(std::uint16_t{}, "uint16");
  check(std::int32_t{}, "int32");
  check(std::uint32_t{}, "uint32");
  check(std::int64_t{}, "int64");
  check(std::uint64_t{}, "uint64");
}

TEST_CASE("any number of threads gives the same bits", "[core][statistics]") {
  std::mt19937_64 chance(5);
  std::vector<float> values(3 << 20);
  std::normal_distribution<float> normal(3, 2);
  for (float& x : values) x = normal(chance);
  values[1'000'000] = NAN;
  const Layout layout = Layout::c_order({3, 1 << 20}, 32);
  Statistics first;
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    StatisticsOptions options;
    options.histogram = true;
    options.threads = threads;
    const auto got = exact_statistics(held({2, 32, 1}, layout, values.data()), options);
    REQUIRE(got);
    if (threads == 1) first = *got;
    CHECK(std::memcmp(&got->summary.mean, &first.summary.mean, sizeof(double)) == 0);
    CHECK(std::memcmp(&got->summary.std, &first.summary.std, sizeof(double)) == 0);
    CHECK(std::memcmp(&got->summary.mean_error, &first.summary.mean_error, sizeof(double)) == 0);
    CHECK(got->summary.min.real == first.summary.min.real);
    CHECK(got->summary.first_special.index == 1'000'000);
    CHECK(got->histogram.bins == first.histogram.bins);
  }
}

TEST_CASE("a broadcast value counts as often as it is seen", "[core][statistics]") {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 3.5f;
  values[10] = NAN;
  const Layout layout = Layout::from_element_strides({4, 1000, 5}, {0, 1, 0}, 32);
  const auto got = exact_statistics(held({2, 32, 1}, layout, values.data()));
  REQUIRE(got);
  CHECK(difference(got->summary, slow_statistics({2, 32, 1}, layout, values.data())) == "");
  // 10^14 elements of four bytes
  const Layout vast = Layout::from_element_strides({10'000'000, 10'000'000}, {0, 0}, 32);
  const auto quick = exact_statistics(held({2, 32, 1}, vast, values.data()));
  REQUIRE(quick);
  CHECK(quick->summary.count == 100'000'000'000'000);
  CHECK(quick->summary.mean == -3.5);
}

TEST_CASE("the program's rounding and flushing modes do not matter", "[core][statistics]") {
  std::vector<float> values(5000, 1e-42f);
  values[7] = 3;
#if defined(__x86_64__)
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040 | 0x6000);  // subnormals are zero, round towards zero
  const auto got = exact_statistics(held({2, 32, 1}, Layout::c_order({5000}, 32), values.data()));
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  CHECK((after & 0xe040) == 0xe040);
#else
  const auto got = exact_statistics(held({2, 32, 1}, Layout::c_order({5000}, 32), values.data()));
#endif
  REQUIRE(got);
  CHECK(got->summary.subnormal == 4999);
  CHECK(got->summary.zero == 0);
  CHECK(got->summary.min.real == static_cast<double>(1e-42f));
}

TEST_CASE("statistics can be stopped and say how far they are", "[core][statistics]") {
  const std::vector<float> values(8 << 20);
  const Layout layout = Layout::c_order({8 << 20}, 32);
  std::stop_source stop;
  StatisticsOptions options;
  options.stop = stop.get_token();
  std::uint64_t reports = 0, last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    CHECK(all == values.size());
    CHECK(done > last);
    last = done;
    if (++reports == 2) stop.request_stop();
  };
  options.threads = 1;
  const auto got = exact_statistics(held({2, 32, 1}, layout, values.data()), options);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == ErrorKind::cancelled);
  CHECK(reports == 2);
}

TEST_CASE("the sample of memory that is slow to read hears a stop between two requests", "[core][statistics]") {
  struct StoppedReader : MemoryReader {
    std::size_t read(Address, std::span<std::byte> out) const override {
      ++reads;
      stop.request_stop();
      return out.size();
    }
    mutable std::stop_source stop;
    mutable std::size_t reads = 0;
  } reader;
  const Layout layout = Layout::c_order({64 << 20}, 32);
  StatisticsOptions options;
  options.stop = reader.stop.get_token();
  const auto got = sample_statistics({{2, 32, 1}, layout, 4096, ElementSource::checked(reader)}, options);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == ErrorKind::cancelled);
  CHECK(reader.reads <= 512);  // the pieces of one request
}

TEST_CASE("a dtype nobody can decode and memory nobody can read are told in words", "[core][statistics]") {
  const auto unknown = exact_statistics(held({2, 128, 1}, Layout::c_order({2}, 128), nullptr));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("float128") != std::string::npos);
  const dlscope::tests::GuardedMemory memory(dlscope::tests::page_size());
  const auto reader = process_reader(0);
  TensorValues values{{2, 32, 1}, Layout::c_order({100}, 32), memory.guard_address() - 100, ElementSource::checked(**reader)};
  const Layout layout = Layout::c_order({100}, 32);
  values.layout = layout;
  const auto unreadable = exact_statistics(values);
  REQUIRE_FALSE(unreadable);
  CHECK(unreadable.error().kind == ErrorKind::environment);
  CHECK_FALSE(sample_statistics(values));
}

TEST_CASE("a sample says that it is one and holds the true mean in its interval", "[core][statistics]") {
  std::mt19937_64 chance(6);
  std::vector<float> values(4 << 20);
  int outside = 0;
  for (int round = 0; round < 20; ++round) {
    double mean = 0;
    const bool smooth = round % 2 == 0;  // neighbours alike, or independent
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double noise = static_cast<double>(chance() >> 40) / (1 << 24);
      values[i] = static_cast<float>(smooth ? std::sin(static_cast<double>(i) / 5000 + round) + noise / 10 : noise);
      mean += static_cast<double>(values[i]);
    }
    mean /= static_cast<double>(values.size());
    const Layout layout = Layout::c_order({2048, 2048}, 32);
    StatisticsOptions options;
    options.histogram = true;
    const auto got = sample_statistics(held({2, 32, 1}, layout, values.data()), options);
    REQUIRE(got);
    CHECK(got->summary.method == StatisticsMethod::sample);
    CHECK(got->summary.count == values.size());
    CHECK(got->summary.seen == 1 << 20);
    CHECK(got->quantiles.method == StatisticsMethod::sample);
    CHECK(got->histogram.valid);
    outside += std::abs(got->summary.mean - mean) > got->summary.mean_error ? 1 : 0;
  }
  CHECK(outside <= 4);  // 1 is expected
  const auto small = sample_statistics(held({2, 32, 1}, Layout::c_order({1000}, 32), values.data()));
  REQUIRE(small);
  CHECK(small->summary.method == StatisticsMethod::exact);
}

}  // namespace dlscope::core
