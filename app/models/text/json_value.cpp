#include "app/models/text/json_value.h"

#include <fmt/format.h>

#include <charconv>

#include "app/models/text/utf8.h"

namespace dlscope::app {
namespace {

constexpr int kDeepest = 64;

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<JsonValue> whole() {
    JsonValue out;
    if (!value(out, 0)) return std::nullopt;
    skip_space();
    if (!rest_.empty()) return std::nullopt;
    return out;
  }

 private:
  void skip_space() {
    const std::size_t at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
  }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    if (!rest_.starts_with(w)) return false;
    rest_.remove_prefix(w.size());
    return true;
  }

  bool value(JsonValue& out, int depth) {
    if (depth > kDeepest) return false;
    skip_space();
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '"':
        out.kind = JsonValue::Kind::text;
        return string(out.text);
      case '[':
        return list(out, depth);
      case '{':
        return object(out, depth);
      case 't':
        out.kind = JsonValue::Kind::boolean;
        out.truth = true;
        return word("true");
      case 'f':
        out.kind = JsonValue::Kind::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        return number(out);
    }
  }

  bool number(JsonValue& out) {
    out.kind = JsonValue::Kind::number;
    if (rest_.front() != '-' && (rest_.front() < '0' || rest_.front() > '9')) return false;
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out.number);
    if (failed != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool list(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::list;
    rest_.remove_prefix(1);
    if (take(']')) return true;
    do {
      if (!value(out.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool object(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::object;
    rest_.remove_prefix(1);
    if (take('}')) return true;
    do {
      skip_space();
      auto& member = out.members.emplace_back();
      if (!string(member.first) || !take(':') || !value(member.second, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool hex(unsigned& out) {
    if (rest_.size() < 4) return false;
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + 4, out, 16);
    if (failed != std::errc() || end != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    return true;
  }

  bool escaped(std::string& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = kFrom.find(c); at != std::string_view::npos) {
      out += kTo[at];
      return true;
    }
    unsigned point = 0;
    if (c != 'u' || !hex(point)) return false;
    if (point >= 0xD800 && point < 0xDC00) {
      unsigned low = 0;
      const std::string_view before = rest_;
      if (word("\\u") && hex(low) && low >= 0xDC00 && low < 0xE000)
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      else
        rest_ = before;
    }
    append_utf8(out, point >= 0xD800 && point < 0xE000 ? 0xFFFD : point);
    return true;
  }

  bool string(std::string& out) {
    if (!word("\"")) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c == '\\') {
        if (!escaped(out)) return false;
      } else {
        out += c;
      }
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNone;
  for (const auto& [key, value] : members) {
    if (key == name) return value;
  }
  return kNone;
}

std::optional<std::size_t> JsonValue::count() const {
  if (kind != Kind::number || !(number >= 0) || number > 9e15) return std::nullopt;
  return static_cast<std::size_t>(number);
}

std::optional<JsonValue> parse_json(std::string_view text) { return Reader(text).whole(); }

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace dlscope::app
