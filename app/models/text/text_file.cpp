#include "app/models/text/text_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace dlscope::app {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
// How many lines ahead a moved line is searched, to keep its line end.
constexpr std::size_t kLookAhead = 256;

bool continues(std::string_view s, std::size_t at, std::size_t count) {
  if (at + count >= s.size() + 1 || s.size() - at <= count) return false;
  for (std::size_t i = 1; i <= count; ++i) {
    if ((static_cast<unsigned char>(s[at + i]) & 0xC0U) != 0x80U) return false;
  }
  return true;
}

// Length of the well-formed UTF-8 sequence at `at`; 0: malformed.
std::size_t sequence_length(std::string_view s, std::size_t at) {
  const auto c = static_cast<unsigned char>(s[at]);
  const auto next = at + 1 < s.size() ? static_cast<unsigned char>(s[at + 1]) : 0U;
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c < 0xE0) return continues(s, at, 1) ? 2 : 0;
  if (c >= 0xE0 && c < 0xF0) {
    if ((c == 0xE0 && next < 0xA0) || (c == 0xED && next >= 0xA0)) return 0;
    return continues(s, at, 2) ? 3 : 0;
  }
  if (c >= 0xF0 && c < 0xF5) {
    if ((c == 0xF0 && next < 0x90) || (c == 0xF4 && next >= 0x90)) return 0;
    return continues(s, at, 3) ? 4 : 0;
  }
  return 0;
}

std::string_view end_bytes(LineEnd end) { return end == LineEnd::lf ? "\n" : end == LineEnd::crlf ? "\r\n" : "\r"; }

// Line ends for `now`: a line that also exists in `before` keeps its own.
std::vector<LineEnd> kept_ends(const std::vector<std::string_view>& now, const std::vector<std::string_view>& before,
                               const TextFormat& format) {
  std::vector<LineEnd> out(now.size(), format.line_end);
  const auto end_of = [&](std::size_t line) { return line < format.ends.size() ? format.ends[line] : format.line_end; };
  const LineDifference difference = line_difference(before, now);
  for (std::size_t i = 0; i < difference.first; ++i) out[i] = end_of(i);
  for (std::size_t i = difference.new_last; i < now.size(); ++i) out[i] = end_of(i - difference.new_last + difference.old_last);
  std::size_t from = difference.first;
  for (std::size_t i = difference.first; i < difference.new_last; ++i) {
    const std::size_t stop = std::min(difference.old_last, from + kLookAhead);
    for (std::size_t k = from; k < stop; ++k) {
      if (before[k] != now[i] || (now[i].empty() && k != from)) continue;
      out[i] = end_of(k);
      from = k + 1;
      break;
    }
  }
  return out;
}

}  // namespace

std::uint64_t content_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

core::Result<FileText> text_from_bytes(std::string_view bytes, const std::string& path) {
  FileText out;
  out.hash = content_hash(bytes);
  if (bytes.starts_with(kMark)) {
    out.format.byte_order_mark = true;
    bytes.remove_prefix(kMark.size());
  }
  std::array<std::size_t, 3> count{};
  std::vector<LineEnd> ends;
  out.text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    if (bytes[i] == '\n' || bytes[i] == '\r') {
      const bool both = bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
      const LineEnd end = both ? LineEnd::crlf : bytes[i] == '\r' ? LineEnd::cr : LineEnd::lf;
      ++count[static_cast<std::size_t>(end)];
      ends.push_back(end);
      out.text += '\n';
      i += both ? 2 : 1;
      continue;
    }
    const std::size_t length = sequence_length(bytes, i);
    if (length == 0) {
      return core::fail(core::ErrorKind::unsupported,
                        fmt::format("{} is not UTF-8 text (byte 0x{:02x} in line {}): editing it here would damage it. Save it "
                                    "as UTF-8 with the program that made it.",
                                    path, static_cast<unsigned char>(bytes[i]), ends.size() + 1));
    }
    out.text.append(bytes.substr(i, length));
    i += length;
  }
  const auto most = std::ranges::max_element(count);
  if (*most > 0) out.format.line_end = static_cast<LineEnd>(most - count.begin());
  if (*most != ends.size()) out.format.ends = std::move(ends);
  return out;
}

std::string bytes_from_text(const std::string& text, const TextFormat& format, const std::string& original) {
  std::string out(format.byte_order_mark ? kMark : std::string_view());
  if (format.line_end == LineEnd::lf && !format.mixed()) return out + text;
  const auto lines = lines_of(text);
  const std::vector<LineEnd> ends =
      format.mixed() ? kept_ends(lines, lines_of(original), format) : std::vector<LineEnd>(lines.size(), format.line_end);
  out.reserve(text.size() + lines.size() + kMark.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i];
    if (i + 1 < lines.size()) out += end_bytes(ends[i]);
  }
  return out;
}

std::string format_text(const TextFormat& format) {
  std::string out;
  if (format.mixed())
    out = "line ends mixed, each line keeps its own";
  else if (format.line_end == LineEnd::crlf)
    out = "CRLF line ends";
  else if (format.line_end == LineEnd::cr)
    out = "CR line ends";
  if (format.byte_order_mark) out += out.empty() ? "byte order mark" : ", byte order mark";
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

LineDifference line_difference(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
  LineDifference out{0, before.size(), after.size()};
  while (out.first < before.size() && out.first < after.size() && before[out.first] == after[out.first]) ++out.first;
  while (out.old_last > out.first && out.new_last > out.first && before[out.old_last - 1] == after[out.new_last - 1]) {
    --out.old_last;
    --out.new_last;
  }
  return out;
}

namespace {

using Lines = std::span<const std::string_view>;

// One step of a path from the beginnings of both texts to their ends: a line that both have, or one of the old or of the new text only.
enum class Step : std::uint8_t { both, old_only, new_only };

// The shortest path (Myers, "An O(ND) Difference Algorithm and Its Variations"); empty: it has more than kMostEdits lines of one text only.
std::vector<Step> shortest_path(Lines before, Lines after) {
  const auto n = static_cast<std::ptrdiff_t>(before.size()), m = static_cast<std::ptrdiff_t>(after.size());
  const std::ptrdiff_t most = std::min(n + m, static_cast<std::ptrdiff_t>(kMostEdits));
  // reached[k]: how far in `before` the path on diagonal k (old minus new) comes; one copy of it for each number of edits.
  std::vector<std::ptrdiff_t> reached(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](auto& row, std::ptrdiff_t k) -> auto& { return row[static_cast<std::size_t>(k + most + 1)]; };
  std::vector<std::vector<std::ptrdiff_t>> rows;
  for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
    rows.push_back(reached);
    for (std::ptrdiff_t k = -edits; k <= edits; k += 2) {
      const bool inserts = k == -edits || (k != edits && at(reached, k - 1) < at(reached, k + 1));
      std::ptrdiff_t x = inserts ? at(reached, k + 1) : at(reached, k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)]) ++x;
      at(reached, k) = x;
      if (k != n - m || x < n) continue;
      std::vector<Step> path;
      std::ptrdiff_t old_line = n, new_line = m;
      for (std::ptrdiff_t left = edits; left > 0; --left) {
        const auto& row = rows[static_cast<std::size_t>(left)];
        const std::ptrdiff_t here = old_line - new_line;
        const bool inserted = here == -left || (here != left && at(row, here - 1) < at(row, here + 1));
        const std::ptrdiff_t from = inserted ? here + 1 : here - 1, from_old = at(row, from);
        const std::ptrdiff_t behind = inserted ? from_old : from_old + 1;  // the old line behind the edit
        path.insert(path.end(), static_cast<std::size_t>(old_line - behind), Step::both);
        path.push_back(inserted ? Step::new_only : Step::old_only);
        old_line = from_old;
        new_line = from_old - from;
      }
      path.insert(path.end(), static_cast<std::size_t>(old_line), Step::both);
      std::ranges::reverse(path);
      return path;
    }
  }
  return {};
}

}  // namespace

std::vector<LineDifference> line_differences(const std::vector<std::string_view>& before,
                                             const std::vector<std::string_view>& after) {
  const LineDifference all = line_difference(before, after);
  if (all.first == all.old_last && all.first == all.new_last) return {};
  const std::vector<Step> path = shortest_path(Lines(before).subspan(all.first, all.old_last - all.first),
                                               Lines(after).subspan(all.first, all.new_last - all.first));
  if (path.empty()) return {all};
  std::vector<LineDifference> out;
  std::size_t old_line = all.first, new_line = all.first;
  bool differs = false;
  for (const Step step : path) {
    if (step != Step::both && !differs) out.push_back({old_line, old_line, new_line});
    differs = step != Step::both;
    old_line += step != Step::new_only;
    new_line += step != Step::old_only;
    if (differs) {
      out.back().old_last = old_line;
      out.back().new_last = new_line;
    }
  }
  return out;
}

}  // namespace dlscope::app
