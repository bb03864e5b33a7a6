#include "app/models/hex/byte_edits.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

using namespace dlscope;
using namespace dlscope::app;

namespace {

ByteEdit edit(core::Address at, int before, int after) {
  return {"x", "byte", at, {static_cast<std::byte>(before)}, {static_cast<std::byte>(after)}};
}

}  // namespace

TEST_CASE("what was written is undone in the opposite order, and done again", "[app][hex]") {
  ByteEdits edits;
  CHECK_FALSE(edits.to_undo());
  CHECK_FALSE(edits.to_redo());
  edits.note(edit(100, 1, 2));
  edits.note(edit(101, 3, 4));
  CHECK(edits.changed(101));
  CHECK_FALSE(edits.changed(102));
  const auto undo = edits.to_undo();
  REQUIRE(undo);
  CHECK((undo->address == 101 && undo->before[0] == std::byte{4} && undo->after[0] == std::byte{3}));
  edits.undone();
  CHECK_FALSE(edits.changed(101));
  CHECK(edits.to_undo()->address == 100);
  REQUIRE(edits.to_redo());
  CHECK((edits.to_redo()->before[0] == std::byte{3} && edits.to_redo()->after[0] == std::byte{4}));
  edits.redone();
  CHECK((edits.undoable() == 2 && edits.redoable() == 0));
  edits.undone();
  edits.note(edit(102, 5, 6));  // what was undone is forgotten
  CHECK((edits.undoable() == 2 && edits.redoable() == 0));
  CHECK(edits.to_undo()->address == 102);
}

TEST_CASE("the list of writes is bounded", "[app][hex]") {
  ByteEdits edits;
  for (std::size_t i = 0; i < ByteEdits::kMax + 7; ++i) edits.note(edit(i, 1, 2));
  CHECK(edits.undoable() == ByteEdits::kMax);
  for (std::size_t i = 0; i < ByteEdits::kMax; ++i) edits.undone();
  CHECK_FALSE(edits.to_undo());
  CHECK(edits.to_redo()->address == 7);
}

TEST_CASE("a tensor is armed only while nothing runs and nobody forbids it", "[app][hex]") {
  const auto snapshot = std::make_shared<core::Snapshot>(
      *tests::snapshot_of({{.name = "x", .dtype = "float32", .address = 0x1000, .shape = {4}},
                           {.name = "locked", .dtype = "float32", .address = 0x2000, .shape = {4}, .read_only = core::Tri::yes},
                           {.name = "nowhere", .dtype = "float32", .address = 0x3000, .shape = {4}}}));
  for (core::TensorRecord& tensor : snapshot->tensors) tensor.readable = snapshot->name(tensor) != "nowhere";
  GroupColours colours;
  const IndexPtr index = build_index(snapshot, colours);
  const auto why = [&](const char* name, Moment moment) { return why_not_armed(*index, index->find(name).value(), moment); };
  CHECK(why("x", {}).empty());
  CHECK(why("x", {.at_stop = true}).empty());
  CHECK(why("locked", {}).find("read-only") != std::string::npos);
  CHECK(why("nowhere", {}).find("not known to be where its producer says") != std::string::npos);
  CHECK(why("x", {.since = Since::running}).find("is running") != std::string::npos);
  CHECK(why("x", {.since = Since::ran}).find("scan again") != std::string::npos);
  CHECK(why("x", {.since = Since::crashed}).find("crashed") != std::string::npos);
  CHECK(why("x", {.since = Since::ended}).find("ended") != std::string::npos);
  CHECK(why("x", {.since = Since::looked_again}) == kSeenThen);
  CHECK(why("x", {.of_file = true}).find("only read") != std::string::npos);
}

TEST_CASE("what is typed goes into the number's own byte order, a number and its bits alike", "[app][hex]") {
  using Bytes = std::vector<std::byte>;
  const auto bytes = [](std::initializer_list<int> numbers) {
    Bytes out;
    for (const int number : numbers) out.push_back(static_cast<std::byte>(number));
    return out;
  };
  const Bytes memory(16);
  const auto typed = [&](const core::ItemType& item, const char* text, const Bytes& before) {
    const auto snapshot = tests::local_tensor(memory.data(), item, core::Layout::c_order({1}, item.bytes * 8));
    return with_typed(*snapshot, snapshot->tensors[0], before, 0, text);
  };
  const auto number = [](const char* dtype) { return core::number_item(*core::dtype_from_name(dtype), true); };
  const auto float32 = typed(number("float32"), "1.5", Bytes(4)).value();
  CHECK(float32.after == bytes({0x3f, 0xc0, 0, 0}));
  CHECK(float32.value == "1.5");
  CHECK(typed(number("float32"), "0x3fc00000", Bytes(4)).value().after == bytes({0x3f, 0xc0, 0, 0}));
  CHECK(typed(number("int16"), "-2", Bytes(2)).value().after == bytes({0xff, 0xfe}));
  const auto complex64 = typed(number("complex64"), "1+2j", Bytes(8)).value();
  CHECK(complex64.after == bytes({0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}));
  CHECK(complex64.value == "1.0+2.0j");
  // int4 of ml_dtypes: a byte each, of which it uses the lower half.
  core::ItemType int4 = core::raw_item(1, "int4");
  int4.fields = {{"", {.bytes = 1, .dtype = *core::dtype_from_name("int4"), .kind = core::ItemKind::number}}};
  const auto small = typed(int4, "-3", bytes({0x05})).value();
  CHECK(small.after == bytes({0x0d}));
  CHECK(small.value == "-3");
  CHECK_FALSE(typed(int4, "8", bytes({0})));
  CHECK(typed(number("float32"), "much", Bytes(4)).error().message.find("not a number") != std::string::npos);
}
