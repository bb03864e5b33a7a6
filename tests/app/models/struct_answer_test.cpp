#include "app/models/inspector/struct_answer.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "app/models/inspector/struct_as_c.h"
#include "app/models/tensors/refusal_advice.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

constexpr const char* kAnswer =
    R"({"found": true, "not_called": "", "protocol": "dlpack", "capsule": "dltensor_versioned", "held": false, "taken": true,
        "blocks": [{"title": "DLManagedTensorVersioned", "address": 140484604972928, "size": 80, "fields": [
          {"name": "data", "type": "void*", "offset": 32, "size": 8, "hex": "804a402e81550000"},
          {"name": "dtype.lanes", "type": "uint16_t", "offset": 54, "size": 2, "hex": "01"}]}]})";

TEST_CASE("a struct's answer is read field by field", "[app][models]") {
  const auto answer = read_struct_answer(kAnswer);
  REQUIRE(answer);
  CHECK(answer->found);
  CHECK(answer->taken);
  CHECK(answer->capsule == "dltensor_versioned");
  const RawBlock* head = answer->head();
  REQUIRE(head != nullptr);
  CHECK(head->address == 140484604972928U);
  const RawField* data = head->field("data");
  REQUIRE(data != nullptr);
  CHECK(bytes_text(*data) == "80 4a 40 2e 81 55 00 00");
  CHECK(number_in(*data) == 0x55812e404a80U);
  const std::string wording = bytes_explained(*head, *data);
  CHECK(wording.find("void* data, 8 bytes at offset 32") != std::string::npos);
  CHECK(wording.find("lowest byte first") != std::string::npos);
  CHECK(wording.find("0x000055812e404a80") != std::string::npos);
  const RawField* cut = head->field("dtype.lanes");
  REQUIRE(cut != nullptr);
  CHECK_FALSE(number_in(*cut));
  CHECK(bytes_explained(*head, *cut).find("could not be read") != std::string::npos);
  CHECK(head->field("nope") == nullptr);
}

TEST_CASE("an odd answer is an error or reads as nothing, never more", "[app][models]") {
  for (const char* text : {"", "null", "[]", "5", "{", "\"x\""}) CHECK_FALSE(read_struct_answer(text));
  for (const char* text :
       {"{}", R"({"found": 1})", R"({"blocks": {}})", R"({"blocks": [5, null, [], {"fields": 7}]})",
        R"({"blocks": [{"address": -1, "size": "x", "fields": [{"hex": "zz", "size": 1e99, "offset": null}]}]})"}) {
    INFO(text);
    const auto answer = read_struct_answer(text);
    REQUIRE(answer);
    CHECK_FALSE(answer->found);
    for (const RawBlock& block : answer->blocks) {
      for (const RawField& field : block.fields) {
        CHECK(field.bytes.empty());
        CHECK_FALSE(number_in(field));
        CHECK_FALSE(bytes_explained(block, field).empty());
      }
    }
  }
  std::string many = R"({"found": true, "blocks": [)";
  for (int i = 0; i < 1000; ++i) many += std::string(i > 0 ? "," : "") + R"({"title": "x", "fields": []})";
  REQUIRE(read_struct_answer(many + "]}"));
  CHECK(read_struct_answer(many + "]}")->blocks.size() <= 8);
  CHECK_FALSE(read_struct_answer(std::string(100'000, '[')));
}

TEST_CASE("mutated answers never do more than fail", "[app][models][fuzz]") {
  std::mt19937_64 random(20261121);
  const std::string good = kAnswer;
  std::size_t read = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) text[random() % text.size()] = static_cast<char>(random());
    const auto answer = read_struct_answer(text);
    if (!answer) continue;
    ++read;
    for (const RawBlock& block : answer->blocks) {
      for (const RawField& field : block.fields) CHECK(bytes_explained(block, field).size() < 100'000);
    }
  }
  CHECK(read > 0);
}

TEST_CASE("how the protocols answer is read, and names travel in the question whatever their bytes", "[app][models]") {
  const auto answer = read_protocols_answer(
      R"({"found": true, "not_called": "", "is_capsule": false, "protocols": [
          {"name": "dlpack", "offered": true, "accepted": false, "type": "BufferError", "message": "no"}, 7]})");
  REQUIRE(answer);
  REQUIRE(answer->lines.size() == 2);
  CHECK(answer->lines[0].name == "dlpack");
  CHECK(answer->lines[0].offered);
  CHECK_FALSE(answer->lines[0].accepted);
  CHECK(answer->lines[0].message == "no");
  CHECK(look_question("d['w'][0]", false) == R"({"anyway":false,"name":"d['w'][0]"})");
  CHECK(look_question("\xff\"\\\n", true).find('\n') == std::string::npos);
}

TEST_CASE("the struct as C says what the card says", "[app][models]") {
  const auto snapshot = tests::snapshot_of({{.name = "x", .shape = {3, 4}}});
  const std::string c = struct_as_c(*snapshot, snapshot->tensors[0]);
  CHECK(c.find("DLManagedTensorVersioned managed = {") != std::string::npos);
  CHECK(c.find(".device = {kDLCPU, 0}") != std::string::npos);
  CHECK(c.find(".dtype = {kDLFloat, 32, 1}") != std::string::npos);
  CHECK(c.find(".shape = (int64_t[]){3, 4}") != std::string::npos);
  CHECK(c.find(".strides = (int64_t[]){4, 1}") != std::string::npos);
  const auto broken = tests::broken_snapshot();
  for (const core::TensorRecord& tensor : broken->tensors) static_cast<void>(struct_as_c(*broken, tensor));
}

}  // namespace
}  // namespace dlscope::app
