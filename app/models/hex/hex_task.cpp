#include "app/models/hex/hex_task.h"

#include <algorithm>
#include <vector>

namespace dlscope::app {

HexAnswer carry_out(const HexTask& task, const core::MemoryReader& reader, const std::function<bool(std::uint64_t)>& go_on) {
  HexAnswer answer;
  answer.task = task;
  if (task.search) {
    answer.found = search_bytes(*task.search, reader, go_on);
    return answer;
  }
  std::vector<std::byte> bytes(std::min(task.last - task.first, kMaxBytesCopied - 1) + 1);
  answer.copied = reader.read(task.first, bytes);
  bytes.resize(answer.copied);
  answer.text = bytes_text(bytes, task.format);
  return answer;
}

}  // namespace dlscope::app
