// HostProcess plays the viewer: makes a region, starts a real host on a chosen interpreter, sends requests and collects
// what comes back. Its standard streams go to files in a folder of its own, which is also its working directory.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "tests/embed/host/test_pythons.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {

using tests::TemporaryFolder;

// The folder that holds our Python package.
[[nodiscard]] std::string package_dir();

struct HostSettings {
  std::map<std::string, std::string> environment;  // added to ours
  std::string executable;                          // instead of the interpreter's: a venv's python
  std::string package_dir;                         // instead of the build's
  bool other_build = false;                        // the region claims another build id
};

class HostProcess {
 public:
  explicit HostProcess(const TestPython& python, const HostSettings& settings = {});
  ~HostProcess();  // kills it if it still runs

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] core::wire::Region& region() { return *region_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

  void send(const core::wire::ToHost& message);
  // Writes `code` as a script in the folder, or into `path`, and asks for its run.
  void start_script(const std::string& code, std::vector<std::string> arguments = {});
  void stop(std::uint64_t question = 0, std::uint64_t run = 0) { send(core::wire::Interrupt{1, question, run, 0}); }

  // The next message of this kind; earlier ones of other kinds are kept in `messages`. nullopt: the process ended or
  // half a minute passed.
  template <class Message>
  std::optional<Message> wait_for() {
    while (auto message = next_message()) {
      messages.push_back(*message);
      if (auto* wanted = std::get_if<Message>(&*message)) return *wanted;
    }
    return std::nullopt;
  }
  std::optional<core::RunOutcome> run_script(const std::string& code, std::vector<std::string> arguments = {});
  std::optional<core::RunOutcome> run(core::wire::Run request);
  // Waits until the text has appeared on the host's standard output.
  bool wait_for_output(const std::string& text);
  bool wait_for_crash();
  // The wait status; waits for the end.
  int wait();
  // Shutdown and wait().
  int leave();

  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

  std::vector<core::wire::ToViewer> messages;

 private:
  std::optional<core::wire::ToViewer> next_message();
  [[nodiscard]] bool ended();

  TemporaryFolder folder_;
  std::unique_ptr<core::wire::Region> region_;
  std::unique_ptr<core::wire::RingWriter> writer_;
  std::unique_ptr<core::wire::RingReader> reader_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::uint64_t runs_ = 0;
};

}  // namespace dlscope::tests
