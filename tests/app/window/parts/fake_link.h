// FakeLink: a host that does what a story says, at once and on the UI thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/window/host/host_link.h"

namespace dlscope::tests {

// Shared with the story: what was asked of the host, and what it answers next.
struct FakeHost {
  std::vector<app::LinkEvent> events;  // delivered with the next frame
  std::vector<app::LinkEvent> later;   // with the one after it
  std::vector<core::wire::Run> runs;
  std::vector<std::string> inputs;
  std::vector<std::string> chosen;  // executables of Pythons
  struct Question {
    std::uint64_t id = 0;
    std::string kind, text;
  };
  std::vector<Question> questions;
  std::vector<core::wire::Work> work;  // the id of each is its place, counted from 1
  std::vector<std::uint64_t> cancelled;
  std::vector<core::wire::SetBreakpoints> breakpoints;  // every list that was sent
  std::vector<core::wire::Resume> resumes;
  int starts = 0, stops = 0, kills = 0, scans = 0, pauses = 0;
  std::uint64_t last_scan = 0;  // its number
  bool takes_runs = true, takes_resumes = true, ends_runs_at_once = false, begins_runs = true;

  void ready() { events.emplace_back(app::HostEvent{app::HostReady{}}); }
  void found_python() {
    events.emplace_back(app::PythonFound{{.executable = "/home/user/.venv/bin/python",
                                          .libpython = {},
                                          .version = "3.11.7",
                                          .prefix = "/home/user/.venv",
                                          .base_prefix = "/usr",
                                          .chosen_because = "./.venv"}});
  }
  void answer(const Question& question, std::string text, std::string error = {}) {
    events.emplace_back(app::HostEvent{app::HostAnswer{{question.id, question.kind, std::move(text), std::move(error)}}});
  }
  // The script stands still, and its tensors are looked at.
  void stop_at(core::wire::Stopped stop, core::SnapshotPtr snapshot) {
    events.emplace_back(app::HostEvent{app::HostAtStop(std::move(stop))});
    if (snapshot) events.emplace_back(app::HostEvent{app::HostSnapshot{std::move(snapshot), core::Scanned::stop}});
    events.emplace_back(app::HostEvent{app::HostScanFinished{}});
  }
  void finish(core::RunOutcome outcome, core::SnapshotPtr snapshot) { finish(std::move(outcome), std::move(snapshot), events); }
  void finish(core::RunOutcome outcome, core::SnapshotPtr snapshot, std::vector<app::LinkEvent>& into) {
    into.emplace_back(app::HostEvent{app::HostRunFinished{runs.empty() ? 1 : runs.back().run, std::move(outcome)}});
    into.emplace_back(app::HostEvent{app::HostSnapshot{std::move(snapshot), core::Scanned::end}});
    into.emplace_back(app::HostEvent{app::HostScanFinished{}});
  }
};

// How a run ends whose script came to its end.
[[nodiscard]] inline core::RunOutcome finished() {
  core::RunOutcome out;
  out.outcome = core::Outcome::finished;
  return out;
}

class FakeLink final : public app::HostLink {
 public:
  explicit FakeLink(FakeHost& host) : host_(host) {}
  void start() override { ++host_.starts; }
  void choose(const app::PythonChoice& python) override { host_.chosen.push_back(python.executable); }
  bool run(core::wire::Run request) override {
    if (!host_.takes_runs) return false;
    if (host_.begins_runs) host_.events.emplace_back(app::HostEvent{app::HostRunStarted{request.run}});
    host_.runs.push_back(std::move(request));
    if (host_.ends_runs_at_once) host_.finish({}, nullptr, host_.later);
    return true;
  }
  bool scan(std::uint64_t request) override {
    ++host_.scans;
    host_.last_scan = request;
    return true;
  }
  std::uint64_t ask(const std::string& kind, const std::string& text) override {
    host_.questions.push_back({host_.questions.size() + 1, kind, text});
    return host_.questions.back().id;
  }
  std::uint64_t start_work(core::wire::Work work) override {
    host_.work.push_back(std::move(work));
    return host_.work.size();
  }
  void cancel(std::uint64_t work) override { host_.cancelled.push_back(work); }
  void set_breakpoints(core::wire::SetBreakpoints breakpoints) override { host_.breakpoints.push_back(std::move(breakpoints)); }
  bool resume(core::wire::Resume resume) override {
    if (!host_.takes_resumes) return false;
    host_.events.emplace_back(app::HostEvent{app::HostResumed{resume.stop}});
    host_.resumes.push_back(std::move(resume));
    return true;
  }
  void pause() override { ++host_.pauses; }
  void interrupt(const core::wire::Interrupt&) override { ++host_.stops; }
  void kill() override {
    ++host_.kills;
    host_.events.emplace_back(app::HostEvent{app::HostEnded{{}, 9, {}}});
  }
  bool write_input(const std::string& text) override {
    host_.inputs.push_back(text);
    return true;
  }
  std::vector<app::LinkEvent> drain() override { return std::exchange(host_.events, std::exchange(host_.later, {})); }

 private:
  FakeHost& host_;
};

}  // namespace dlscope::tests
