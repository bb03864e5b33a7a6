#include "app/cli/headless.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>

#include "app/cli/exit_code.h"
#include "app/cli/headless_report.h"
#include "app/cli/headless_verdicts.h"
#include "app/cli/moment_text.h"
#include "app/cli/plain_text.h"
#include "app/cli/stoppable_work.h"
#include "app/cli/supervised_run.h"
#include "app/cli/tables.h"
#include "app/files/output_file.h"
#include "app/files/write_all.h"
#include "app/host/python_finder.h"
#include "app/models/exchange/stream_picture.h"
#include "app/models/script/crash_stack.h"
#include "app/models/script/module_file.h"
#include "app/models/tensors/largest.h"
#include "core/files/tensor_file.h"
#include "core/inventory/snapshot_reader.h"
#include "core/memory/deadline_reader.h"

namespace dlscope::app {

namespace fs = std::filesystem;
using core::Result;
using core::Snapshot;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kReadsScript{2000};  // for the script's text in a picture
constexpr std::chrono::seconds kDevicePatience{10};       // how long a picture waits for a busy device

// With --timeout: how long the report's file may take nothing. A large report is still being synchronised when all was taken.
constexpr std::chrono::milliseconds kReportStalls{30000};
constexpr std::size_t kMaxScriptBytes = std::size_t{1} << 20;  // of the script's text in a picture

// Reads the memory of a process (0: this one), whose pages may never arrive.
std::shared_ptr<core::MemoryReader> in_time(std::unique_ptr<core::MemoryReader> memory, pid_t pid) {
  core::DeadlineOptions options;
  options.pages = std::make_shared<core::ProcessPages>(pid);
  return std::make_shared<core::DeadlineReader>(std::move(memory), std::move(options));
}

// What the report calls the script: its path, or the name of a module that is not below the current folder.
std::string script_of(const Options& options) {
  if (options.code) return "<string>";
  if (options.module.empty()) return options.script;
  std::error_code error;
  const auto file = file_of_module(options.module, fs::current_path(error));
  return file ? file->string() : options.module;
}

std::string start_of_file(const std::string& path, std::size_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};  // Python has consumed a pipe
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// "" when the script's file does not answer.
std::string text_of(const Options& options) {
  if (options.code) return *options.code;
  const auto text = std::make_shared<std::string>();
  const auto read = [text, path = script_of(options)] { *text = start_of_file(path, kMaxScriptBytes); };
  const bool answered = ends_within(kReadsScript, read);
  return answered ? std::move(*text) : std::string();
}

std::optional<std::chrono::milliseconds> time_limit(const Options& options) {
  if (!options.timeout_seconds) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>{std::min(*options.timeout_seconds, 1e9)});
}

Clock::time_point deadline_of(const Options& options) {
  const auto limit = time_limit(options);
  return limit ? Clock::now() + *limit : Clock::time_point::max();
}

class HeadlessRun {
 public:
  HeadlessRun(const Options& options, const StandardStreams& streams, const PictureMaker& pictures)
      : options_(options), streams_(streams), pictures_(pictures), reading_(interrupts_, deadline_of(options)) {}

  int run();
  int show_file();

 private:
  bool check_outputs();
  Result<OutputFile> open_output(const std::string& path);
  bool check_picture();
  bool find_interpreter();
  void run_script();
  int show(std::shared_ptr<const core::TensorFile> file);
  bool read_file(std::function<void(const std::stop_token&)> work);
  void look_into(std::shared_ptr<const core::TensorFile> file);
  void write_picture(const RunReport& found, std::shared_ptr<core::MemoryReader> reader);
  std::string choose_selection(const Snapshot* snapshot);
  void write_report();
  void print_tables();
  void check_moment();
  void judge_expectations();
  void judge_proof();
  void fail(const std::string& why) {
    say(why);
    verdict_.environment_failed = true;
  }

  const Options& options_;
  const StandardStreams& streams_;
  const PictureMaker& pictures_;
  InterruptWatch interrupts_;
  std::optional<OutputFile> report_file_;
  PythonChoice python_;
  StoppableWork reading_;  // of a tensor file; opening of the outputs
  RunReport found_;
  HeadlessVerdict verdict_;
  bool drawn_ = false;
  std::string unproved_;  // why --prove had nothing to judge
  bool is_file_ = false;  // a tensor file, not a script
};

int HeadlessRun::run() {
  found_.outcome.script_path = script_of(options_);
  if (!check_outputs()) return kExitEnvironment;
  found_.outcome.outcome = reading_.stopped_by().value_or(core::Outcome::not_run);
  const bool ready = !reading_.stopped_by() && check_picture() && find_interpreter();
  if (ready) run_script();
  interrupts_.release();
  if (ready && found_.not_started.empty()) check_moment();
  found_.snapshot = with_events(std::move(found_.snapshot), found_.events, found_.python);
  verdict_.outcome = found_.outcome;
  verdict_.scan_end = found_.scan_end;
  const bool started = ready && found_.not_started.empty();
  // A run that did not end by itself gets a picture, too, but without values: its process is gone.
  if (started && !drawn_) write_picture(found_, nullptr);
  write_report();
  if (started) {
    print_tables();
    judge_expectations();
    judge_proof();
  }
  return exit_code_of(verdict_);
}

int HeadlessRun::show_file() {
  is_file_ = true;
  found_.outcome.script_path = options_.script;
  const auto opened = std::make_shared<std::optional<Result<core::TensorFile>>>();
  const bool answered = read_file(
      [opened, path = options_.script](const std::stop_token& stop) { opened->emplace(core::TensorFile::open(path, stop)); });
  if (!answered) return show(nullptr);
  if (Result<core::TensorFile>& file = **opened) return show(std::make_shared<const core::TensorFile>(std::move(*file)));
  const core::Error& error = (*opened)->error();
  if (error.kind == core::ErrorKind::cancelled) return show(nullptr);
  say(error.message);
  return kExitUsage;
}

// The report says that nothing was run, which is no failure here. file: null when it could not be read before it was stopped.
int HeadlessRun::show(std::shared_ptr<const core::TensorFile> file) {
  if (!check_outputs()) return kExitEnvironment;
  if (file && check_picture()) look_into(std::move(file));
  interrupts_.release();
  write_report();
  if (found_.snapshot) {
    print_tables();
    judge_expectations();
  }
  verdict_.outcome = found_.outcome;
  if (verdict_.outcome.outcome == core::Outcome::not_run) verdict_.outcome.outcome = core::Outcome::finished;
  return exit_code_of(verdict_);
}

// False, said and in the report: it does not answer.
bool HeadlessRun::read_file(std::function<void(const std::stop_token&)> work) {
  const bool answered = reading_.run("what was not read until now is missing", std::move(work));
  found_.outcome.outcome = reading_.stopped_by().value_or(core::Outcome::not_run);
  if (answered) return true;
  const std::string wording = options_.script + " does not answer: nothing was read from it";
  say(wording);
  found_.why_no_end = "the file does not answer";
  found_.snapshot = with_events(nullptr, {wording}, std::nullopt);
  return false;
}

void HeadlessRun::look_into(std::shared_ptr<const core::TensorFile> file) {
  const auto snapshot = std::make_shared<core::SnapshotPtr>();
  // The thread may outlive this object, and shares the file.
  const bool answered = read_file([snapshot, file, statistics = options_.statistics](const std::stop_token& stop) {
    *snapshot = core::snapshot_of(*file, statistics, stop);
  });
  interrupts_.release();  // nobody takes them while the picture is drawn
  if (!answered) return write_picture(found_, nullptr);
  found_.snapshot = std::move(*snapshot);
  found_.scanned = core::Scanned::end;
  auto reader = core::process_reader(0);
  write_picture(found_, reader ? in_time(std::move(*reader), 0) : nullptr);
}

// Fails when it was stopped before the path had answered.
Result<OutputFile> HeadlessRun::open_output(const std::string& path) {
  const auto opened = std::make_shared<std::optional<Result<OutputFile>>>();
  const bool answered =
      reading_.run("nothing was run", [opened, path](const std::stop_token&) { opened->emplace(OutputFile::open(path)); });
  if (answered) return std::move(**opened);
  return core::fail(core::ErrorKind::environment, path + " cannot be written: it does not answer");
}

bool HeadlessRun::check_outputs() {
  if (!options_.report.empty()) {
    const bool to_output = options_.report == "-";
    auto file =
        to_output && !streams_.output_open
            ? Result<OutputFile>{core::fail(core::ErrorKind::environment, "standard output cannot be written: it is closed")}
            : open_output(to_output ? "/dev/stdout" : options_.report);
    if (!file) {
      say("--report: " + file.error().message);
      return false;
    }
    report_file_.emplace(std::move(*file));
  }
  if (!options_.screenshot.empty()) {
    if (auto writable = open_output(options_.screenshot); !writable) {
      fail("--screenshot: " + writable.error().message);
      write_report();
      return false;
    }
  }
  return true;
}

bool HeadlessRun::check_picture() {
  if (!options_.screenshot.empty()) {
    if (!pictures_.write) {
      fail("--screenshot: this dlscope was built without its window");
      return false;
    }
    if (auto possible = pictures_.probe ? pictures_.probe() : Result<std::string>{}; !possible) {
      fail("--screenshot: " + possible.error().message);
      return false;
    }
  }
  return true;
}

bool HeadlessRun::find_interpreter() {
  auto python = find_python({options_.python});
  if (!python) {
    fail(python.error().message);
    return false;
  }
  python_ = std::move(*python);
  say(fmt::format("Python {} at {} ({})", python_.version, python_.executable, python_.chosen_because));
  return true;
}

void HeadlessRun::run_script() {
  HostLaunch launch;
  launch.python = python_;
  launch.stdout_to_stderr = options_.report == "-";
  core::wire::Run request;
  request.run = 1;
  request.path = options_.script;
  request.source = options_.code;
  request.module = options_.module;
  request.arguments = options_.arguments;
  request.statistics = options_.statistics;
  request.stop_at = options_.stop_at;
  const RunLimits limits{.timeout = time_limit(options_)};
  // The picture shows values, so it is drawn while the script's process still exists.
  const auto draw = [this](const RunReport& found, pid_t host, const DeviceReader::Ask& devices) {
    auto process = core::process_reader(host);
    if (!process || !found.snapshot) return write_picture(found, nullptr);
    const auto open = [&devices](std::int32_t ordinal) { return std::make_shared<DeviceReader>(ordinal, devices); };
    core::DeadlineOptions busy_device{.patience = kDevicePatience, .give_up = kDevicePatience, .keep_last = false, .late = {}};
    write_picture(found,
                  std::make_shared<core::SnapshotReader>(
                      *found.snapshot, in_time(std::move(*process), host),
                      [&](std::int32_t ordinal) { return std::make_shared<core::DeadlineReader>(open(ordinal), busy_device); }));
  };
  ChooseProof prove;
  if (options_.prove) prove = [this](const Snapshot& snapshot) { return choose_proof(options_, snapshot, unproved_); };
  found_ = run_supervised(launch, std::move(request), limits, interrupts_, prove, draw);
  if (!found_.not_started.empty()) fail(found_.not_started);
}

// A --select that names no tensor is reported, but the picture is drawn all the same.
std::string HeadlessRun::choose_selection(const Snapshot* snapshot) {
  if (options_.select.empty() || (snapshot != nullptr && snapshot->find(options_.select) != nullptr)) return options_.select;
  say(fmt::format("--select {}: there is no tensor of this name", options_.select));
  verdict_.selection_missing = true;
  return {};
}

void HeadlessRun::write_picture(const RunReport& found, std::shared_ptr<core::MemoryReader> reader) {
  drawn_ = true;
  if (options_.screenshot.empty()) return;
  ScreenshotRequest request;
  request.snapshot = found.snapshot;
  request.outcome = found.outcome;
  request.reader = std::move(reader);
  request.script_path = options_.module.empty() ? options_.script : script_of(options_);
  request.of_file = is_file_;
  if (is_file_) {
    request.output_text = "This is a file: nothing was run to open it.\n";
  } else {
    request.script_text = text_of(options_);
    request.python = fmt::format("Python {} · {}", python_.version, fs::path(python_.prefix).filename().string());
    request.output_text =
        "Without a window, what the script prints\ngoes to standard output and standard error.\n";  // it was not captured
  }
  if (found.snapshot) request.stop = stop_of(*found.snapshot, options_.stop_at, file_of_code(found.outcome.script_path));
  request.select = choose_selection(found.snapshot.get());
  request.chain = options_.chain;
  if (!options_.chain.empty()) request.proof = found.proof;
  if (options_.width) request.width = *options_.width;
  if (options_.height) request.height = *options_.height;
  if (options_.scale) request.scale = *options_.scale;
  if (options_.layout) request.layout = *options_.layout;
  if (options_.theme) request.theme = *options_.theme;
  request.output_path = options_.screenshot;
  if (auto written = pictures_.write(request); !written) fail("--screenshot: " + written.error().message);
}

void HeadlessRun::write_report() {
  if (!report_file_) return;
  ReportParts parts{.snapshot = found_.snapshot,
                    .run = found_.outcome,
                    .scanned = found_.scanned,
                    .python = found_.python,
                    .proof = options_.chain.empty() ? std::nullopt : found_.proof,
                    .probes = found_.proof ? probes_of(*found_.proof, found_.proved) : std::vector<core::PairProbe>()};
  const auto stalls = options_.timeout_seconds ? std::optional(kReportStalls) : std::nullopt;
  const auto written = app::write_report(std::move(*report_file_), options_.report, std::move(parts), stalls);
  if (!written) fail("--report: " + written.error().message);
}

void HeadlessRun::print_tables() {
  if (options_.report == "-" || !streams_.output_open) return;
  std::string text = "\n";
  text += moment_text(found_, options_.stop_at);
  if (found_.scanned != core::Scanned::none && found_.snapshot) {
    const bool is_empty_file = is_file_ && found_.snapshot->tensors.empty();
    text += is_empty_file ? "There is no tensor in the file.\n" : tensor_table(*found_.snapshot);
    text += "\n" + sharing_table(*found_.snapshot);
    const std::string alive = is_out_of_memory(found_.outcome) ? alive_text(*found_.snapshot) : std::string();
    if (!alive.empty()) text += "\n" + plain_text(alive) + "\n";
    if (found_.proof) text += "\n" + proof_table(*found_.proof) + proof_evidence(*found_.proof);
    if (options_.statistics != core::StatisticsMethod::none) text += "\n" + statistics_table(*found_.snapshot);
  }
  const auto written = write_all(STDOUT_FILENO, text);
  // A closed pipe is no failure: its reader wanted only the first lines.
  if (!written && written.error().kind != core::ErrorKind::cancelled)
    fail("the tables could not be printed: " + written.error().message);
}

void HeadlessRun::judge_expectations() {
  if (!expectations_hold(options_, found_)) verdict_.expectation_failed = true;
}

void HeadlessRun::judge_proof() {
  if (!proof_holds(options_, found_, unproved_)) verdict_.expectation_failed = true;
}

void HeadlessRun::check_moment() {
  if (options_.stop_at.empty() || found_.scanned == core::Scanned::stop || found_.scan_end == ScanEnd::failed) return;
  // The host says why where it was there and could not look (_host_missed.py).
  const std::string there = fmt::format("--at {}: it was reached, but", options_.stop_at);
  const bool was_there = found_.snapshot && std::ranges::any_of(found_.snapshot->events, [&](const core::EventRecord& event) {
    return found_.snapshot->str(event.text).starts_with(there);
  });
  const std::string wording =
      fmt::format("--at {}: that moment was {}", options_.stop_at, was_there ? "not scanned" : "never reached");
  say(wording + "; what follows is the end of the script");
  found_.events.push_back(wording);
  verdict_.expectation_failed = true;
}

// What Python itself would run although it is no text. nullopt: it may be a script.
std::optional<std::string> why_no_text(const std::string& script) {
  const std::string ending = fs::path(script).extension().string();
  if (ending == ".pyc") return script + " is compiled Python, not a script: run the .py file, or its module with -m";
  const bool is_zip = ending == ".pyz" || start_of_file(script, 4) == std::string_view("PK\3\4");
  if (is_zip) return script + " is a zip archive, not a script: unpack it and run its __main__.py";
  return std::nullopt;
}

std::optional<std::string> missing_script(const std::string& script) {
  if (script.empty()) return std::nullopt;
  std::error_code error;
  const bool is_data = core::is_tensor_file(script) || is_stream_trace_file(script);
  if (!fs::exists(script, error)) return script + (is_data ? ": there is no such file" : ": there is no such script");
  if (fs::is_directory(script, error)) return script + " is a folder, not a script";
  if (::access(script.c_str(), R_OK) != 0) return script + " cannot be read: " + std::strerror(errno);
  if (!is_data) return why_no_text(script);
  return std::nullopt;
}

}  // namespace

std::optional<int> refused_files(const Options& options) {
  const auto wrong = std::make_shared<std::optional<std::string>>();
  const auto limit = options.headless ? time_limit(options) : std::nullopt;
  if (!limit) {
    *wrong = wrong_files(options);
  } else if (!ends_within(*limit, [wrong, options] { *wrong = wrong_files(options); })) {
    say("time-out: the files that were named do not answer; nothing was run");
    return kExitTimeout;
  }
  if (!*wrong) return std::nullopt;
  say(**wrong);
  return kExitUsage;
}

std::optional<std::string> wrong_files(const Options& options) {
  if (auto missing = missing_script(options.script)) return missing;
  const bool report = !options.report.empty() && options.report != "-", picture = !options.screenshot.empty();
  const std::string script = script_of(options);
  if (report && same_file(options.report, script)) return "--report would overwrite the script " + script;
  if (picture && same_file(options.screenshot, script)) return "--screenshot would overwrite the script " + script;
  if (report && picture && same_file(options.report, options.screenshot))
    return fmt::format("--report and --screenshot name one file: {}", options.report);
  return std::nullopt;
}

int run_headless(const Options& options, const StandardStreams& streams, const PictureMaker& pictures) {
  return HeadlessRun{options, streams, pictures}.run();
}

int show_file_headless(const Options& options, const StandardStreams& streams, const PictureMaker& pictures) {
  return HeadlessRun{options, streams, pictures}.show_file();
}

}  // namespace dlscope::app
