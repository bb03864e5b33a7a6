#include "app/session/unsaved_text.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "app/files/file_descriptor.h"
#include "app/files/home_folder.h"
#include "app/files/output_file.h"
#include "app/files/read_file.h"
#include "app/session/kept_breakpoints.h"
#include "app/session/stored_fields.h"
#include "app/session/text_owner.h"
#include "core/base/clock.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "unsaved-";
constexpr std::string_view kSuffix = ".txt";
constexpr std::string_view kLockSuffix = ".lock";
// The first line names the script; the text follows unchanged. Where there are breakpoints, they stand between the two, on one
// line. The hash of what the script's file was edited from stands before its name, as 16 hexadecimal digits and a space.
constexpr std::string_view kHeader = "dlscope unsaved text 1 of ";
constexpr std::string_view kHeaderBeforeBreakpoints = "dlscope unsaved text 2 of ";
constexpr std::string_view kHeaderBeforeContent = "dlscope unsaved text 3 of ";
static_assert(kHeader.size() == kHeaderBeforeBreakpoints.size() && kHeader.size() == kHeaderBeforeContent.size());
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kMaxOffered = 8;
// What nobody restores does not pile up. The newest is kept however old it is.
constexpr std::size_t kMaxLeft = 64;
constexpr std::chrono::hours kLeftFor{24 * 30};

bool is_name_of_ours(const std::string& name) { return name.starts_with(kPrefix) && name.ends_with(kSuffix); }

std::string lock_beside(const std::string& file) {
  return file.substr(0, file.size() - kSuffix.size()) + std::string(kLockSuffix);
}

// Held until the descriptor is closed, or the process ends in any way.
bool take_lock(const FileDescriptor& lock) { return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0; }

// What the lock file says of who made it.
std::string owner_line(const FileDescriptor& lock) {
  std::string line(512, ' ');
  const ssize_t size = ::pread(lock.get(), line.data(), line.size(), 0);
  line.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return line;
}

// False when another process holds the lock. Where locks do not work (ENOLCK on some network file systems), what stands in the
// lock file decides. The text of one of whom that cannot be said stays where it is: it may be a living window's, elsewhere.
bool owner_is_gone(const std::string& file) {
  const FileDescriptor lock{::open(lock_beside(file).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!lock) return errno == ENOENT;
  if (take_lock(lock)) return true;
  return errno != EWOULDBLOCK && life_of(owner_line(lock)) == Owner::gone;
}

std::string random_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(::getpid()) ^ static_cast<std::uint64_t>(core::monotonic_ns()) << 20;
  return fmt::format("{}{:016x}", kPrefix, number);
}

std::string minute_text(std::time_t at) {
  std::tm local{};
  ::localtime_r(&at, &local);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour,
                     local.tm_min);
}

std::string breakpoints_line(const std::vector<KeptBreakpoint>& breakpoints) {
  return breakpoints_json(breakpoints).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What cannot be read gives none: the text is offered all the same.
std::vector<KeptBreakpoint> breakpoints_on(std::string_view line) {
  const Json list = Json::parse(line, nullptr, false);
  if (list.is_discarded()) return {};
  try {
    return breakpoints_of(list);
  } catch (const WrongType&) {
    return {};
  }
}

// The next line, without its end; nullopt: there is none.
std::optional<std::string_view> take_line(std::string_view& content) {
  const std::size_t end = content.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = content.substr(0, end);
  content.remove_prefix(end + 1);
  return line;
}

// Takes the digits and the space before a path; nullopt: they are not there.
std::optional<std::uint64_t> take_hash(std::string_view& path) {
  std::uint64_t hash = 0;
  const char* const end = path.data() + kHashDigits;
  if (path.size() <= kHashDigits || *end != ' ') return std::nullopt;
  const auto read = std::from_chars(path.data(), end, hash, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  path.remove_prefix(kHashDigits + 1);
  return hash;
}

std::string header_of(const UnsavedText& text) {
  std::string path = text.script_path;
  std::ranges::replace(path, '\n', ' ');
  if (text.edited_from) return fmt::format("{}{:016x} {}\n", kHeaderBeforeContent, *text.edited_from, path);
  if (text.breakpoints.empty()) return fmt::format("{}{}\n", kHeader, path);
  return fmt::format("{}{}\n{}", kHeaderBeforeBreakpoints, path, breakpoints_line(text.breakpoints));
}

std::optional<UnsavedText> read_kept(const fs::path& file) {
  // Only a regular file of this user is offered.
  struct stat info{};
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return std::nullopt;
  const auto content = read_text_file(file.string());
  if (!content) return std::nullopt;
  std::string_view text = *content;
  const auto header = take_line(text);
  if (!header) return std::nullopt;
  const bool with_breakpoints = header->starts_with(kHeaderBeforeBreakpoints);
  const bool with_content = header->starts_with(kHeaderBeforeContent);
  if (!with_breakpoints && !with_content && !header->starts_with(kHeader)) return std::nullopt;
  std::string_view path = header->substr(kHeader.size());
  const auto edited_from = with_content ? take_hash(path) : std::nullopt;
  if (with_content && !edited_from) return std::nullopt;
  const auto breakpoints = with_breakpoints ? take_line(text) : std::string_view();
  if (!breakpoints) return std::nullopt;
  return UnsavedText{.file = file.string(),
                     .script_path = std::string(path),
                     .text = std::string(text),
                     .breakpoints = breakpoints_on(*breakpoints),
                     .edited_from = edited_from,
                     .stored_at = minute_text(info.st_mtime)};
}

}  // namespace

std::string state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return std::string(state) + "/dlscope";
  const std::string home = home_folder();
  return home.empty() ? std::string() : home + "/.local/state/dlscope";
}

// The file of one window and its lock, which is taken when the first text is stored.
class UnsavedTextStore::Place {
 public:
  explicit Place(const std::string& folder) : file_(fmt::format("{}/{}{}", folder, random_name(), kSuffix)) {}
  ~Place() {
    // A stored text is left for the next start, and its lock file with it.
    if (lock_ && ::access(file_.c_str(), F_OK) != 0) ::unlink(lock_beside(file_).c_str());
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] core::Result<void> lock() {
    const std::lock_guard guard(mutex_);
    if (lock_) return {};
    const std::string path = lock_beside(file_);
    FileDescriptor lock{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!lock) return core::fail(core::ErrorKind::environment, fmt::format("Cannot write {}: {}.", path, std::strerror(errno)));
    // For where locks do not work: text is stored there all the same.
    const std::string owner = this_owner();
    if (::pwrite(lock.get(), owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size()))
      return core::fail(core::ErrorKind::environment, fmt::format("Cannot write {}: {}.", path, std::strerror(errno)));
    // Another window may hold it briefly while looking for left-behind texts.
    for (int attempt = 0; attempt < kLockAttempts && !take_lock(lock) && errno == EWOULDBLOCK; ++attempt) ::usleep(1000);
    lock_ = std::move(lock);
    return {};
  }

 private:
  static constexpr int kLockAttempts = 100;
  std::string file_;
  std::mutex mutex_;
  FileDescriptor lock_;
};

UnsavedTextStore::UnsavedTextStore(std::string folder)
    : folder_(std::move(folder)), place_(folder_.empty() ? nullptr : std::make_shared<Place>(folder_)) {}

core::Result<void> UnsavedTextStore::keep(const UnsavedText& text) const {
  if (folder_.empty()) return {};
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed)
    return core::fail(core::ErrorKind::environment, fmt::format("Cannot make the folder {}: {}.", folder_, failed.message()));
  ::chmod(folder_.c_str(), 0700);
  if (auto locked = place_->lock(); !locked) return locked;
  return write_file(place_->file(), header_of(text) + text.text, NewFile::owner_only);
}

void UnsavedTextStore::forget() const {
  if (place_) ::unlink(place_->file().c_str());
}

std::vector<UnsavedText> UnsavedTextStore::left_behind() const {
  if (!place_) return {};
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_, failed); !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (!is_name_of_ours(entry->path().filename().string()) || entry->path() == place_->file()) continue;
    std::error_code ignored;
    if (owner_is_gone(entry->path().string())) files.emplace_back(fs::last_write_time(entry->path(), ignored), entry->path());
  }
  std::ranges::sort(files, std::greater<>());
  const fs::file_time_type oldest = fs::file_time_type::clock::now() - kLeftFor;
  std::vector<UnsavedText> out;
  std::size_t texts = 0;
  for (const auto& [time, file] : files) {
    auto kept = read_kept(file);
    if (!kept) continue;
    ++texts;
    if (texts > kMaxLeft || (texts > 1 && time < oldest))
      remove(*kept);
    else if (out.size() < kMaxOffered)
      out.push_back(std::move(*kept));
  }
  return out;
}

void UnsavedTextStore::remove(const UnsavedText& text) {
  ::unlink(text.file.c_str());
  ::unlink(lock_beside(text.file).c_str());
}

}  // namespace dlscope::app
