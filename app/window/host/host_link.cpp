#include "app/window/host/host_link.h"

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "app/models/jobs/job_pool.h"
#include "core/base/overloaded.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kExitTimeout{1500};
constexpr std::chrono::milliseconds kKillTimeout{2000};  // after that
constexpr std::chrono::milliseconds kPollInterval{20};

bool is_at_rest(const HostClient& client) {
  const auto phase = client.phase();
  return phase == core::wire::HostPhase::idle || phase == core::wire::HostPhase::windows;
}

// An idle host exits as Python does, so that files the script left open are flushed. Blocks until it is gone; returns at once
// where code runs: that host is killed with its client.
void ask_to_exit(HostClient& client) {
  if (!is_at_rest(client)) return;
  client.shutdown(kExitTimeout);
  const auto give_up = std::chrono::steady_clock::now() + kExitTimeout + kKillTimeout;
  while (std::chrono::steady_clock::now() < give_up) {
    for (const HostEvent& event : client.drain()) {
      if (std::holds_alternative<HostEnded>(event)) return;
    }
    client.wait(kPollInterval);
  }
}

class ClientLink final : public HostLink {
 public:
  ClientLink(AskedPython python, std::string working_directory, std::function<void()> wake)
      : asked_(std::move(python)), working_directory_(std::move(working_directory)), wake_(std::move(wake)), starter_(wake_) {}

  ~ClientLink() override {
    if (client_) ask_to_exit(*client_);
  }
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;

  void choose(const PythonChoice& python) override { python_ = python; }

  void start() override {
    if (client_ && !is_at_rest(*client_)) client_->kill();
    // The starter's thread waits for its end: freeing much memory may take the kernel long.
    starter_.post(Lane::interpreters, [gone = std::shared_ptr<HostClient>(std::move(client_))](const std::stop_token&) {
      if (gone) ask_to_exit(*gone);
      return JobPool::Apply();
    });
    give_up_questions(own_);
    give_up_work(own_, "Python was restarted");
    starter_.post(Lane::interpreters,
                  [this, wake = wake_, asked = asked_, folder = working_directory_,
                   known = python_](const std::stop_token& stop) { return start_off_thread(wake, asked, folder, known, stop); },
                  {JobKind::start_host});
  }

  bool run(core::wire::Run request) override { return client_ && client_->run(std::move(request)); }
  bool scan(std::uint64_t request) override { return client_ && client_->scan(request); }
  std::uint64_t ask(const std::string& kind, const std::string& text) override {
    if (!client_ || !client_->ask({++last_question_, kind, text})) return 0;
    open_questions_[last_question_] = kind;
    return last_question_;
  }
  std::uint64_t start_work(core::wire::Work work) override {
    const bool act = core::wire::is_act(work);
    if (!client_ || !client_->start_work({++last_work_, std::move(work)})) return 0;
    open_work_[last_work_] = act ? NeedsPython::yes : NeedsPython::no;
    return last_work_;
  }
  void cancel(std::uint64_t work) override {
    if (client_ && open_work_.contains(work)) client_->cancel(work);
  }
  void set_breakpoints(core::wire::SetBreakpoints breakpoints) override {
    if (client_) client_->set_breakpoints(std::move(breakpoints));
  }
  bool resume(core::wire::Resume resume) override { return client_ && client_->resume(std::move(resume)); }
  void pause() override {
    if (client_) client_->pause();
  }
  void interrupt(const core::wire::Interrupt& interrupt) override {
    if (client_) client_->interrupt(interrupt);
  }
  void kill() override {
    if (client_) client_->kill();
  }
  bool write_input(const std::string& text) override { return client_ && client_->write_input(text); }

  bool terminal_echoes() const override { return !client_ || client_->terminal_echoes(); }

  std::vector<LinkEvent> drain() override {
    starter_.apply_finished();
    std::vector<LinkEvent> out = std::exchange(own_, {});
    if (client_) {
      for (HostEvent& event : client_->drain()) {
        const bool crashed = std::holds_alternative<HostCrashed>(event);
        const bool ended = std::holds_alternative<HostEnded>(event);
        if (!is_awaited(event)) continue;
        out.emplace_back(std::move(event));
        if (crashed || ended) give_up_questions(out);
        if (crashed) give_up_work(out, "the script's process crashed", NeedsPython::yes);
        if (ended) give_up_work(out, "the script's process has ended");
      }
    }
    return out;
  }

 private:
  enum class NeedsPython : std::uint8_t { no, yes };

  // Numbers rise across hosts, so an answer is never taken for one to a question that an earlier host was asked.
  bool is_awaited(const HostEvent& event) {
    return std::visit(core::Overloaded{
                          [&](const HostAnswer& answered) {
                            const auto open = open_questions_.find(answered.answer.id);
                            if (open == open_questions_.end() || open->second != answered.answer.kind) return false;
                            open_questions_.erase(open);
                            return true;
                          },
                          [&](const HostProgress& progress) { return open_work_.contains(progress.id); },
                          [&](const HostPart& part) { return open_work_.contains(part.id); },
                          [&](const HostWorkEnded& end) { return open_work_.erase(end.id) > 0; },
                          [](const HostReady&) { return true; }, [](const HostOutput&) { return true; },
                          [](const HostRunStarted&) { return true; }, [](const HostRunFinished&) { return true; },
                          [](const HostSnapshot&) { return true; }, [](const HostScanFinished&) { return true; },
                          [](const HostNotice&) { return true; }, [](const HostLease&) { return true; },
                          [](const HostBreakpoints&) { return true; }, [](const HostAtStop&) { return true; },
                          [](const HostResumed&) { return true; }, [](const HostWindowsRan&) { return true; },
                          [](const HostCrashed&) { return true; }, [](const HostEnded&) { return true; },
                      },
                      event);
  }
  void give_up_work(std::vector<LinkEvent>& out, const std::string& why, std::optional<NeedsPython> only = std::nullopt) {
    std::erase_if(open_work_, [&](const auto& open) {
      if (only && open.second != *only) return false;
      out.emplace_back(HostEvent{HostWorkEnded{open.first, core::wire::WorkOutcome::failed, why, {}}});
      return true;
    });
  }
  void give_up_questions(std::vector<LinkEvent>& out) {
    for (const auto& [id, kind] : std::exchange(open_questions_, {})) {
      out.emplace_back(HostEvent{HostAnswer{{id, kind, {}, kAnswerGone}}});
    }
  }

  // Runs on the starter's thread and touches nothing of *this; what it returns runs on the UI thread.
  JobPool::Apply start_off_thread(const std::function<void()>& wake, const AskedPython& asked, const std::string& folder,
                                  const std::optional<PythonChoice>& known, const std::stop_token& stop) {
    auto python = known ? core::Result<PythonChoice>(*known) : find_python(asked, stop);
    if (!python) return [this, why = python.error().message] { own_.emplace_back(HostNotStarted{why}); };
    HostLaunch launch;
    launch.python = *python;
    launch.terminal = true;
    launch.working_directory = folder;
    auto client = HostClient::start(launch, wake);
    if (!client) {
      return [this, choice = *python, why = client.error().message] {
        own_.emplace_back(PythonFound{choice});
        own_.emplace_back(HostNotStarted{why});
      };
    }
    return [this, choice = *python, shared = std::make_shared<std::unique_ptr<HostClient>>(std::move(*client))] {
      python_ = choice;
      client_ = std::move(*shared);
      own_.emplace_back(PythonFound{choice});
    };
  }

  AskedPython asked_;
  std::string working_directory_;
  std::function<void()> wake_;
  std::optional<PythonChoice> python_;  // found once, or chosen; Restart takes the same
  std::vector<LinkEvent> own_;
  std::uint64_t last_question_ = 0;
  std::map<std::uint64_t, std::string> open_questions_;  // id -> kind
  std::uint64_t last_work_ = 0;
  std::map<std::uint64_t, NeedsPython> open_work_;
  std::unique_ptr<HostClient> client_;
  JobPool starter_;  // last: ends first, its results are dropped
};

}  // namespace

std::unique_ptr<HostLink> make_host_link(AskedPython python, std::string working_directory, std::function<void()> wake) {
  return std::make_unique<ClientLink>(std::move(python), std::move(working_directory), std::move(wake));
}

}  // namespace dlscope::app
