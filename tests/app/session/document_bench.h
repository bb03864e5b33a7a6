// A script document as its tests use it.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/script_document.h"

namespace dlscope::app {

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// A document with an editor that is one string, and what it asked of the window.
class DocumentBench {
 public:
  explicit DocumentBench(std::string state_folder = {})
      : document({.jobs = jobs,
                  .notices = notices,
                  .editor_text = [this](std::uint64_t revision) { return revision == loaded ? text : nullptr; },
                  .breakpoints = [this] { return breakpoints; },
                  .restored = [this](const auto& kept) { breakpoints = kept; },
                  .replaced =
                      [this] {
                        ++replaced;
                        breakpoints.clear();
                      },
                  .used = [this](const std::string& path) { used.push_back(path); },
                  .show = [this](std::optional<std::size_t> line) { shown.push_back(line); },
                  .choose_file = [this](const std::string& start) { browsed.push_back("open " + start); },
                  .choose_target = [this](const std::string& start) { browsed.push_back("save " + start); }},
                 {.state_folder = std::move(state_folder), .wake = {}}) {}

  // The editor takes what the document has, and somebody types.
  void load() {
    loaded = document.model().text_revision;
    text = std::make_shared<const std::string>(document.model().text);
  }
  void type(std::string now) {
    load();
    text = std::make_shared<const std::string>(std::move(now));
    document.note_edit();
  }
  void save(const command::SaveScript& save = {}) {
    document.save(save);
    jobs.finish_all();
  }
  [[nodiscard]] bool wait_for(const std::function<bool()>& done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      document.update();
      jobs.apply_finished();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  [[nodiscard]] const ScriptModel& model() const { return document.model(); }
  [[nodiscard]] const Notice& last_notice() const { return notices.all().back(); }
  void open(const std::string& path) {
    document.open(path);
    jobs.finish_all();
  }
  // Clicks the button of a notice that offers a text; the number counts from 0.
  void restore(std::size_t notice) {
    const Notice& offer = notices.all().at(notice);
    const std::uint64_t id = offer.id;
    document.restore(std::get<command::RestoreText>(*offer.command).id);
    document.give_up(id);  // as the button does with each notice
    notices.dismiss(id);
    jobs.finish_all();
  }

  JobPool jobs;
  Notices notices;
  std::shared_ptr<const std::string> text;
  std::uint64_t loaded = 0;
  std::vector<KeptBreakpoint> breakpoints;  // of a text without a file
  int replaced = 0;
  std::vector<std::string> used, browsed;
  std::vector<std::optional<std::size_t>> shown;
  ScriptDocument document;
};

}  // namespace dlscope::app
