#include "embed/host/thread_activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/own_threads.h"

namespace dlscope::embed {
namespace {

std::string text_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text(1024, '\0');
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// The number behind `fields` spaces; 0 where there is none.
std::uint64_t number_after(std::string_view text, int fields) {
  for (; fields > 0; --fields) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return 0;
    text.remove_prefix(space + 1);
  }
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ThreadActivity ThreadActivity::now() {
  ThreadActivity out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), ::closedir);
  if (!folder) return out;
  while (const dirent* const entry = ::readdir(folder.get())) {
    pid_t id = 0;
    const std::string_view name = entry->d_name;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id == 0 || id == ::gettid()) continue;
    const std::string thread = fmt::format("/proc/self/task/{}/", id);
    if (core::touches_no_tensor(text_of_file(thread + "comm"))) continue;
    const std::string stat = text_of_file(thread + "stat"), account = text_of_file(thread + "schedstat");
    const std::size_t behind_name = stat.rfind(')');  // a name may hold anything
    if (behind_name == std::string::npos || behind_name + 2 >= stat.size()) continue;
    const std::string_view fields = std::string_view(stat).substr(behind_name + 2);
    // utime and stime are fields 14 and 15 of proc(5), the state is the third; schedstat: time on a processor, waiting, time
    // slices.
    out.threads_[id] = {fields.front() == 'R', !account.empty(),
                        account.empty() ? number_after(fields, 11) + number_after(fields, 12)
                                        : number_after(account, 0) + number_after(account, 2)};
  }
  return out;
}

ThreadActivity::Ran ThreadActivity::ran_since() const {
  Ran ran = Ran::no;
  const auto threads = now().threads_;
  for (const auto& [id, thread] : threads_) {  // a thread ends by running; one that is there has been told to be ours since
    const bool is_gone = !threads.contains(id) && ::access(fmt::format("/proc/self/task/{}", id).c_str(), F_OK) != 0;
    if (is_gone) return Ran::yes;
  }
  for (const auto& [id, thread] : threads) {
    const auto before = threads_.find(id);
    if (before == threads_.end() || before->second.ran != thread.ran || thread.runs || before->second.runs) return Ran::yes;
    if (!thread.has_account) ran = Ran::unknown;
  }
  return ran;
}

}  // namespace dlscope::embed
