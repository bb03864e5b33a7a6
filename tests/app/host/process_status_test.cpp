#include "app/host/process_status.h"

#include <catch2/catch_test_macros.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

using namespace dlscope::app;

TEST_CASE("what is stopped, caught and ignored is read from the kernel's words", "[app][host]") {
  const ProcessStatus status = parse_status(
      "Name:\tState: T\nState:\tT (stopped)\nPid:\t7\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001000\nSigCgt:\t0000000180014002\n");
  CHECK(status.stopped);
  CHECK(status.catches(SIGINT));
  CHECK_FALSE(status.catches(SIGUSR1));
  CHECK(status.ignores(SIGPIPE));
  CHECK_FALSE(status.ignores(SIGHUP));
  CHECK_FALSE(parse_status("State:\tS (sleeping)\n").stopped);
  CHECK_FALSE(parse_status("").catches(SIGINT));
}

TEST_CASE("a process that somebody has stopped, and one that is gone", "[app][host]") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int how = 0;
  REQUIRE(::waitpid(child, &how, WUNTRACED) == child);
  const auto stopped = process_status(child);
  REQUIRE(stopped);
  CHECK(stopped->stopped);
  CHECK(stopped->ignores(SIGHUP));
  CHECK(stopped->parent == ::getpid());
  CHECK(is_below(child, ::getpid()));
  CHECK(is_below(child, child));
  CHECK_FALSE(is_below(::getpid(), child));
  ::kill(child, SIGCONT);
  REQUIRE(::waitpid(child, &how, 0) == child);
  CHECK_FALSE(process_status(child));
}
