#include "core/wire/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "core/wire/messages.h"
#include "core/wire/snapshot_codec.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kSmallSlot = std::size_t{4} << 20;

std::unique_ptr<Region> small_region() {
  auto region = Region::create(kSmallSlot);
  REQUIRE(region);
  return std::move(*region);
}

// Runs `host` in a forked child that has attached to the region; its result is the exit code. Catch's macros stay out of
// the child: 99 means it could not attach.
pid_t start_host(Region& region, const std::function<int(Region&)>& host) {
  const int fd = dup(region.fd());
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    const auto attached = Region::attach(fd);
    _exit(attached ? host(**attached) : 99);
  }
  close(fd);
  return pid;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_CASE("a region starts empty, marked with the build", "[core][wire]") {
  const auto region = small_region();
  CHECK(region->header().phase == static_cast<std::uint32_t>(HostPhase::starting));
  CHECK(std::strlen(region->header().build_id) > 0);
  CHECK(region->header().crash.state == 0);
  RawMessage message;
  CHECK_FALSE(region->to_viewer_reader().read(message).value());
  CHECK_FALSE(region->take_snapshot(0));
  CHECK_FALSE(region->take_snapshot(2));
  region->close_fd();
  CHECK(region->fd() == -1);
}

TEST_CASE("a region of full size costs only what is touched", "[core][wire]") {
  const auto region = Region::create();
  REQUIRE(region);
  struct stat status {};
  REQUIRE(fstat((*region)->fd(), &status) == 0);
  CHECK(status.st_size > (off_t{1} << 30));
  CHECK(status.st_blocks * 512 < 1 << 20);
}

TEST_CASE("the region's size cannot be changed and its descriptor does not leak into programs", "[core][wire]") {
  const auto region = small_region();
  CHECK(ftruncate(region->fd(), 0) != 0);
  CHECK(ftruncate(region->fd(), off_t{1} << 40) != 0);
  CHECK((fcntl(region->fd(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("messages go both ways between processes", "[core][wire]") {
  const auto region = small_region();
  const pid_t pid = start_host(*region, [](Region& host) {
    RingReader reader = host.to_host_reader();
    RingWriter writer = host.to_viewer_writer();
    host.header().phase = static_cast<std::uint32_t>(HostPhase::idle);
    RawMessage raw;
    for (std::uint64_t expected = 0; expected < 1000;) {
      const auto got = reader.read(raw);
      if (!got) return 1;
      if (!*got) {
        reader.wait(std::chrono::seconds(20));
        continue;
      }
      const auto message = decode_to_host(raw);
      if (!message || !std::holds_alternative<Scan>(*message) || std::get<Scan>(*message).request != expected) return 2;
      const RawMessage answer = encode(ToViewer{RunStarted{expected}});
      if (!writer.write(answer.kind, answer.payload)) return 3;
      ++expected;
    }
    return 0;
  });
  RingWriter writer = region->to_host_writer();
  RingReader reader = region->to_viewer_reader();
  RawMessage raw;
  for (std::uint64_t request = 0; request < 1000; ++request) {
    const RawMessage question = encode(ToHost{Scan{request}});
    REQUIRE(writer.write(question.kind, question.payload));
    for (;;) {
      const auto got = reader.read(raw);
      REQUIRE(got);
      if (*got) break;
      reader.wait(std::chrono::seconds(20));
    }
    REQUIRE(std::get<RunStarted>(decode_to_viewer(raw).value()).run == request);
  }
  CHECK(exit_code_of(pid) == 0);
  CHECK(region->header().phase == static_cast<std::uint32_t>(HostPhase::idle));
}

TEST_CASE("a snapshot travels between processes", "[core][wire]") {
  const auto region = small_region();
  const pid_t pid = start_host(*region, [](Region& host) {
    const auto snapshot = testing::full_snapshot();
    RingWriter writer = host.to_viewer_writer();
    for (int i = 0; i < 3; ++i) {
      const std::size_t bytes = encode_snapshot(*snapshot, host.begin_snapshot());
      const RawMessage ready = encode(ToViewer{SnapshotReady{host.publish_snapshot(bytes), 1, Scanned::end}});
      if (!writer.write(ready.kind, ready.payload)) return 1;
    }
    return 0;
  });
  CHECK(exit_code_of(pid) == 0);
  RingReader reader = region->to_viewer_reader();
  std::vector<std::uint64_t> sequences;
  RawMessage raw;
  while (reader.read(raw).value()) sequences.push_back(std::get<SnapshotReady>(decode_to_viewer(raw).value()).sequence);
  REQUIRE(sequences.size() == 3);
  CHECK(sequences[0] < sequences[1]);
  CHECK(sequences[1] < sequences[2]);
  CHECK_FALSE(region->take_snapshot(sequences[0]));  // overwritten by the third
  for (const std::uint64_t sequence : {sequences[1], sequences[2]}) {
    const auto bytes = region->take_snapshot(sequence);
    REQUIRE(bytes);
    const auto snapshot = decode_snapshot(*bytes);
    REQUIRE(snapshot);
    CHECK((*snapshot)->find("d['x']") == &(*snapshot)->tensors[0]);
  }
}

TEST_CASE("a snapshot that is begun and never finished is not there", "[core][wire]") {
  const auto region = small_region();
  std::memset(region->begin_snapshot().data(), 1, 64);
  const std::uint64_t first = region->publish_snapshot(64);
  std::memset(region->begin_snapshot().data(), 2, 64);
  const std::uint64_t second = region->publish_snapshot(64);
  REQUIRE(region->take_snapshot(first));
  std::memset(region->begin_snapshot().data(), 3, 64);  // into the first one's slot
  CHECK_FALSE(region->take_snapshot(first));
  CHECK_FALSE(region->take_snapshot(first + 1));
  REQUIRE(region->take_snapshot(second));
  CHECK(region->take_snapshot(second)->front() == std::byte{2});
}

TEST_CASE("a slot whose host claims more bytes than it has is refused", "[core][wire]") {
  const auto region = small_region();
  (void)region->begin_snapshot();
  const std::uint64_t sequence = region->publish_snapshot(16);
  region->header().slots[0].bytes = ~std::uint64_t{0};
  CHECK_FALSE(region->take_snapshot(sequence));
}

TEST_CASE("one huge snapshot does not keep its memory", "[core][wire]") {
  auto created = Region::create(std::size_t{64} << 20);
  REQUIRE(created);
  Region& region = **created;
  const auto committed = [&] {
    struct stat status {};
    REQUIRE(fstat(region.fd(), &status) == 0);
    return status.st_blocks * 512;
  };
  const std::span<std::byte> slot = region.begin_snapshot();
  std::ranges::fill(slot, std::byte{1});
  (void)region.publish_snapshot(slot.size());
  CHECK(committed() >= 64 << 20);
  for (int i = 0; i < 2; ++i) {
    std::ranges::fill(region.begin_snapshot().first(100), std::byte{2});
    (void)region.publish_snapshot(100);
  }
  CHECK(committed() < 2 << 20);
}

TEST_CASE("a host killed at any moment leaves whole messages and whole snapshots", "[core][wire]") {
  for (int round = 0; round < 20; ++round) {
    const auto region = small_region();
    const pid_t pid = start_host(*region, [](Region& host) {
      RingWriter writer = host.to_viewer_writer();
      for (std::uint8_t n = 1;; ++n) {
        const std::span<std::byte> slot = host.begin_snapshot();
        const std::size_t bytes = 1000 * std::size_t{n};
        std::ranges::fill(slot.first(bytes), std::byte{n});
        const RawMessage ready = encode(ToViewer{SnapshotReady{host.publish_snapshot(bytes), n, Scanned::end}});
        (void)writer.write(ready.kind, ready.payload);  // full after a while: the reader is busy
      }
      return 0;
    });
    RingReader reader = region->to_viewer_reader();
    RawMessage raw;
    std::size_t messages = 0;
    bool killed = false;
    for (;;) {
      const auto got = reader.read(raw);
      REQUIRE(got);
      if (!*got) {
        if (killed) break;
        reader.wait(std::chrono::seconds(20));
        continue;
      }
      const auto ready = std::get<SnapshotReady>(decode_to_viewer(raw).value());
      if (const auto bytes = region->take_snapshot(ready.sequence)) {
        REQUIRE(bytes->size() == 1000 * ready.run);
        REQUIRE(std::ranges::all_of(*bytes, [&](std::byte b) { return b == static_cast<std::byte>(ready.run); }));
      }
      if (++messages == 50u + static_cast<unsigned>(round) * 7) {
        REQUIRE(kill(pid, SIGKILL) == 0);
        CHECK(exit_code_of(pid) == 1000 + SIGKILL);
        killed = true;
      }
    }
    CHECK(messages >= 50);
  }
}

TEST_CASE("a child that the host forks does not have the region", "[core][wire]") {
  const auto region = small_region();
  const pid_t pid = start_host(*region, [](Region& host) {
    RegionHeader& header = host.header();
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL);
      header.run = 1;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 0 : 1;
  });
  CHECK(exit_code_of(pid) == 0);
  CHECK(region->header().run == 0);
}

TEST_CASE("attaching closes the descriptor, whatever comes of it", "[core][wire]") {
  const auto region = small_region();
  const int good = dup(region->fd());
  CHECK(Region::attach(good));
  CHECK(fcntl(good, F_GETFD) == -1);
  const int null_device = open("/dev/null", O_RDWR);
  CHECK_FALSE(Region::attach(null_device));
  CHECK(fcntl(null_device, F_GETFD) == -1);
  CHECK_FALSE(Region::attach(-1));
  CHECK_FALSE(Region::attach(9999));
}

TEST_CASE("a host refuses memory that is not a sealed region of its own version", "[core][wire]") {
  const auto region = small_region();
  SECTION("another mark") { region->header().magic ^= 1; }
  SECTION("another version") { region->header().layout_version += 1; }
  SECTION("another header") { region->header().header_bytes += 8; }
  CHECK_FALSE(Region::attach(dup(region->fd())));
}

TEST_CASE("a host refuses memory whose size could change under it", "[core][wire]") {
  const auto region = small_region();
  struct stat status {};
  REQUIRE(fstat(region->fd(), &status) == 0);
  const int open_size = memfd_create("unsealed", MFD_CLOEXEC);
  REQUIRE(ftruncate(open_size, status.st_size) == 0);
  REQUIRE(pwrite(open_size, &region->header(), sizeof(RegionHeader), 0) == static_cast<ssize_t>(sizeof(RegionHeader)));
  CHECK_FALSE(Region::attach(open_size));
  const int too_small = memfd_create("small", MFD_CLOEXEC);
  REQUIRE(ftruncate(too_small, 4096) == 0);
  CHECK_FALSE(Region::attach(too_small));
}

TEST_CASE("a file size limit makes the slots smaller instead of ending the process", "[core][wire]") {
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{rlim_t{256} << 20, rlim_t{256} << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto region = Region::create();
    const std::size_t slot = region ? (*region)->begin_snapshot().size() : 0;
    _exit(slot >= std::size_t{64} << 20 && slot <= std::size_t{128} << 20 ? 0 : 1);
  }
  CHECK(exit_code_of(pid) == 0);
}

TEST_CASE("a crash handler's wake-up reaches a waiting viewer", "[core][wire]") {
  const auto region = small_region();
  const pid_t pid = start_host(*region, [](Region& host) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    host.header().crash.signal = SIGSEGV;
    host.header().crash.state.store(2, std::memory_order_release);
    signal_ring(host.header().to_viewer);
    return 0;
  });
  RingReader reader = region->to_viewer_reader();
  while (region->header().crash.state.load(std::memory_order_acquire) != 2) reader.wait(std::chrono::hours(1));
  CHECK(region->header().crash.signal == SIGSEGV);
  CHECK(exit_code_of(pid) == 0);
}

}  // namespace
}  // namespace dlscope::core::wire
