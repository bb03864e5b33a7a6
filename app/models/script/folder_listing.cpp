#include "app/models/script/folder_listing.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/models/exchange/stream_picture.h"
#include "app/models/table/tensor_table_model.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxEntries = 2000;
constexpr std::size_t kMaxVisited = 20'000;

}  // namespace

FolderListing list_folder(const std::string& folder, const std::stop_token& stop) {
  FolderListing out;
  std::error_code failed;
  out.folder = folder;
  std::size_t visited = 0;
  fs::directory_iterator entry(out.folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::directory_iterator() && !stop.stop_requested(); entry.increment(failed)) {
    if (++visited > kMaxVisited || out.entries.size() >= kMaxEntries) {
      out.cut_short = true;
      break;
    }
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    std::string name = entry->path().filename().string();
    if (name.starts_with('.') && name != ".venv") continue;
    if (!is_folder && entry->path().extension() != ".py" && !core::is_tensor_file(name) && !is_stream_trace_file(name)) continue;
    out.entries.push_back({std::move(name), is_folder});
  }
  if (failed) out.error = failed.message();
  std::ranges::sort(out.entries, [](const auto& a, const auto& b) {
    return a.folder != b.folder ? a.folder : natural_compare(a.name, b.name) < 0;
  });
  return out;
}

}  // namespace dlscope::app
