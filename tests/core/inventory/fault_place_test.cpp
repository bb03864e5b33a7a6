// Where the address of a fault lies among tensors: what may be said of it, and what not.
#include "core/inventory/fault_place.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;

constexpr Address kPage = 4096;

// x: 80 bytes that end with a page; y: four floats a page and 64 bytes behind it; part: inside x.
SnapshotPtr snapshot() {
  SnapshotBuilder builder;
  const auto add = [&](const char* name, Address data, std::int64_t elements) {
    builder.add_tensor(array_desc(data, {elements}), builder.intern("numpy"), builder.intern("numpy.ndarray"),
                       builder.add_text(name));
  };
  add("x", 16 * kPage - 80, 20);
  add("part", 16 * kPage - 40, 5);
  add("y", 17 * kPage + 64, 4);
  add("nothing", 16 * kPage, 0);
  builder.analyse({});
  return builder.finish();
}

std::string message(Address address, const AddressMap* map = nullptr) {
  const SnapshotPtr s = snapshot();
  return fault_place_text(*s, place_of_fault(*s, address, map));
}

}  // namespace

TEST_CASE("an address inside tensors is that of the largest one", "[core][inventory][fault]") {
  CHECK(message(16 * kPage - 80) == "at the first byte of x");
  CHECK(message(16 * kPage - 79) == "inside x, 1 byte after its first byte");
  CHECK(message(16 * kPage - 30) == "inside x, 50 bytes after its first byte");
}

TEST_CASE("an address beside tensors is told by the nearest one", "[core][inventory][fault]") {
  CHECK(message(16 * kPage) == "right after the last byte of x");
  CHECK(message(16 * kPage + 8) == "8 bytes past the end of x");
  CHECK(message(17 * kPage + 63) == "1 byte before the beginning of y");
  CHECK(message(17 * kPage - 100) == "164 bytes before the beginning of y");
}

TEST_CASE("what is far is near nothing, unless all between could be touched", "[core][inventory][fault]") {
  const Address far = 17 * kPage + 80 + 3 * kPage;
  CHECK(message(far) == "near no known tensor");
  const AddressMap all = AddressMap::parse("10000-40000 rw-p 00000000 00:00 0 \n");
  CHECK(message(far, &all) == "12288 bytes past the end of y");
  const AddressMap hole = AddressMap::parse("10000-12000 rw-p 00000000 00:00 0 \n13000-40000 rw-p 00000000 00:00 0 \n");
  CHECK(message(far, &hole) == "near no known tensor");
  const AddressMap endless = AddressMap::parse("10000-4000000 rw-p 00000000 00:00 0 \n");
  CHECK(message(0x3000000, &endless) == "near no known tensor");
  CHECK(message(16) == "near no known tensor");
}

TEST_CASE("a copy that was made for the look is freed: what faults at its address is not in it", "[core][inventory][fault]") {
  TensorDesc copied = testing::array_desc(0x4000, {4});
  copied.is_copied = Tri::yes;
  SnapshotBuilder builder;
  builder.add_tensor(copied, builder.intern("lazy"), builder.intern("lazy.Array"), builder.add_text("lazy"));
  builder.analyse({});
  const SnapshotPtr s = builder.finish();
  CHECK(place_of_fault(*s, 0x4004, nullptr).side == FaultSide::none);
  CHECK(place_of_fault(*s, 0x4010, nullptr).side == FaultSide::none);
}

TEST_CASE("memory of a device is no neighbour", "[core][inventory][fault]") {
  SnapshotBuilder builder;
  builder.add_tensor(testing::capsule_desc(0x4000, {4}, {2, 0}), builder.intern("cupy"), builder.intern("cupy.ndarray"),
                     builder.add_text("on_gpu"));
  builder.analyse({});
  const SnapshotPtr s = builder.finish();
  CHECK(place_of_fault(*s, 0x4004, nullptr).side == FaultSide::none);
}

}  // namespace dlscope::core
