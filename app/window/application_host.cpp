// The application and its host: what the host says, and what is asked of it.
#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "app/models/text/format.h"
#include "app/window/application.h"
#include "app/window/overloaded.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kQuestionHangs{300};

std::string python_words(const PythonChoice& python) {
  const std::filesystem::path prefix(python.prefix);
  const bool is_venv = python.prefix != python.base_prefix && !python.prefix.empty();
  return "Python " + python.version + (is_venv ? " · " + prefix.filename().string() : std::string());
}

std::string signal_words(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

void Application::take(const LinkEvent& event) {
  std::visit(Overloaded{
                 [&](const PythonFound& found) {
                   host_.python = python_words(found.python);
                   host_.executable = fmt::format("{} (found by {})", found.python.executable, found.python.chosen_because);
                   host_.state = HostState::starting;
                   learn_libraries(found.python);
                 },
                 [&](const HostNotStarted& failed) { host_gone(HostState::failed, failed.why); },
                 [&](const HostEvent& host) { take(host); },
             },
             event);
}

void Application::take(const HostEvent& event) {
  std::visit(Overloaded{
                 [&](const HostReady& ready) {
                   timeline_.process_started();
                   kill_offered_ = false;
                   input_watch_ = ready.hello.pid > 0 ? std::make_unique<InputWatch>(ready.hello.pid, options_.wake) : nullptr;
                   thread_watch_ = ready.hello.pid > 0 ? std::make_unique<ThreadWatch>(ready.hello.pid, options_.wake) : nullptr;
                   if (ready.hello.pid > 0) {
                     if (auto reader = core::process_reader(ready.hello.pid))
                       reader_ = std::move(*reader);
                     else
                       notices_.add(Tone::warn, "The script's memory cannot be read: " + reader.error().message);
                   }
                   host_.state = HostState::idle;
                   host_.detail.clear();
                   notices_.log(Tone::plain,
                                fmt::format("Python {} is ready, as process {}.", ready.hello.python_version, ready.hello.pid));
                   if (!waiting_run_) return;
                   if (link_->run(std::move(*waiting_run_))) host_.state = HostState::running;
                   waiting_run_.reset();
                 },
                 [&](const HostOutput& out) { output_.append(out.text); },
                 [&](const HostRunStarted& started) {
                   timeline_.run_began(started.run);
                   host_.state = HostState::running;
                   ++host_.runs;
                   host_.stop_attempts = 0;
                 },
                 [&](const HostRunFinished& run) {
                   timeline_.run_ended();
                   outcome_ = run.outcome;
                   host_.state = HostState::scanning;
                   if (last_run_ == RunKind::console && outcome_.error) outcome_.error->line = 0;  // no line of the script
                   notices_.log(outcome_.outcome == core::Outcome::finished ? Tone::plain : Tone::warn,
                                fmt::format("Run {}: {}", run.run, outcome_sentence(outcome_)));
                   // A part or a console line that simply worked has said what it had to say.
                   if (last_run_ == RunKind::script || outcome_.outcome != core::Outcome::finished)
                     output_.note(fmt::format("run {}: {}", run.run, outcome_sentence(outcome_)));
                 },
                 [&](const HostSnapshot& scan) {
                   scanned_ = scan.scanned;
                   if (scan.snapshot) show_snapshot(scan.snapshot);
                 },
                 [&](const HostScanFinished& scan) {
                   if (host_.state == HostState::scanning) host_.state = HostState::idle;
                   if (scan.result == core::wire::ScanResult::failed) notices_.add(Tone::warn, scan.words);
                 },
                 [&](const HostNotice& notice) { notices_.add(Tone::warn, notice.text); },
                 [](const HostProgress&) {}, [](const HostPart&) {}, [](const HostWorkEnded&) {}, [](const HostLease&) {},
                 [&](const HostAnswer& answered) { questions_.answer(answered.answer); },
                 [&](const HostCrashed& crash) {
                   std::string why = fmt::format("The script's process crashed: {}", signal_words(crash.signal));
                   if (!crash.library.empty()) why += " in " + crash.library;
                   why += ". The text and the last tensors stay; Restart gives a new Python.";
                   timeline_.process_crashed();
                   outcome_.outcome = core::Outcome::crashed;
                   outcome_.signal = crash.signal;
                   if (!crash.python_stack.empty()) output_.append("\n" + crash.python_stack + "\n");
                   host_gone(HostState::crashed, std::move(why));
                 },
                 [&](const HostEnded& end) {
                   reader_.reset();  // its number may be another process's soon
                   thread_watch_.reset();
                   timeline_.process_ended();
                   if (host_.state == HostState::crashed) return;
                   if (!end.why.empty()) return host_gone(HostState::failed, end.why);
                   std::string how = end.signal ? "was ended by " + signal_words(*end.signal)
                                                : fmt::format("ended with exit code {}", end.exit_code.value_or(0));
                   host_gone(HostState::ended, "The Python process " + how + ". Restart gives a new one.");
                 },
             },
             event);
}

void Application::host_gone(HostState state, std::string why) {
  const bool was_running = host_.busy();
  host_.state = state;
  host_.detail = std::move(why);
  waiting_run_.reset();
  if (state != HostState::crashed) reader_.reset();  // a crashed process may still stand and be read
  output_.note(host_.detail);
  if (state != HostState::ended || was_running)
    notices_.add(Tone::bad, host_.detail);
  else
    notices_.log(Tone::plain, host_.detail);
}

void Application::run_script() {
  script_.text = panels_.script.editor && panels_.script.loaded_revision == script_.text_revision ? editor_text(panels_.script)
                                                                                                  : script_.text;
  start_run(script_.text, RunKind::script);
}

void Application::run_text(const command::RunText& run) {
  if (run.text.empty() || !link_ || !host_.can_run()) return;
  std::string shown;
  for (const std::string_view line : lines_of(run.text)) shown.append(shown.empty() ? ">>> " : "\n... ").append(line);
  output_.note(shown);
  // Empty lines in front: messages name the lines of the script.
  start_run(run.of_script ? std::string(run.first_line, '\n') + run.text : run.text,
            run.of_script ? RunKind::part_of_script : RunKind::console);
}

void Application::start_run(std::string text, RunKind kind) {
  if (!link_ || !host_.can_run()) return;
  if (!host_.alive() && host_.state != HostState::finding) restart_host();
  core::wire::Run run;
  run.run = next_run_++;
  // What another script left is nothing to compare with.
  if (kind == RunKind::script && !script_.is_the_one_of(std::exchange(last_script_, script_.identity()))) comparable_from_ = run.run;
  if (kind != RunKind::console) run.path = script_.path;
  run.source = std::move(text);
  run.arguments = options_.arguments;
  run.fresh_namespace = kind == RunKind::script;
  run.echo = kind != RunKind::script;
  last_run_ = kind;
  notices_.clear();
  outcome_ = {};
  if (host_.state != HostState::idle) {
    waiting_run_ = std::move(run);
    return;
  }
  if (link_->run(std::move(run))) {
    host_.state = HostState::running;
    timeline_.run_began(next_run_ - 1);
  } else {
    notices_.add(Tone::bad, "The Python process took no run: it is busy or gone. Restart gives a new one.");
  }
}

void Application::restart_host() {
  if (!link_) return;
  host_.state = HostState::starting;
  host_.detail.clear();
  host_.stop_attempts = 0;
  reader_.reset();
  timeline_.process_leaves();
  comparable_from_ = next_run_;
  output_.note("Python restarts");
  notices_.log(Tone::plain, "Python restarts.");
  link_->start();
}

void Application::put_questions() {
  const bool takes = link_ && host_.state == HostState::idle;
  const bool gone = !link_ || (!host_.alive() && host_.state != HostState::finding);
  questions_.put(takes  ? Questions::Python::idle
                 : gone ? Questions::Python::gone
                        : Questions::Python::busy,
                 [this](const Question& question) { return link_->ask(question.kind, question.text); });
  // Most answers come within a frame or two: Stop is offered for those that do not.
  const auto now = std::chrono::steady_clock::now();
  if (!questions_.any_open())
    asked_since_.reset();
  else if (!asked_since_)
    asked_since_ = now;
  host_.asked = asked_since_ && now - *asked_since_ > kQuestionHangs;
}

// Whether the script asks for a line, and whether that line is a secret.
bool Application::watch_input() {
  if (!input_watch_) return false;
  input_watch_->watch(host_.busy());
  const bool waits = host_.busy() && input_watch_->waiting();
  const bool echoes = !waits || link_ == nullptr || link_->terminal_echoes();
  const bool changed = waits != host_.waits_for_line || echoes != host_.echoes;
  host_.waits_for_line = waits;
  host_.echoes = echoes;
  return changed;
}

void Application::stop_script() {
  if (!link_ || !host_.can_stop()) return;
  if (!host_.busy()) return link_->stop();  // only a question of ours
  ++host_.stop_attempts;
  host_.state = HostState::stopping;
  link_->stop();
}

// Once Stop was tried, at once; else it is said first what would be lost, and a second press means it.
void Application::kill_host() {
  if (!link_) return;
  if (host_.stop_attempts > 0 || std::exchange(kill_offered_, true)) {
    kill_offered_ = false;
    return link_->kill();
  }
  const std::string lost = index() ? counted(index()->size(), "tensor", "tensors") + " and all variables" : "all variables";
  notices_.add(Tone::warn,
               "Kill ends the Python process at once: " + lost + " are lost, and what the script has not written. Stop only interrupts it.",
               "Kill Python", command::KillHost{});
}

}  // namespace dlscope::app
