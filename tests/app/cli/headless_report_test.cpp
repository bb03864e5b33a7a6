#include "app/cli/headless_report.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/files/file_descriptor.h"
#include "core/inventory/snapshot_builder.h"

namespace dlscope::app {
namespace {

using namespace std::chrono_literals;

// A new FIFO in a folder of its own.
class Fifo {
 public:
  Fifo() {
    std::string folder = (std::filesystem::temp_directory_path() / "dlscope-XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
    REQUIRE(::mkfifo(path().c_str(), 0600) == 0);
  }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;
  ~Fifo() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/report"; }
  // Waits for the writer, and for its end.
  [[nodiscard]] std::string read_all() const {
    const FileDescriptor file{::open(path().c_str(), O_RDONLY | O_CLOEXEC)};
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(file.get(), piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  std::string folder_;
};

}  // namespace

TEST_CASE("a picture of a moment has the place at which the script stood", "[app][cli]") {
  core::SnapshotBuilder builder;
  builder.info().scanned = core::Scanned::stop;
  builder.info().stop = {builder.intern("/home/user/train.py"), builder.intern("step"), builder.intern("MainThread"), 12, 6};
  const core::Snapshot snapshot = *builder.finish();
  const auto stop = stop_of(snapshot, "12#6", "/home/user/train.py");
  REQUIRE(stop);
  CHECK(stop->reason == core::wire::StopReason::breakpoint);
  CHECK(stop->thread == "MainThread");
  REQUIRE(stop->frames.size() == 1);
  CHECK((stop->frames[0].path == "/home/user/train.py" && stop->frames[0].function == "step" && stop->frames[0].line == 12));
  CHECK(stop_of(snapshot, "step:return#6", {})->reason == core::wire::StopReason::returns);
  CHECK_FALSE(stop->frames[0].heading.empty());  // what has called it is not in the picture

  core::SnapshotBuilder top_level;
  top_level.info().scanned = core::Scanned::stop;
  top_level.info().stop = {top_level.intern("/home/user/train.py"), top_level.intern("<module>"), {}, 3, 1};
  const core::Snapshot at_top = *top_level.finish();
  CHECK(stop_of(at_top, "3", "/home/user/train.py")->frames[0].heading.empty());
  CHECK_FALSE(stop_of(at_top, "3", "/home/user/main.py")->frames[0].heading.empty());  // a module that it imports

  core::Snapshot at_end = snapshot;
  at_end.info.scanned = core::Scanned::end;
  CHECK_FALSE(stop_of(at_end, "", {}));
}

TEST_CASE("a report that nobody takes is given up after a time limit", "[app][cli]") {
  InterruptWatch interrupts;  // the thread that is left behind gets no signal of a later test
  const Fifo fifo;
  auto file = OutputFile::open(fifo.path());
  REQUIRE(file);
  const auto written = write_report(std::move(*file), fifo.path(), {}, 1ms);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == fifo.path() + " cannot be written: it does not answer");
  // Its thread was left behind, and goes on when there is a reader.
  CHECK(fifo.read_all().find("dlscope-report") != std::string::npos);
  interrupts.release();
}

TEST_CASE("a report is written as a whole, with and without a time limit", "[app][cli]") {
  using Limit = std::optional<std::chrono::milliseconds>;
  for (const Limit stalls : {Limit(), Limit(24h)}) {
    const Fifo fifo;
    const std::string path = fifo.path() + ".json";
    auto file = OutputFile::open(path);
    REQUIRE(file);
    REQUIRE(write_report(std::move(*file), path, {}, stalls));
    CHECK(std::filesystem::file_size(path) > 100);
  }
}

}  // namespace dlscope::app
