// Copies by the driver as a task has them: in pieces, stopped at every one of them, failing at every call, compared afterwards.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/devices/cuda_peer.h"
#include "core/transfer/device_compare.h"
#include "core/transfer/device_copy.h"
#include "tests/core/devices/fake_gpu.h"

namespace dlscope::core {
namespace {

struct Grid {
  std::vector<std::int64_t> shape, stride_bits;
  [[nodiscard]] LayoutView layout() const { return {shape, stride_bits, 32}; }
};

constexpr std::int64_t kSide = 40;
constexpr std::size_t kBytes = kSide * kSide * 4;
const Grid kDense{{kSide, kSide}, {kSide * 32, 32}};
const Grid kTurned{{kSide, kSide}, {32, kSide * 32}};

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed = 1) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(((i + seed) * 2654435761u) >> 13);
  return out;
}

std::vector<std::byte> turned(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> out(bytes.size());
  for (std::int64_t i = 0; i < kSide; ++i) {
    for (std::int64_t j = 0; j < kSide; ++j) std::memcpy(&out[4 * (i * kSide + j)], &bytes[4 * (j * kSide + i)], 4);
  }
  return out;
}

// One of the ways that bytes go, from `source` on the host or a device to a target that starts as zeros.
struct Way {
  const char* name;
  bool kernels;
  std::function<Result<void>(CudaTransfer&, Address from, const std::byte* host_from, Address to, std::byte* host_to,
                             const DeviceCopyOptions&)>
      copy;
  enum class Target : std::uint8_t { host, device, peer } target;
  bool is_turned;
};

const std::vector<Way>& ways() {
  using Target = Way::Target;
  static const std::vector<Way> kWays{
      {"from the host", true,
       [](CudaTransfer& t, Address, const std::byte* from, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_to_device(t, from, kDense.layout(), to, kDense.layout(), options);
       },
       Target::device, false},
      {"from the host, turned", true,
       [](CudaTransfer& t, Address, const std::byte* from, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_to_device(t, from, kTurned.layout(), to, kDense.layout(), options);
       },
       Target::device, true},
      {"to the host", true,
       [](CudaTransfer& t, Address from, const std::byte*, Address, std::byte* to, const DeviceCopyOptions& options) {
         return copy_from_device(t, from, kDense.layout(), to, kDense.layout(), options);
       },
       Target::host, false},
      {"to the host, turned by a kernel", true,
       [](CudaTransfer& t, Address from, const std::byte*, Address, std::byte* to, const DeviceCopyOptions& options) {
         return copy_from_device(t, from, kTurned.layout(), to, kDense.layout(), options);
       },
       Target::host, true},
      {"to the host, turned there", false,
       [](CudaTransfer& t, Address from, const std::byte*, Address, std::byte* to, const DeviceCopyOptions& options) {
         return copy_from_device(t, from, kTurned.layout(), to, kDense.layout(), options);
       },
       Target::host, true},
      {"on the device", true,
       [](CudaTransfer& t, Address from, const std::byte*, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_on_device(t, from, kDense.layout(), to, kDense.layout(), options);
       },
       Target::device, false},
      {"on the device, turned", true,
       [](CudaTransfer& t, Address from, const std::byte*, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_on_device(t, from, kTurned.layout(), to, kDense.layout(), options);
       },
       Target::device, true},
      {"on the device without kernels", false,
       [](CudaTransfer& t, Address from, const std::byte*, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_on_device(t, from, kTurned.layout(), to, kDense.layout(), options);
       },
       Target::device, true},
      {"to another device", true,
       [](CudaTransfer& t, Address from, const std::byte*, Address to, std::byte*, const DeviceCopyOptions& options) {
         return copy_to_peer(t, from, 1, to, kBytes, options);
       },
       Target::peer, false},
  };
  return kWays;
}

// A transfer between memories that have `source` and zeros.
class Setting {
 public:
  explicit Setting(const Way& way) {
    fake_cuda_activate(0);
    fake_cuda_activate(1);
    if (!way.kernels) FakeGpu::without_kernels();
    from_ = gpu_.filled(0, source_);
    to_ = gpu_.filled(way.target == Way::Target::peer ? 1 : 0, target_);
    transfer_ = std::move(*CudaTransfer::open(0, {.buffer_bytes = 512, .buffers = 2}));
  }
  [[nodiscard]] Result<void> run(const Way& way, DeviceCopyOptions options) {
    options.device_piece = 512;
    return way.copy(*transfer_, from_, source_.data(), to_, target_.data(), options);
  }
  [[nodiscard]] std::vector<std::byte> made(const Way& way) const {
    if (way.target == Way::Target::host) return target_;
    const auto* const behind = static_cast<const std::byte*>(fake_cuda_shadow(to_));
    return {behind, behind + kBytes};
  }
  [[nodiscard]] const std::vector<std::byte>& source() const { return source_; }
  [[nodiscard]] std::vector<std::byte> on_device() const {
    const auto* const behind = static_cast<const std::byte*>(fake_cuda_shadow(from_));
    return {behind, behind + kBytes};
  }
  void close() { transfer_.reset(); }

 private:
  FakeGpu gpu_;
  std::vector<std::byte> source_ = pattern(kBytes), target_ = std::vector<std::byte>(kBytes);
  Address from_ = 0, to_ = 0;
  std::unique_ptr<CudaTransfer> transfer_;
};

TEST_CASE("a copy by the driver tells how far it is, up to the last byte", "[core][transfer][cuda]") {
  for (const Way& way : ways()) {
    INFO(way.name);
    Setting setting(way);
    std::vector<std::uint64_t> told;
    DeviceCopyOptions options;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      CHECK(total == kBytes);
      told.push_back(done);
      return true;
    };
    REQUIRE(setting.run(way, options));
    CHECK(setting.made(way) == (way.is_turned ? turned(setting.source()) : setting.source()));
    const bool at_once = std::string(way.name) == "to the host, turned there";  // 16 MiB are packed at a time
    REQUIRE(told.size() >= (at_once ? 2 : 3));
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK((told.front() == 0 && told.back() == kBytes));
    setting.close();
    FakeGpu::check_clean(2);
  }
}

TEST_CASE("a copy by the driver that is stopped at any piece leaves nothing under way", "[core][transfer][cuda]") {
  for (const Way& way : ways()) {
    for (int after = 0; after < 20; after += after < 4 ? 1 : 5) {
      INFO(way.name << ", stopped after " << after);
      Setting setting(way);
      int calls = 0;
      DeviceCopyOptions options;
      options.progress = [&](auto, auto) { return calls++ < after; };
      const auto done = setting.run(way, options);
      if (done) {  // it has fewer pieces
        CHECK((after > 0 && calls <= after));
        continue;
      }
      CHECK(done.error().kind == ErrorKind::cancelled);
      CHECK(calls == after + 1);  // not asked again
      CHECK(fake_cuda_count("pending") == 0);
      CHECK(setting.on_device() == setting.source());
      setting.close();
      FakeGpu::check_clean(2);
    }
  }
}

// Out of memory, an illegal address and a lost context at each of the first calls: the driver's word, and nothing left.
TEST_CASE("a copy by the driver that fails at any call says so, and leaves the source as it was", "[core][transfer][cuda]") {
  struct Failure {
    const char* entry;
    int error;
    const char* name;
  };
  const Failure failures[] = {{"cuMemHostAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                              {"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                              {"cuEventSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                              {"cuStreamSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                              {"cuMemcpyPeerAsync", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                              {"*", 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"}};
  for (const Way& way : ways()) {
    int failed = 0;
    for (const Failure& failure : failures) {
      for (const int after : {0, 1, 3, 8}) {
        INFO(way.name << ", " << failure.entry << " after " << after);
        Setting setting(way);
        fake_cuda_fail(failure.entry, failure.error, after);
        DeviceCopyOptions options;
        options.progress = [](auto, auto) { return true; };
        const auto done = setting.run(way, options);
        fake_cuda_fail(failure.entry, 0, 0);  // only then can anything be given back
        failed += done ? 0 : 1;
        if (!done) CHECK(done.error().message.ends_with(failure.name));
        if (std::string(failure.entry) == "*" && after == 0) CHECK_FALSE(done);
        if (done) CHECK(setting.made(way) == (way.is_turned ? turned(setting.source()) : setting.source()));
        CHECK(setting.on_device() == setting.source());
        setting.close();
        FakeGpu::check_clean(2);
      }
    }
    INFO(way.name);
    CHECK(failed > 4);  // every call is one that may fail, and a few of the others are made by every way
  }
}

TEST_CASE("a copy by the driver is compared with its source, bit for bit", "[core][transfer][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  fake_cuda_activate(1);
  const auto source = pattern(kBytes), other_way = turned(source);
  const Address here = gpu.filled(0, source), there = gpu.filled(1, other_way);
  const DType kInt32{0, 32, 1};
  {
    auto first = std::move(*CudaTransfer::open(0, {.buffer_bytes = 512, .buffers = 2}));
    auto second = std::move(*CudaTransfer::open(1, {.buffer_bytes = 512, .buffers = 2}));
    const DeviceSide device{first.get(), here, kTurned.layout(), kInt32};
    const DeviceSide peer{second.get(), there, kDense.layout(), kInt32};
    const DeviceSide host{nullptr, reinterpret_cast<Address>(other_way.data()), kDense.layout(), kInt32};
    const auto go_on = [](auto, auto) { return true; };
    for (const auto& [from, made] : {std::pair{device, host}, {host, device}, {device, peer}, {peer, device}}) {
      for (const std::uint64_t part : {std::uint64_t{160}, std::uint64_t{1000}, kCopyPartBytes}) {
        CHECK(is_copy_across(from, made, go_on, part).value().value());
        auto* const last = static_cast<std::byte*>(fake_cuda_shadow(here)) + kBytes - 1;
        *last ^= std::byte{1};
        CHECK_FALSE(is_copy_across(from, made, go_on, part).value().value());
        *last ^= std::byte{1};
      }
    }
    int calls = 0;
    const auto stopped = is_copy_across(device, host, [&](auto, auto) { return calls++ < 2; }, 1000);
    REQUIRE(stopped);
    CHECK_FALSE(stopped->has_value());
    fake_cuda_fail("*", 709, 5);
    const auto lost = is_copy_across(device, host, go_on, 160);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().message.ends_with("CUDA_ERROR_CONTEXT_IS_DESTROYED"));
    fake_cuda_fail("*", 0, 0);
    first.reset();  // what the lost context left is waited for before anything is freed
  }
  FakeGpu::check_clean(2);
}

TEST_CASE("the way of a copy is written down", "[core][transfer][cuda]") {
  for (const Way& way : ways()) {
    INFO(way.name);
    Setting setting(way);
    DeviceCopyWay took;
    DeviceCopyOptions options;
    options.way = &took;
    REQUIRE(setting.run(way, options));
    const std::string name = way.name;
    const bool on_device = name.starts_with("on the device");
    CHECK(took.kernel == (way.is_turned && way.kernels && name != "from the host, turned"));
    CHECK(took.through_host == (on_device && !way.kernels));
    CHECK(took.host_packed == (name == "from the host, turned" || name == "to the host, turned there" || took.through_host));
  }
}

TEST_CASE("how fast the connection to a device is can be measured, and leaves nothing", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  {
    auto transfer = std::move(*CudaTransfer::open(0, {.buffer_bytes = 4096, .buffers = 2}));
    for (const CudaWay way : {CudaWay::to_host, CudaWay::to_device}) {
      const auto rate = transfer->plain_rate(way);
      REQUIRE(rate);
      CHECK(*rate > 0);
    }
    fake_cuda_fail("cuEventSynchronize", 700, 1);
    CHECK_FALSE(transfer->plain_rate(CudaWay::to_host));
    fake_cuda_fail("cuEventSynchronize", 0, 0);
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("whether devices reach each other is asked without a context", "[core][devices][cuda]") {
  for (const bool can : {true, false}) {
    setenv("FAKE_CUDA_PEERS", can ? "1" : "0", 1);
    const FakeGpu gpu;
    const CudaDriver driver = gpu.driver();
    CHECK(can_access_peer(driver, 0, 1).value() == can);
    CHECK_FALSE(can_access_peer(driver, 1, 1).value());
    CHECK(can_access_peer(driver, 0, 7).error().message == "asking for peer access failed: CUDA_ERROR_INVALID_DEVICE");
    FakeGpu::check_clean(0);
  }
  unsetenv("FAKE_CUDA_PEERS");
}

}  // namespace
}  // namespace dlscope::core
