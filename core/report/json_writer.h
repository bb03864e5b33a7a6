// JSON as a stream: what is written goes to a sink in pieces, nothing is kept. Text becomes valid JSON whatever its bytes.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace dlscope::core {

// Receives the text in pieces. Returns false to stop (disk full); the writers then return false as well.
using JsonSink = std::function<bool(std::string_view)>;

// thread: one. Calls must nest properly; a key comes before every value of an object.
class JsonWriter {
 public:
  explicit JsonWriter(const JsonSink& sink);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // A word of ours: written as it is.
  void key(std::string_view name);

  void null() { raw("null"); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  // Bytes that are not UTF-8 become U+FFFD.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  template <std::integral T>
  void value(T number) {
    char digits[24];
    raw({digits, std::to_chars(digits, digits + sizeof digits, number).ptr});
  }

  // The shortest text that reads back as the same number; null for NaN and infinities, which JSON does not have.
  void number(double value);

  template <class T>
  void field(std::string_view name, const T& its_value) {
    key(name);
    value(its_value);
  }

  // A line break between values, for people who read the file.
  void line_break() { line_break_ = true; }

  // The sink refused something: the rest may be left out.
  [[nodiscard]] bool failed() const { return failed_; }
  // Hands over what is buffered; false when the sink refused anything so far.
  [[nodiscard]] bool finish();

 private:
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view text);
  void separate();
  void quote(std::string_view text);
  void flush_if_full();
  void flush();

  const JsonSink& sink_;
  std::string buffer_;
  bool comma_ = false;  // the next value or key follows another
  bool line_break_ = false;
  bool failed_ = false;
};

}  // namespace dlscope::core
