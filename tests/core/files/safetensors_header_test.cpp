#include "core/files/safetensors_header.h"

#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>

#include "core/tensor/layout.h"
#include "file_bytes.h"

namespace dlscope::core {
namespace {

using test::reading;
using test::safetensors;

auto read_all(const std::string& file) { return read_safetensors_header(file.size(), reading(file)); }

Result<std::vector<SafetensorsEntry>> read(const std::string& file) {
  auto header = read_all(file);
  if (!header) return std::unexpected(header.error());
  return std::move(header->tensors);
}

}  // namespace

TEST_CASE("a safetensors header is read in the order of its bytes", "[core][files]") {
  const std::string json = R"({"__metadata__": {"format": "pt"},
    "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [4, 20]}, "a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
    "four bits": {"dtype": "F4", "shape": [6], "data_offsets": [20, 23]}, "none": {"dtype": "I64", "shape": [0, 7], "data_offsets": [23, 23]},
    "new": {"dtype": "X9", "shape": [1], "data_offsets": [23, 24]}})";
  const std::string file = safetensors(json, std::string(24, 'x'));
  const auto entries = read(file);
  REQUIRE(entries);
  REQUIRE(entries->size() == 5);
  CHECK((*entries)[0].name == "a");
  CHECK((*entries)[0].offset == 8 + json.size());
  CHECK((*entries)[1].shape == std::vector<std::int64_t>{2, 2});
  CHECK((*entries)[2].type.dtype == DType{17, 4, 1});
  CHECK((*entries)[4].type.why_not.find("X9") != std::string::npos);
}

TEST_CASE("safetensors headers that lie are refused in words", "[core][files]") {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 9]}})", "lies at 0 to 9 of 8"},
      {R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})", "lies at"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}})", "its shape has 4"},
      {R"({"a": {"dtype": "F32", "shape": [4611686018427387904], "data_offsets": [0, 8]}})", "larger than any memory"},
      {R"({"a": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 0]}})", "larger than any memory"},
      {R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", "invalid size"},
      {R"({"a": {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]}})", "invalid size"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [2, 6]}})",
       "bytes of another"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})",
       "distinct names"},
      {R"({"a": {"dtype": "F32", "shape": [1]}})", "something other"},
      {R"({"a": 3})", "something other"},
      {R"({"a": {"dtype": 1, "shape": [1], "data_offsets": [0, 4]}})", "not a dtype"},
      {R"([1, 2])", "not a JSON object"},
      {R"({"a": )", "not a JSON object"},
      {R"({"a": {"dtype": "F32", "shape": [[[[[[1]]]]]], "data_offsets": [0, 4]}})", "invalid size"},
      {R"({"a": {"dtype": "F32", "dtype": "F64", "shape": [1], "data_offsets": [0, 4]}})", "distinct names"},
      {R"({"a": {"dtype": "F32", "shape": {}, "data_offsets": [0, 4]}})", "not a dtype"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})", "a pair of offsets"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 4]}})", "a pair of offsets"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, -4]}})", "invalid offsets"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], "more": 1}})", "something other"},
      {R"({} {})", "not a JSON object"},
      {R"({"a": {"dtype": "F4", "shape": [3], "data_offsets": [0, 2]}})", "bytes"}};
  for (const auto& [json, text] : wrong) {
    INFO(json);
    const auto entries = read(safetensors(json, std::string(8, 'x')));
    REQUIRE_FALSE(entries);
    CHECK(entries.error().message.find(text) != std::string::npos);
  }
  CHECK_FALSE(read("short"));
  std::string vast = safetensors("{}", "");
  vast[4] = 1;
  CHECK_FALSE(read(vast));
}

TEST_CASE("a safetensors header is not read beyond what is wrong with it", "[core][files]") {
  std::string ones = "1";
  for (int axes = 1; axes < kMaxRank; ++axes) ones += ",1";
  const std::string before = R"({"a": {"dtype": "U8", "data_offsets": [0, 1], "shape": [)", most = before + ones;
  CHECK(read(safetensors(most + "]}}", "x")));
  for (const char* rest : {",1]}}", ",1 and so on"}) {
    const auto entries = read(safetensors(most + rest, "x"));
    REQUIRE_FALSE(entries);
    CHECK(entries.error().message == "its header says of 'a' that it has more than 64 axes");
  }
}

TEST_CASE("what a safetensors file says of itself is kept as text, a bounded part of it", "[core][files]") {
  const auto metadata = [](const std::string& json) { return read_all(safetensors(json, ""))->metadata; };
  using Entries = std::vector<FileMetadata::Entry>;
  const FileMetadata plain = metadata(R"({"__metadata__": {"format": "pt", "note": "line\none\u202e"}})");
  CHECK(plain.entries == Entries{{"format", "pt"}, {"note", "line\\none\\u202e"}});
  CHECK(plain.left_out == 0);
  const FileMetadata odd = metadata(R"({"__metadata__": {"a": {"b": "c", "d": ["e"]}, "f": ["g"], "h": 1, "i": null, "j": "k"}})");
  CHECK(odd.entries == Entries{{"j", "k"}});
  CHECK(odd.left_out == 4);
  CHECK(metadata(R"({"__metadata__": ["a", {"b": "c"}]})").entries.empty());
  CHECK(metadata(R"({"__metadata__": "text"})").entries.empty());
  CHECK(metadata("{}").entries.empty());
  std::string many = R"({"__metadata__": {"0": ")" + std::string(1'000'000, 'x') + '"';
  for (int i = 1; i < 1000; ++i) many += ",\"" + std::to_string(i) + "\": \"\"";
  const FileMetadata cut = metadata(many + "}}");
  CHECK(cut.entries.size() == 64);
  CHECK(cut.left_out == 936);
  CHECK(cut.entries[0].text.size() <= 4000);
}

TEST_CASE("a long safetensors header takes little more memory than its text", "[core][files]") {
  const auto peak_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  std::string json = R"({"__metadata__": {"n": [1)";
  for (int i = 0; i < 2'000'000; ++i) json += ",1";
  const std::string file = safetensors(json + "]}}", "");
  const auto before = peak_kib();
  const auto entries = read(file);
  REQUIRE(entries);
  CHECK(entries->empty());
  CHECK(peak_kib() - before < 24 << 10);  // the text is 4 MB, a tree of its values more than 32
}

}  // namespace dlscope::core
