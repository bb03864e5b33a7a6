#include "app/models/text/pattern.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "app/models/text/characters.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace dlscope::app {
namespace {

constexpr std::uint32_t kMaxSteps = 1'000'000;  // per match: some tens of milliseconds
constexpr std::uint32_t kMaxKiB = 64u << 10;    // per match

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct Pattern::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;
  pcre2_match_context* limits = nullptr;
  std::size_t groups = 0;  // of the last match, including the whole match
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_match_context_free(limits);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

core::Result<Pattern> Pattern::compile(std::string_view pattern, bool match_case) {
  auto compiled = std::make_unique<Compiled>();
  int error = 0;
  PCRE2_SIZE at = 0;
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | (match_case ? 0u : PCRE2_CASELESS);
  compiled->code = pcre2_compile(units(pattern), pattern.size(), options, &error, &at, nullptr);
  if (compiled->code == nullptr) {
    std::array<PCRE2_UCHAR, 200> message{};
    pcre2_get_error_message(error, message.data(), message.size());
    return core::fail(core::ErrorKind::invalid, fmt::format("At character {}: {}.", count_characters(pattern.substr(0, at)) + 1,
                                                            reinterpret_cast<const char*>(message.data())));
  }
  compiled->match = pcre2_match_data_create_from_pattern(compiled->code, nullptr);
  compiled->limits = pcre2_match_context_create(nullptr);
  if (compiled->match == nullptr || compiled->limits == nullptr)
    return core::fail(core::ErrorKind::environment, "No memory is left for the search.");
  pcre2_set_match_limit(compiled->limits, kMaxSteps);
  pcre2_set_heap_limit(compiled->limits, kMaxKiB);
  return Pattern(std::move(compiled));
}

Pattern::Found Pattern::find(std::string_view line, std::size_t from) {
  // The line's UTF-8 is checked only by the first call.
  const std::uint32_t options = PCRE2_NOTEMPTY | (from > 0 ? PCRE2_NO_UTF_CHECK : 0u);
  const int found = pcre2_match(compiled_->code, units(line), line.size(), from, options, compiled_->match, compiled_->limits);
  compiled_->groups = found > 0 ? static_cast<std::size_t>(found) : 0;
  if (found > 0) return Found::yes;
  if (found == PCRE2_ERROR_NOMATCH) return Found::no;
  const bool bad_text = found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21;
  return bad_text ? Found::not_utf8 : Found::too_hard;
}

std::optional<Pattern::Span> Pattern::group(std::size_t number) const {
  if (number >= compiled_->groups) return std::nullopt;
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(compiled_->match);
  const Span span{ends[2 * number], ends[2 * number + 1]};
  // \K in a lookahead can make a match end before it begins.
  if (span.first == PCRE2_UNSET || span.last < span.first) return std::nullopt;
  return span;
}

std::string Pattern::expanded(std::string_view line, std::string_view with) const {
  std::string out;
  for (std::size_t i = 0; i < with.size(); ++i) {
    const char next = i + 1 < with.size() ? with[i + 1] : '\0';
    const bool digit = next >= '1' && next <= '9';
    if (with[i] != '$' || (!digit && next != '&' && next != '$')) {
      out += with[i];
      continue;
    }
    ++i;
    if (next == '$') {
      out += '$';
    } else if (const auto span = group(digit ? static_cast<std::size_t>(next - '0') : 0)) {
      out += line.substr(span->first, span->last - span->first);
    }
  }
  return out;
}

}  // namespace dlscope::app
