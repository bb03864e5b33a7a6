#include "core/report/json_writer.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace dlscope::core {
namespace {

std::string written(const std::function<void(JsonWriter&)>& write) {
  std::string text;
  const JsonSink sink = [&](std::string_view piece) {
    text += piece;
    return true;
  };
  JsonWriter json(sink);
  write(json);
  CHECK(json.finish());
  return text;
}

TEST_CASE("objects, arrays and values nest with the right commas", "[core][report]") {
  const std::string text = written([](JsonWriter& json) {
    json.begin_object();
    json.field("a", 1);
    json.key("b");
    json.begin_array();
    json.value(true);
    json.null();
    json.begin_array();
    json.end_array();
    json.begin_object();
    json.end_object();
    json.value("x");
    json.end_array();
    json.field("c", -5);
    json.end_object();
  });
  CHECK(text == R"({"a": 1, "b": [true, null, [], {}, "x"], "c": -5})");
}

TEST_CASE("line breaks fall between values only", "[core][report]") {
  const std::string text = written([](JsonWriter& json) {
    json.begin_array();
    json.line_break();
    json.value(1);
    json.line_break();
    json.value(2);
    json.line_break();
    json.end_array();
    json.line_break();
  });
  CHECK(text == "[\n1,\n2\n]\n");
}

TEST_CASE("the widest integers are written whole", "[core][report]") {
  const std::string text = written([](JsonWriter& json) {
    json.begin_array();
    json.value(std::numeric_limits<std::uint64_t>::max());
    json.value(std::numeric_limits<std::int64_t>::min());
    json.value(std::uint8_t{200});
    json.end_array();
  });
  CHECK(text == "[18446744073709551615, -9223372036854775808, 200]");
}

TEST_CASE("text is escaped and comes back", "[core][report]") {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "é\u202e\U0001f600";
  const auto parsed = nlohmann::json::parse(written([&](JsonWriter& json) { json.value(all); }));
  CHECK(parsed.get<std::string>() == all);
}

TEST_CASE("bytes that are not UTF-8 become replacement characters", "[core][report]") {
  const auto through = [](std::string_view text) {
    return nlohmann::json::parse(written([&](JsonWriter& json) { json.value(text); })).get<std::string>();
  };
  CHECK(through("a\xff"
                "b") == "a\ufffdb");
  CHECK(through("\xc3") == "\ufffd");                                // cut off
  CHECK(through("\xc0\xaf") == "\ufffd\ufffd");                      // overlong
  CHECK(through("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");            // surrogate
  CHECK(through("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");  // beyond U+10FFFF
}

TEST_CASE("random bytes always make valid JSON", "[core][report][fuzz]") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const std::string json = written([&](JsonWriter& writer) { writer.value(text); });
    REQUIRE(nlohmann::json::accept(json));
  }
}

TEST_CASE("a sink that refuses ends the writing and is reported", "[core][report]") {
  int calls = 0;
  const JsonSink sink = [&](std::string_view) {
    ++calls;
    return false;
  };
  JsonWriter json(sink);
  json.begin_array();
  for (int i = 0; i < 100'000; ++i) json.value("some text that fills the buffer");
  json.end_array();
  CHECK(json.failed());
  CHECK_FALSE(json.finish());
  CHECK(calls == 1);
}

TEST_CASE("what is written goes out in pieces of bounded size", "[core][report]") {
  std::size_t largest = 0, total = 0;
  const JsonSink sink = [&](std::string_view piece) {
    largest = std::max(largest, piece.size());
    total += piece.size();
    return true;
  };
  JsonWriter json(sink);
  json.begin_array();
  for (int i = 0; i < 1'000'000; ++i) json.value(i);
  json.end_array();
  CHECK(json.finish());
  CHECK(total > 6'000'000);
  CHECK(largest < 80'000);
}

}  // namespace
}  // namespace dlscope::core
