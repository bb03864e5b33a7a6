// OutputFile: a file that is written as a whole; the one way to write reports, pictures, scripts and settings. A regular file, or
// one that does not exist yet, is replaced in one step (written beside it, synchronised, renamed): a reader sees the old one or
// the new one, and a failure leaves the old one. A link stays, and what it points to is replaced or created; mode and owner of an
// existing file stay. Anything else (a FIFO, a device, a stream) is written to directly.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "app/files/file_descriptor.h"
#include "core/base/result.h"

namespace dlscope::app {

// Permissions of a new file.
enum class NewFile { as_usual, owner_only };  // 0666 less the umask; 0600
// What to do with a FIFO that nobody reads.
enum class NoReader { wait, fail };

class OutputFile {
 public:
  using Sink = std::function<bool(std::string_view)>;  // false: writing failed, stop
  using Produce = std::function<bool(const Sink&)>;    // false: it cannot be completed

  // Checks all that can be known about a failure before there is something to write; leaves nothing behind. /dev/stdout,
  // /dev/fd/5 and the like stand for what is open there. Fails (environment) with "PATH cannot be written: why".
  [[nodiscard]] static core::Result<OutputFile> open(const std::string& path, NewFile mode = NewFile::as_usual);

  // Call once. thread: any, blocks. Fails with the same text: disk full, stream closed, `produce` gave up.
  [[nodiscard]] core::Result<void> write(const Produce& produce);

 private:
  friend core::Result<void> write_file(const std::string&, std::string_view, NewFile, NoReader);
  OutputFile(std::string name, NewFile mode) : name_(std::move(name)), mode_(mode) {}
  [[nodiscard]] core::Result<void> locate();
  [[nodiscard]] core::Result<void> open_stream(NoReader no_reader);
  [[nodiscard]] core::Result<void> replace(const Produce& produce) const;
  [[nodiscard]] core::Result<void> fill(int fd, const Produce& produce) const;
  [[nodiscard]] std::unexpected<core::Error> refuse(const std::string& why) const;

  std::string name_;  // for messages
  NewFile mode_;
  std::string target_;       // the regular file, links followed; "" for a stream
  std::string stream_path_;  // to be opened when there is something to write
  FileDescriptor stream_;
};

// Whether writing one would destroy the other: the same regular file, or the same place for a new one, links followed.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// The whole file at once, without checking beforehand.
[[nodiscard]] core::Result<void> write_file(const std::string& path, std::string_view bytes, NewFile mode = NewFile::as_usual,
                                            NoReader no_reader = NoReader::fail);

}  // namespace dlscope::app
