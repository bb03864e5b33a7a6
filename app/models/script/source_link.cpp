#include "app/models/script/source_link.h"

#include <charconv>

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxLine = 2'000;  // bytes to search in a line

// Parses the number at `at`; returns its end, npos: there is none.
std::size_t number_at(std::string_view text, std::size_t at, std::size_t& value) {
  const auto [end, failed] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (failed != std::errc() || value == 0) return std::string_view::npos;
  return static_cast<std::size_t>(end - text.data());
}

}  // namespace

std::optional<SourceLink> source_link(std::string_view text) {
  text = text.substr(0, kMaxLine);
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  SourceLink out;
  if (const std::size_t begin = text.find(kFile); begin != std::string_view::npos) {
    const std::size_t path = begin + kFile.size(), after = text.find(kLine, path);
    if (after == std::string_view::npos) return std::nullopt;
    out.end = number_at(text, after + kLine.size(), out.line);
    if (out.end == std::string_view::npos) return std::nullopt;
    out.begin = begin;
    out.path = text.substr(path, after - path);
    return out;
  }
  const std::size_t colon = text.find(".py:");
  if (colon == std::string_view::npos) return std::nullopt;
  out.end = number_at(text, colon + 4, out.line);
  if (out.end == std::string_view::npos || (out.end < text.size() && text[out.end] != ':')) return std::nullopt;
  out.begin = text.find_first_not_of(' ');
  out.path = text.substr(out.begin, colon + 3 - out.begin);
  return out;
}

}  // namespace dlscope::app
