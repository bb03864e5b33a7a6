#include "app/models/tensors/largest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/base/utf8_text.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxNamed = 5;
constexpr std::size_t kMaxName = 60;

std::uint64_t bytes_of(const core::GroupRecord& group) {
  return group.distinct_bytes != core::kUnknown64 ? group.distinct_bytes : group.range.size();
}

// Python's, NumPy's, PyTorch's and CuPy's own.
bool is_memory_error(std::string_view type) { return type.ends_with("MemoryError"); }

// Of a RuntimeError of PyTorch, JAX and others, TensorFlow's ResourceExhaustedError, an OSError.
bool says_out_of_memory(std::string_view message) {
  const std::string text = core::lowered(message);
  constexpr std::array<std::string_view, 4> kWords{"out of memory", "can't allocate memory", "cannot allocate memory",
                                                   "oom when allocating"};
  return std::ranges::any_of(kWords, [&](std::string_view words) { return text.find(words) != text.npos; });
}

// Whether a line of the text begins with the name of a memory error: "MemoryError", "numpy.exceptions._ArrayMemoryError: Unable".
bool names_memory_error(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (is_memory_error(line.substr(0, line.find_first_of(": ")))) return true;
    begin = end + 1;
  }
  return false;
}

// `raise X from error`: in a traceback as Python prints it each cause comes before what it led to. What was handled meanwhile is
// no cause.
bool has_memory_error_as_cause(std::string_view traceback) {
  constexpr std::string_view kLedTo = "\nThe above exception was the direct cause of the following exception:\n";
  constexpr std::string_view kMeanwhile = "\nDuring handling of the above exception, another exception occurred:\n";
  for (std::size_t end = traceback.find(kLedTo); end != traceback.npos; end = traceback.find(kLedTo, end + 1)) {
    const std::string_view before = traceback.substr(0, end);
    const std::size_t handled = before.rfind(kMeanwhile);
    if (names_memory_error(handled == before.npos ? before : before.substr(handled))) return true;
  }
  return false;
}

}  // namespace

std::vector<LargePart> largest_parts(const core::Snapshot& snapshot, std::size_t most) {
  std::vector<const core::GroupRecord*> groups;
  groups.reserve(snapshot.groups.size());
  for (const auto& group : snapshot.groups) groups.push_back(&group);
  const std::size_t count = std::min(most, groups.size());
  std::partial_sort(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count), groups.end(),
                    [](const auto* a, const auto* b) { return bytes_of(*a) > bytes_of(*b); });
  std::vector<LargePart> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto members = core::Snapshot::slice(snapshot.group_members, groups[i]->members);
    const auto largest = std::ranges::max_element(
        members, {}, [&](std::uint32_t id) { return snapshot.tensors[id].extent.size(); });
    if (largest == members.end()) continue;
    out.push_back({std::string(snapshot.name(snapshot.tensors[*largest])), bytes_of(*groups[i]), members.size() - 1});
  }
  return out;
}

bool is_out_of_memory(const core::RunOutcome& outcome) {
  if (!outcome.error) return false;
  return is_memory_error(outcome.error->type) || says_out_of_memory(outcome.error->message) ||
         has_memory_error_as_cause(outcome.error->traceback);
}

std::string alive_text(const core::Snapshot& snapshot) {
  std::string out;
  for (const LargePart& part : largest_parts(snapshot, kMaxNamed)) {
    if (part.bytes == 0) break;
    out += out.empty() ? "Alive when memory ran out, biggest first: " : ", ";
    out += shortened_name(part.name, kMaxName) + " " + human_bytes(part.bytes);
    if (part.others > 0) out += fmt::format(" (with {})", counted(part.others, "other that shares it", "others that share it"));
  }
  return out.empty() ? out : out + ".";
}

}  // namespace dlscope::app
