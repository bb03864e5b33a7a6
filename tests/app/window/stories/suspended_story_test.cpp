// A process that somebody has stopped, asked to run before that is noticed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

// A process that only waits.
class Waiting {
 public:
  Waiting() : pid_(::fork()) {
    while (pid_ == 0) ::pause();
  }
  ~Waiting() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

bool says(Story& story, const std::string& text) { return story.text_of_frame().find(text) != std::string::npos; }

}  // namespace

TEST_CASE("what is started before a stopped process is noticed is said to begin later, until it has begun", "[window][host]") {
  const Waiting process;
  REQUIRE(process.pid() > 0);
  Story story;
  app::HostReady ready;
  ready.hello.pid = process.pid();
  story.host().found_python();
  story.host().events.emplace_back(app::HostEvent{ready});
  story.frames(3);
  REQUIRE(::kill(process.pid(), SIGSTOP) == 0);
  story.host().begins_runs = false;
  story.app().commands().push(app::command::RunScript{});
  story.frames(3);
  REQUIRE(story.host().runs.size() == 1);
  REQUIRE(story.wait_for([&] { return !story.app().host().suspension().empty(); }));
  story.frames(3);
  CHECK(says(story, "What you have started begins then."));
  story.host().events.emplace_back(app::HostEvent{app::HostRunStarted{story.host().runs.back().run}});
  story.frames(3);
  CHECK_FALSE(says(story, "What you have started begins then."));
  CHECK(says(story, "is stopped (SIGSTOP or the like)"));
}

}  // namespace dlscope::tests
