#include "app/models/inspector/struct_text.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "app/models/inspector/struct_as_c.h"
#include "app/models/tensors/refusal_advice.h"
#include "tests/support/sample_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using core::wire::StructBlock;
using core::wire::StructField;

TEST_CASE("a struct's field is shown with its bytes and the number they form", "[app][models]") {
  const core::wire::StructAnswer answer = tests::sample_struct_answer();
  const StructBlock& head = *answer.head();
  const StructField& data = *head.field("data");
  CHECK(bytes_text(data) == "80 4a 40 2e 81 55 00 00");
  CHECK(number_in(data) == 0x55812e404a80U);
  const std::string wording = bytes_explained(head, data);
  CHECK(wording.find("void* data, 8 bytes at offset 32") != std::string::npos);
  CHECK(wording.find("lowest byte first") != std::string::npos);
  CHECK(wording.find("0x000055812e404a80") != std::string::npos);
}

TEST_CASE("a field that could not be read whole forms no number and says so", "[app][models]") {
  const StructBlock block{"DLManagedTensor", 0xfffffffffffffff8, 80, {{"dtype.lanes", "uint16_t", 54, 2, {std::byte{1}}},
                                                                       {"nothing", "void*", 0, 8, {}},
                                                                       {"empty", "", 80, 0, {}},
                                                                       {"long", "char[16]", 0, 16, std::vector<std::byte>(16)}}};
  for (const StructField& field : block.fields) {
    INFO(field.name);
    CHECK_FALSE(number_in(field));
    CHECK_FALSE(bytes_explained(block, field).empty());
  }
  CHECK(bytes_explained(block, block.fields[0]).find("could not be read") != std::string::npos);
  CHECK(bytes_explained(block, block.fields[1]).find("could not be read") != std::string::npos);
}

TEST_CASE("names travel in the question whatever their bytes", "[app][models]") {
  CHECK(look_question("d['w'][0]", false) == R"({"anyway":false,"name":"d['w'][0]"})");
  CHECK(look_question("\xff\"\\\n", true).find('\n') == std::string::npos);
}

TEST_CASE("a copy that was seen by asking twice is no flag of the struct", "[app][models]") {
  const auto flagged = [](const char* note) {
    const auto snapshot = tests::snapshot_of(
        {{.name = "x", .shape = {4}, .is_copied = core::Tri::yes, .remarks = {{core::RemarkCode::copied_for_export, note}}}});
    return struct_as_c(*snapshot, snapshot->tensors[0]).find("IS_COPIED") != std::string::npos;
  };
  CHECK(flagged("its capsule says IS_COPIED, although no copy was asked for"));
  CHECK_FALSE(flagged("asked twice, it handed over two places, although no copy was asked for"));
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
