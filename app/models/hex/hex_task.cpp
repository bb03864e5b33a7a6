#include "app/models/hex/hex_task.h"

#include <algorithm>
#include <vector>

namespace dlscope::app {

HexAnswer copy_bytes(const HexTask& task, const ReadSome& read) {
  HexAnswer answer;
  answer.task = task;
  std::vector<std::byte> bytes(std::min(task.last - task.first, kMaxBytesCopied - 1) + 1);
  answer.copied = read(task.first, bytes);
  bytes.resize(answer.copied);
  answer.text = bytes_text(bytes, task.format);
  return answer;
}

HexAnswer carry_out(const HexTask& task, const core::MemoryReader& reader, const std::function<bool(std::uint64_t)>& go_on) {
  if (!task.search)
    return copy_bytes(task, [&](core::Address from, std::span<std::byte> out) { return reader.read(from, out); });
  HexAnswer answer;
  answer.task = task;
  answer.found = search_bytes(*task.search, reader, go_on);
  return answer;
}

}  // namespace dlscope::app
