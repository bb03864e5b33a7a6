#include "app/files/read_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/files/file_descriptor.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;

core::Result<std::string> read_text_file(const std::string& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return fail(ErrorKind::not_found, fmt::format("Cannot open {}: {}.", path, std::strerror(errno)));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(ErrorKind::invalid, fmt::format("{} is not a file.", path));
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(file.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(ErrorKind::environment, fmt::format("Cannot read {}: {}.", path, std::strerror(errno)));
    if (n == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxTextBytes) {
      return fail(ErrorKind::unsupported, fmt::format("{} is larger than {} MiB: not a script.", path, kMaxTextBytes >> 20));
    }
  }
  if (text.find('\0') != std::string::npos)
    return fail(ErrorKind::invalid, fmt::format("{} holds binary data, not a script.", path));
  return text;
}

}  // namespace dlscope::app
