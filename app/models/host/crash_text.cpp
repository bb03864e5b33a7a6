#include "app/models/host/crash_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

using core::CrashFacts;

constexpr std::size_t kMaxFrames = 8;  // of one library, on one line

constexpr std::size_t kMaxNameBytes = 60;
constexpr std::string_view kOperator = "operator";

// One past the bracket that closes the one at `open`; npos: none does.
std::size_t after_brackets(std::string_view name, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < name.size(); ++at) {
    if (name[at] == '(' || name[at] == '<' || name[at] == '[' || name[at] == '{') ++depth;
    const bool is_arrow = name[at] == '>' && at > 0 && name[at - 1] == '-';
    if (name[at] == ')' || (name[at] == '>' && !is_arrow) || name[at] == ']' || name[at] == '}') --depth;
    if (depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// Whether the keyword, not a part of an identifier, stands there.
bool is_operator(std::string_view name, std::size_t at) {
  return name.substr(at).starts_with(kOperator) && (at == 0 || !is_word_byte(name[at - 1])) &&
         (at + kOperator.size() >= name.size() || !is_word_byte(name[at + kOperator.size()]));
}

// One past the keyword and the signs or the type behind it: "operator<" of "operator< <int>(int)".
std::size_t after_operator(std::string_view name, std::size_t at) {
  at += kOperator.size();
  if (name.substr(at).starts_with("()")) return at + 2;
  if (at < name.size() && name[at] == ' ') return std::min(name.find('(', at), name.size());  // a type, new, delete
  return std::min(name.find_first_not_of("<>=!+-*/%^&|~,[]", at), name.size());
}

// What may stand behind a function's parameters. Anything else there means that they were part of its result's type, decltype(auto).
bool may_end_function(std::string_view rest) {
  for (const std::string_view end : {" const", " volatile", " &", " noexcept", " requires", " ["})
    if (rest.starts_with(end)) return true;
  return !rest.starts_with(' ');
}

// Of a demangled C++ name what tells functions apart: "at::native::add_kernel" for "at::native::(anonymous
// namespace)::add_kernel(at::TensorIteratorBase&, c10::Scalar const&)". Without template arguments, parameters and the type of
// the result. The name itself where its brackets do not match.
std::string short_function_name(std::string_view name) {
  constexpr std::string_view kNobody = "(anonymous namespace)::", kConst = " const";
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    if (rest.starts_with(kNobody)) {
      at += kNobody.size();
    } else if (is_operator(name, at)) {
      const std::size_t end = after_operator(name, at);
      out += name.substr(at, end - at);
      if (!out.ends_with("()")) break;  // what follows, with signs that look like brackets, is of no use
      at = end;
    } else if (name[at] == '<' || name[at] == '(' || name[at] == '{') {
      const std::size_t end = after_brackets(name, at);
      if (end == name.npos) return std::string(name);
      const std::string_view behind = name.substr(end);
      if (name[at] == '{') out += name.substr(at, end - at);
      // Parameters end the name, unless it is that of something inside of the function, such as a lambda.
      const bool is_inside = behind.starts_with("::") || behind.starts_with(" const::");
      if (name[at] == '(' && !is_inside && may_end_function(behind)) break;
      at = behind.starts_with(" const::") ? end + kConst.size() : end;
    } else if (rest.starts_with(" [clone")) {
      break;
    } else if (name[at] == ' ') {
      out.clear();  // what came before is the type of the result
      ++at;
    } else {
      out += name[at++];
    }
  }
  return out.empty() ? std::string(name) : out;
}

// A short name's end tells more than its beginning, which is the library's.
std::string name_that_fits(const std::string& symbol) {
  const std::string name = short_function_name(symbol);
  if (name.size() <= kMaxNameBytes) return name;
  const bool is_short = name.find('(') == std::string::npos || name != symbol;
  const std::size_t part = is_short ? name.find("::", name.size() - kMaxNameBytes) : std::string::npos;
  if (part != std::string::npos) return "..." + name.substr(part);
  std::size_t most = kMaxNameBytes;
  while (most > 0 && !starts_character(name[most])) --most;
  return name.substr(0, most) + "...";
}

// "spin (+0x1139)"; only the offset when the function has no name.
std::string frame_text(const CrashFacts::NativeFrame& frame) {
  const std::string place = fmt::format("{}{:#x}", frame.library.empty() ? "" : "+", frame.offset);
  return frame.symbol.empty() ? place : fmt::format("{} ({})", name_that_fits(frame.symbol), place);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string crash_address_text(const CrashFacts& facts) {
  if (!facts.address) return {};
  const char* how = facts.access == CrashFacts::Access::write  ? "Written to"
                    : facts.access == CrashFacts::Access::read ? "Read from"
                                                               : "At";
  return fmt::format("{} {:#x}{}.", how, *facts.address, facts.memory.empty() ? std::string() : ": " + facts.memory);
}

std::vector<NativeFrames> native_frames(const CrashFacts& facts) {
  std::vector<NativeFrames> out;
  for (std::size_t i = 0; i < facts.native.size();) {
    const std::string& library = facts.native[i].library;
    NativeFrames& of_one =
        out.emplace_back(library.empty() ? std::string("code of no file") : file_name(library), std::vector<std::string>());
    for (; i < facts.native.size() && facts.native[i].library == library; ++i)
      of_one.frames.push_back(frame_text(facts.native[i]));
  }
  return out;
}

std::vector<std::string> native_lines(const CrashFacts& facts) {
  std::vector<std::string> out;
  for (const NativeFrames& of_one : native_frames(facts)) {
    const std::size_t count = of_one.frames.size(), named = std::min(count, kMaxFrames);
    std::string line =
        fmt::format("{}: {}", of_one.library,
                    fmt::join(of_one.frames.begin(), of_one.frames.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (count > named) line += fmt::format(" and {} more", count - named);
    out.push_back(std::move(line));
  }
  return out;
}

std::vector<std::string> telling_native_lines(const CrashFacts& facts) {
  static constexpr std::string_view kRuntimes[] = {"libc.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "ld-linux"};
  const auto is_runtime = [](const std::string& line) {
    return std::ranges::any_of(kRuntimes, [&](std::string_view runtime) { return line.starts_with(runtime); });
  };
  const auto is_our_handler = [](const std::string& line) { return line.contains("dlscope::embed::on_fatal"); };
  std::vector<std::string> lines = native_lines(facts);
  // Our handler raises the signal once more.
  const auto handler = std::ranges::find_if(lines, is_our_handler);
  if (handler != lines.end() && handler + 1 != lines.end()) lines.erase(lines.begin(), handler + 1);
  if (!lines.empty()) lines.erase(std::remove_if(lines.begin() + 1, lines.end(), is_runtime), lines.end());
  return lines;
}

}  // namespace dlscope::app
