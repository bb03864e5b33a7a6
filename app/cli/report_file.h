// Where the report goes: a file that is replaced in one step, or straight into a stream (-, /dev/stdout, a FIFO).
#pragma once

#include <functional>
#include <string>

#include "app/cli/standard_streams.h"
#include "app/host/file_descriptor.h"
#include "core/base/result.h"
#include "core/report/json_writer.h"

namespace dlscope::app {

// Whether a file can be created or replaced there: the folder exists and can be written, and it is no folder itself.
// Fails (environment) with words. Leaves nothing behind.
[[nodiscard]] core::Result<void> check_writable(const std::string& path);

class ReportFile {
 public:
  // path "-": standard output. Found out here, before the script runs: all that can be known about a failure later.
  [[nodiscard]] static core::Result<ReportFile> open(const std::string& path, const StandardStreams& streams);

  // produce: calls the sink until it is done; false from either ends it. Fails with words: disk full, stream closed.
  [[nodiscard]] core::Result<void> write(const std::function<bool(const core::JsonSink&)>& produce);

 private:
  ReportFile() = default;
  [[nodiscard]] core::Result<void> replace(const std::function<bool(const core::JsonSink&)>& produce) const;

  std::string name_;  // for messages
  std::string path_;  // of a regular file, links resolved; "" for a stream
  FileDescriptor stream_;
};

}  // namespace dlscope::app
