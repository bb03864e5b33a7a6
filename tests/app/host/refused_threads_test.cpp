// A viewer that gets no more threads (a limit of memory or of processes) says so; it is not ended by it, and leaves no Python
// behind.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "app/host/host_client.h"
#include "app/host/input_watch.h"
#include "app/host/thread_watch.h"
#include "tests/support/process_facts.h"
#include "tests/support/temporary_folder.h"

namespace {
std::atomic<int> given = 1 << 30;  // so many threads more
}

// Instead of the C library's.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                                void* (*begin)(void*), void* argument) {
  if (given.fetch_sub(1) <= 0) return EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, begin, argument);
}

namespace dlscope::app {
namespace {

class GivenThreads {
 public:
  explicit GivenThreads(int count) { given = count; }
  ~GivenThreads() { given = 1 << 30; }
  GivenThreads(const GivenThreads&) = delete;
  GivenThreads& operator=(const GivenThreads&) = delete;
};

}  // namespace

TEST_CASE("a host that nobody can listen to is not started, or ended, and the reason is said", "[app][host]") {
  const tests::TemporaryFolder package;
  package.write("dlscope/__init__.py", "\n");
  ::setenv("DLSCOPE_PYTHON_DIR", package.path().c_str(), 1);
  ::setenv("DLSCOPE_FAKE_HOST", "", 1);
  HostLaunch launch;
  launch.python.executable = std::string{std::getenv("DLSCOPE_BUILD_DIR")} + "/tests/dlscope_fake_host";
  launch.terminal = true;
  const long descriptors = tests::facts_of(::getpid()).descriptors;
  constexpr int kNeeded = 3;  // the process's, its terminal's and its messages'
  for (int count = 0; count <= kNeeded; ++count) {
    INFO(count << " threads");
    const GivenThreads threads(count);
    auto started = HostClient::start(launch, [] {});
    CHECK(started.has_value() == (count == kNeeded));
    if (started) continue;
    CHECK_THAT(started.error().message, Catch::Matchers::ContainsSubstring("no more threads"));
    CHECK(tests::last_child_of(::getpid()) == 0);
  }
  CHECK(tests::facts_of(::getpid()).descriptors <= descriptors);
}

TEST_CASE("what only watches does without a thread", "[app][host]") {
  const GivenThreads none(0);
  InputWatch input(::getpid(), [] {});
  input.watch(true);
  CHECK_FALSE(input.waiting());
  ThreadWatch threads(::getpid(), [] {});
  threads.watch(true);
  CHECK_FALSE(threads.take_ran());
}

}  // namespace dlscope::app
