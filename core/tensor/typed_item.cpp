#include "core/tensor/typed_item.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "core/base/utf8.h"
#include "core/base/utf8_text.h"

namespace dlscope::core {
namespace {

using Characters = std::vector<std::uint32_t>;

std::unexpected<Error> wrong(std::string_view text, const char* why) {
  return fail(ErrorKind::invalid, fmt::format("{} {}", text, why));
}

// The character that an escape stands for; `text` begins behind its backslash, and afterwards behind the escape.
std::optional<std::uint32_t> escaped(std::string_view& text, bool of_bytes) {
  if (text.empty()) return std::nullopt;
  const char letter = text.front();
  text.remove_prefix(1);
  constexpr std::string_view kLetters = "\\'\"ntr", kMeant = "\\'\"\n\t\r";
  if (const std::size_t at = kLetters.find(letter); at != std::string_view::npos) return static_cast<std::uint32_t>(kMeant[at]);
  const std::size_t digits = letter == 'x' ? 2 : of_bytes ? 0 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  std::uint32_t number = 0;
  if (digits == 0 || text.size() < digits) return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + digits, number, 16);
  if (read.ec != std::errc{} || read.ptr != text.data() + digits) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

// Characters, or of a text of bytes these. quoted: with escapes.
Result<Characters> characters_of(std::string_view inside, bool quoted, bool of_bytes) {
  Characters out;
  while (!inside.empty()) {
    if (quoted && inside.front() == '\\') {
      inside.remove_prefix(1);
      const auto character = escaped(inside, of_bytes);
      if (!character) return fail(ErrorKind::invalid, "a backslash in quotes begins an escape: \\\\, \\', \\n, \\xff or \\u20ac");
      out.push_back(*character);
      continue;
    }
    const Utf8Char character = decode_utf8(inside);
    if (!character.valid) return fail(ErrorKind::invalid, "the text is not valid UTF-8");
    if (of_bytes) {
      for (const char byte : inside.substr(0, character.bytes)) out.push_back(static_cast<unsigned char>(byte));
    } else {
      out.push_back(static_cast<std::uint32_t>(character.code));
    }
    inside.remove_prefix(character.bytes);
  }
  return out;
}

Result<Characters> typed_characters(std::string_view text, bool of_bytes) {
  std::string_view inside = text;
  if (of_bytes && (text.starts_with("b'") || text.starts_with("b\""))) inside.remove_prefix(1);
  const bool quoted = inside.starts_with('\'') || inside.starts_with('"');
  if (!quoted && inside.empty()) return fail(ErrorKind::invalid, "type a text; '' is an empty one");
  if (!quoted) return characters_of(inside, false, of_bytes);
  if (inside.size() < 2 || inside.back() != inside.front()) return wrong(text, "has no quote at its end");
  return characters_of(inside.substr(1, inside.size() - 2), true, of_bytes);
}

Result<std::vector<std::byte>> typed_text(const FieldLayout& field, std::string_view text) {
  const bool of_bytes = field.kind == ItemKind::byte_text;
  auto characters = typed_characters(text, of_bytes);
  if (!characters) return std::unexpected(characters.error());
  while (!characters->empty() && characters->back() == 0) characters->pop_back();  // as padding, which NumPy leaves out
  const std::size_t each = of_bytes ? 1 : 4, most = field.bytes / each;
  if (characters->size() > most)
    return fail(ErrorKind::invalid, fmt::format("{} has {} {}, and a value of {} has {} at most: none is equal to it", text,
                                                characters->size(), of_bytes ? "bytes" : "characters",
                                                text_item(field.kind, static_cast<std::uint32_t>(most), false).name, most));
  std::vector<std::byte> out(field.bytes);
  for (std::size_t i = 0; i < characters->size(); ++i) {
    const std::uint32_t stored = field.swapped ? __builtin_bswap32((*characters)[i]) : (*characters)[i];
    std::memcpy(out.data() + i * each, &stored, each);
  }
  return out;
}

}  // namespace

Result<std::vector<std::byte>> typed_item(const FieldLayout& field, std::string_view text) {
  if (is_text(field)) return typed_text(field, text);
  const auto count = typed_time(field, text);
  if (!count) return std::unexpected(count.error());
  std::vector<std::byte> out(sizeof(std::uint64_t));
  auto stored = static_cast<std::uint64_t>(*count);
  if (field.swapped) stored = __builtin_bswap64(stored);
  std::memcpy(out.data(), &stored, sizeof stored);
  return out;
}

}  // namespace dlscope::core
