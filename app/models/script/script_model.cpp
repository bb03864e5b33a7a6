#include "app/models/script/script_model.h"

#include <filesystem>

#include "app/files/read_file.h"

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

core::Result<FileText> read_script_file(const std::string& path) {
  const auto bytes = read_text_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return text_from_bytes(*bytes, path);
}

}  // namespace dlscope::app
