#include "app/models/script/script_model.h"

#include <fmt/core.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "app/files/read_file.h"
#include "app/models/text/format.h"

namespace dlscope::app {

std::string ScriptModel::title() const {
  if (path.empty()) return "untitled";
  return std::filesystem::path(path).filename().string();
}

void ScriptModel::open(std::string file, std::string content) {
  open(std::move(file), FileText{std::move(content), {}, 0});
  on_disk = OnDisk::not_watched;
}

void ScriptModel::open(std::string file, FileText content) {
  path = std::move(file);
  saved_text = content.text;
  text = std::move(content.text);
  format = std::move(content.format);
  disk_hash = content.hash;
  on_disk = OnDisk::same;
  disk = {};
  said.clear();
  modified = keep_place = save_held = false;
  ++document;
  ++text_revision;
}

void ScriptModel::saved_as(std::string file, std::string content, std::string_view bytes) {
  path = std::move(file);
  disk_hash = content_hash(bytes);
  if (auto written = text_from_bytes(bytes, path)) format = std::move(written->format);
  saved_text = std::move(content);
  on_disk = OnDisk::same;
  disk = {};
  said.clear();
  modified = save_held = false;
}

void ScriptModel::reload() {
  open(path, std::move(disk));
  keep_place = true;
}

std::optional<ErrorMark> error_mark(const core::RunOutcome& outcome) {
  if (!outcome.error || outcome.error->line <= 0) return std::nullopt;
  std::string message = outcome.error->type;
  if (!outcome.error->message.empty()) message += ": " + outcome.error->message;
  return ErrorMark{outcome.error->line, std::move(message)};
}

std::string outcome_sentence(const core::RunOutcome& outcome) {
  switch (outcome.outcome) {
    case core::Outcome::not_run:
      return "Not run yet.";
    case core::Outcome::finished:
      return outcome.exit_code.value_or(0) == 0 ? "Finished." : fmt::format("Left with exit code {}.", *outcome.exit_code);
    case core::Outcome::raised: {
      if (!outcome.error) return "Raised an exception.";
      std::string text = "Raised " + outcome.error->type;
      if (outcome.error->line > 0) text += fmt::format(" in line {}", outcome.error->line);
      if (!outcome.error->message.empty()) text += ": " + shortened(outcome.error->message, 120);
      return text + (text.ends_with('.') ? "" : ".");
    }
    case core::Outcome::interrupted:
      return "Stopped.";
    case core::Outcome::timeout:
      return "Stopped: the time limit was reached.";
    case core::Outcome::crashed: {
      if (!outcome.signal) return "The script's process crashed.";
      const char* name = ::sigabbrev_np(*outcome.signal);
      return fmt::format("The script's process crashed with SIG{}.", name != nullptr ? name : std::to_string(*outcome.signal));
    }
  }
  return {};
}

core::Result<FileText> read_script_file(const std::string& path) {
  const auto bytes = read_text_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return text_from_bytes(*bytes, path);
}

}  // namespace dlscope::app
