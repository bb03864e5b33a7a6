#include "app/models/hex/byte_owners.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tests/support/layout_samples.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(const std::vector<tests::SampleTensor>& tensors) {
  GroupColours colours;
  return build_index(tests::snapshot_of(tensors), colours);
}

std::vector<ByteOwner> owners_in(const IndexPtr& index, core::Address first, std::size_t count, std::uint32_t preferred) {
  ByteOwners owners;
  owners.find(index.get(), 1, core::kHostSpace, first, count, preferred);
  return {owners.owners().begin(), owners.owners().end()};
}

// Which elements touch which byte, by looking at each of them.
struct Judge {
  std::map<core::Address, std::vector<std::uint64_t>> elements;

  Judge(const SnapshotIndex& index, std::uint32_t id) {
    const core::TensorRecord& tensor = index.tensor(id);
    const core::LayoutView layout = index.snapshot->layout(tensor);
    for (std::uint64_t element = 0; element < tensor.elements; ++element) {
      const std::int64_t begin = core::bit_offset_of(layout, element), end = begin + layout.item_bits;
      for (std::int64_t bit = begin; bit < end; ++bit) {
        auto& list = elements[tensor.address + static_cast<core::Address>(bit >> 3)];
        if (list.empty() || list.back() != element) list.push_back(element);
      }
    }
  }
};

tests::SampleTensor placed(std::string name, std::string dtype, core::Address address, std::vector<std::int64_t> shape,
                           std::vector<std::int64_t> strides) {
  return {.name = std::move(name),
          .dtype = std::move(dtype),
          .address = address,
          .shape = std::move(shape),
          .strides = std::move(strides)};
}

}  // namespace

TEST_CASE("The element of each byte is the one that looking at all elements finds", "[app][models][hex]") {
  constexpr core::Address kAt = 0x7f3a10200100;
  std::mt19937 chance(20261122);
  const char* const kDTypes[] = {"int8", "float32", "int16", "float4_e2m1fn", "float64", "complex128", "float6_e2m3fn"};
  for (int round = 0; round < 300; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    std::vector<std::int64_t> strides;
    for (std::size_t d = 0; d < layout.shape.size(); ++d) strides.push_back(static_cast<std::int64_t>(chance() % 21) - 8);
    const bool dense = chance() % 3 == 0;
    const IndexPtr index = index_of(
        std::vector{placed("a", kDTypes[chance() % 7], kAt, layout.shape, dense ? std::vector<std::int64_t>() : strides)});
    const core::ByteRange extent = index->tensor(0).extent;
    const Judge judge(*index, 0);
    const core::Address first = extent.begin - 3;
    const auto owners = owners_in(index, first, extent.size() + 6, 0);
    INFO("round " << round << ": " << core::describe(index->snapshot->layout(index->tensor(0))));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const auto hits = judge.elements.find(first + i);
      const ByteElements at = elements_at(*index, 0, first + i);
      if (hits == judge.elements.end()) {
        REQUIRE(owners[i].kind == (extent.contains(first + i) ? ByteOwner::Kind::hole : ByteOwner::Kind::nobody));
        REQUIRE(at.count == 0);
        continue;
      }
      REQUIRE(owners[i].kind == ByteOwner::Kind::element);
      REQUIRE(owners[i].element == hits->second.front());
      const std::int64_t bit = core::bit_offset_of(index->snapshot->layout(index->tensor(0)), owners[i].element);
      REQUIRE(owners[i].begins == (index->tensor(0).address + static_cast<core::Address>(bit >> 3) == first + i));
      REQUIRE(at.first == hits->second.front());
      REQUIRE(at.count == hits->second.size());
    }
  }
}

TEST_CASE("A byte of several tensors is the preferred one's where it has an element there", "[app][models][hex]") {
  // Even and odd columns of one table, and the table itself over both.
  const IndexPtr index =
      index_of({placed("even", "float32", 0x10000, {4, 2}, {4, 2}), placed("odd", "float32", 0x10004, {4, 2}, {4, 2})});
  const auto even = owners_in(index, 0x10000, 64, 0);
  const auto odd = owners_in(index, 0x10000, 64, 1);
  for (std::size_t i = 0; i < 64; ++i) {
    INFO(i);
    REQUIRE(even[i] == odd[i]);  // no byte is an element of both
    REQUIRE(even[i].kind == ByteOwner::Kind::element);
    REQUIRE(even[i].tensor == (i / 4 % 2));
  }
  const IndexPtr same = index_of({placed("x", "float32", 0x10000, {3, 4}, {}), placed("t", "float32", 0x10000, {4, 3}, {1, 4})});
  CHECK(owners_in(same, 0x10014, 1, 0)[0].element == 5);
  CHECK(owners_in(same, 0x10014, 1, 0)[0].tensor == 0);
  CHECK(owners_in(same, 0x10014, 1, 1)[0].element == 4);
  CHECK(owners_in(same, 0x10014, 1, 1)[0].tensor == 1);
}

TEST_CASE("Bytes near the end of the address space have owners too", "[app][models][hex]") {
  constexpr core::Address kTop = ~core::Address{0} - 15;  // the last byte belongs to nobody
  const IndexPtr index = index_of(std::vector{placed("top", "uint8", kTop, {15}, {})});
  const auto owners = owners_in(index, kTop - 16, 32, 0);
  CHECK(owners[15].kind == ByteOwner::Kind::nobody);
  CHECK(owners[16].element == 0);
  CHECK(owners[30].element == 14);
  CHECK(owners[31].kind == ByteOwner::Kind::nobody);
}

TEST_CASE("What is said of a byte names the element and how many indices reach it", "[app][models][hex]") {
  const IndexPtr index =
      index_of({placed("x", "float32", 0x10000, {3, 4}, {}), placed("w", "float32", 0x20000, {100, 5}, {0, 1}),
                placed("gaps", "int8", 0x30000, {4}, {2}), placed("packed", "float4_e2m1fn", 0x40000, {8}, {})});
  const auto message = [&](std::uint32_t tensor, core::Address at) {
    return owner_text(*index, owners_in(index, at, 1, tensor)[0], at);
  };
  CHECK(message(0, 0x10017) == "x[1, 1], byte 3 of 4");
  CHECK(message(1, 0x20005) == "w[0, 1], byte 1 of 4; 99 more indices reach it");
  CHECK(message(2, 0x30002) == "gaps[1]");
  CHECK(message(2, 0x30003) == "a hole: between the elements of gaps, not in any of them");
  CHECK(message(3, 0x40001) == "packed[2]; 1 more index reaches it");
  CHECK(message(0, 0x50000) == "in no listed tensor");
}

TEST_CASE("Too hard a layout is said to be undecided, within bounded work", "[app][models][hex]") {
  std::vector<std::int64_t> shape(24, 2), strides;
  for (std::int64_t d = 0; d < 24; ++d)
    strides.push_back(1'000'003 + d * d * d * 7919);  // hardly any sum can be told from another
  const IndexPtr index = index_of(std::vector{placed("hard", "int8", 0x100000000, shape, strides)});
  const core::ByteRange extent = index->tensor(0).extent;
  const auto owners = owners_in(index, extent.begin + extent.size() / 2, 4096, 0);
  CHECK(std::ranges::any_of(owners, [](const ByteOwner& owner) { return owner.kind == ByteOwner::Kind::undecided; }));
}

}  // namespace dlscope::app
