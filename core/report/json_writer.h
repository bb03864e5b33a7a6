// JsonWriter: writes JSON as a stream to a sink, without building a tree. Any text becomes valid JSON, whatever its bytes.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace dlscope::core {

// Receives the text in pieces. Returns false to stop (disk full); the write_ functions then return false, too.
using JsonSink = std::function<bool(std::string_view)>;

// thread: one at a time. Calls must nest properly; inside an object, key() must precede every value. Borrows the sink.
class JsonWriter {
 public:
  explicit JsonWriter(const JsonSink& sink);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // name: a constant of ours; written without escaping.
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

  // The shortest text that parses to the same number; null for NaN and infinities, which JSON does not have.
  void number(double value);

  template <class T>
  void field(std::string_view name, const T& its_value) {
    key(name);
    value(its_value);
  }

  // Puts a line break before the next value, for readability.
  void line_break() { line_break_ = true; }

  // The sink has returned false: callers may skip the rest.
  [[nodiscard]] bool failed() const { return failed_; }
  // Passes what is buffered to the sink. False if the sink has ever returned false.
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
