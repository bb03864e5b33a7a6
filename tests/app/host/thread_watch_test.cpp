#include "app/host/thread_watch.h"

#include <catch2/catch_test_macros.hpp>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/own_threads.h"

namespace dlscope::app {
namespace {

using std::chrono::milliseconds;

// A process whose main thread sleeps; with a second thread that works a little now and then, or without, or with one that takes a
// name, has run for a moment and then sleeps. Without a name of their own threads have that of the program, as a script's have.
class Child {
 public:
  explicit Child(const char* name) : pid_(::fork()) {
    if (pid_ != 0) return;
    std::thread([=] {
      ::pthread_setname_np(::pthread_self(), name);
      for (std::atomic<unsigned> i{0}; i < 1'000'000;) ++i;
      for (;;) ::pause();
    }).detach();
    for (;;) ::pause();
  }
  explicit Child(bool with_thread) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::pthread_setname_np(::pthread_self(), "dlscope-host");
    if (with_thread) {
      std::thread([] {
        for (std::atomic<unsigned> i{0};; ++i)
          if (i % 100'000 == 0) std::this_thread::sleep_for(milliseconds(5));
      }).detach();
    }
    for (;;) ::pause();
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  // Until every thread stands still.
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }

 private:
  pid_t pid_;
};

bool within_seconds(const auto& done) {
  for (int i = 0; i < 3000 && !done(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return done();
}

}  // namespace

TEST_CASE("a thread that works beside an idle main thread wakes the window", "[app][host]") {
  const Child child(true);
  if (!within_seconds([&] { return other_threads_ran_ns(child.pid()) > 0; }))
    SKIP("this system has no /proc/PID/task/TID/schedstat");
  std::atomic<int> woken{0};
  ThreadWatch watch(child.pid(), [&] { ++woken; });
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(woken == 0);  // off
  watch.watch(true);
  CHECK(within_seconds([&] { return woken > 2; }));
}

TEST_CASE("what ran before the tensors were looked at does not count, what ran while nobody watched does", "[app][host]") {
  const Child child(true);
  if (!within_seconds([&] { return other_threads_ran_ns(child.pid()) > 0; }))
    SKIP("this system has no /proc/PID/task/TID/schedstat");
  std::atomic<int> woken{0};
  ThreadWatch watch(child.pid(), [&] { ++woken; });
  watch.forget(true);
  std::this_thread::sleep_for(milliseconds(500));
  CHECK_FALSE(watch.take_ran());  // off
  child.stop();
  watch.watch(true);
  bool ran = false;
  CHECK(within_seconds([&] { return ran = ran || watch.take_ran(); }));
  watch.watch(false);
  watch.forget(true);
  std::this_thread::sleep_for(milliseconds(500));
  woken = 0;
  watch.watch(true);
  std::this_thread::sleep_for(milliseconds(500));
  CHECK_FALSE(watch.take_ran());
  CHECK(woken == 0);
}

TEST_CASE("a library's threads that run out after the tensors were looked at do not count, nor do they hide what runs later", "[app][host]") {
  const Child child(true);
  if (!within_seconds([&] { return other_threads_ran_ns(child.pid()) > 0; }))
    SKIP("this system has no /proc/PID/task/TID/schedstat");
  ThreadWatch watch(child.pid(), [] {});
  watch.watch(true);
  watch.forget(false);
  std::this_thread::sleep_for(milliseconds(300));
  child.stop();
  std::this_thread::sleep_for(milliseconds(1500));
  CHECK_FALSE(watch.take_ran());
  ::kill(child.pid(), SIGCONT);
  bool ran = false;
  CHECK(within_seconds([&] { return ran = ran || watch.take_ran(); }));
}

TEST_CASE("of dlscope's own threads nothing is read once they are known, of others that stand still only their time", "[app][host]") {
  if (other_threads_ran_ns(::getpid()) == 0 && !std::ifstream("/proc/self/schedstat"))
    SKIP("this system has no /proc/PID/task/TID/schedstat");
  for (const bool own : {true, false}) {
    const Child child(own ? core::kTaskThread : "of the script");
    const auto name_is_set = [&] {
      for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(child.pid()) + "/task")) {
        std::string name;
        if (std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name) && name == (own ? core::kTaskThread : "of the script"))
          return true;
      }
      return false;
    };
    // It has taken its name and has run for long enough that the system tells so: a look by one who knows nothing reads two files.
    REQUIRE(within_seconds([&] {
      ThreadTimes first;
      static_cast<void>(first.ran_ns(child.pid()));
      return name_is_set() && first.files_read() == 2;
    }));
    child.stop();
    ThreadTimes times;
    std::vector<std::uint64_t> files;
    for (int look = 0; look < 4; ++look) {
      const std::uint64_t before = times.files_read();
      static_cast<void>(times.ran_ns(child.pid()));
      files.push_back(times.files_read() - before);
    }
    INFO(own);
    CHECK(files == std::vector<std::uint64_t>{2, own ? 0U : 1U, own ? 0U : 1U, own ? 0U : 1U});
  }
}

TEST_CASE("an allocator's thread that gives freed memory back is not one that may change values", "[app][host]") {
  for (const bool allocator : {true, false}) {
    const Child child(allocator ? "jemalloc_bg_thd" : "polars-0");
    const auto ran = [&] { return other_threads_ran_ns(child.pid()) > 0; };
    if (!allocator && !within_seconds(ran)) SKIP("this system has no /proc/PID/task/TID/schedstat");
    std::this_thread::sleep_for(milliseconds(300));  // it has taken its name
    CHECK(ran() == !allocator);
  }
}

TEST_CASE("where no other thread runs nothing is woken", "[app][host]") {
  const Child child(false);
  CHECK(other_threads_ran_ns(child.pid()) == 0);
  std::atomic<int> woken{0};
  ThreadWatch watch(child.pid(), [&] { ++woken; });
  watch.watch(true);
  std::this_thread::sleep_for(milliseconds(700));
  CHECK(woken == 0);
  CHECK(other_threads_ran_ns(0x7ffffff) == 0);  // no such process
}

}  // namespace dlscope::app
