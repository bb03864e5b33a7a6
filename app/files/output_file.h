// OutputFile: where a whole file is written to, the one way for reports, pictures, scripts, settings and what else is
// kept. A regular file, or one that is not there yet, is replaced in one step (written beside, synchronised, renamed): a
// reader sees the old one or the new one, and a failure leaves the old one. Links stay and what they lead to is replaced,
// also when it is not there yet; mode and owner of an existing file stay. Anything else (a FIFO, a device, a stream) is
// written straight into.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "app/files/file_descriptor.h"
#include "core/base/result.h"

namespace dlscope::app {

// Permissions of a file that is not there yet.
enum class NewFile { as_usual, owner_only };  // 0666 less the umask; 0600
// What a FIFO that nobody reads is.
enum class NoReader { wait, fail };

class OutputFile {
 public:
  using Sink = std::function<bool(std::string_view)>;  // false: writing failed, stop
  using Produce = std::function<bool(const Sink&)>;    // false: it could not be completed

  // Finds out all that can be known about a failure before there is something to write; leaves nothing behind.
  // /dev/stdout, /dev/fd/5 and the like stand for what is open there. Fails (environment) with "PATH cannot be written: why".
  [[nodiscard]] static core::Result<OutputFile> open(const std::string& path, NewFile mode = NewFile::as_usual);

  // Once. thread: any, blocks. Fails with the same words: disk full, stream closed, `produce` gave up.
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
  std::string target_;       // of a regular file, links followed; "" for a stream
  std::string stream_path_;  // to be opened when there is something to write
  FileDescriptor stream_;
};

// Whether writing the one would lose the other: one plain file, or one place where none is yet, whatever links lead there.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// The whole file at once, without finding out first.
[[nodiscard]] core::Result<void> write_file(const std::string& path, std::string_view bytes, NewFile mode = NewFile::as_usual,
                                            NoReader no_reader = NoReader::fail);

}  // namespace dlscope::app
