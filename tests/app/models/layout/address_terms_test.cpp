#include "app/models/layout/address_terms.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("The terms add up to the address of the element", "[app][models][layout]") {
  const core::SnapshotPtr snapshot =
      tests::snapshot_of({{.name = "y", .address = 0x558120001000, .shape = {4, 1, 3}, .strides = {-1, 99, 4}}});
  const core::TensorRecord& tensor = snapshot->tensors[0];
  for (std::uint64_t element = 0; element < 12; ++element) {
    const AddressTerms terms = address_terms(*snapshot, tensor, element);
    REQUIRE(terms.terms.size() == 3);
    std::int64_t bits = 0;
    for (const AddressTerm& term : terms.terms) bits += term.bits();
    CHECK(terms.address == terms.data + terms.byte_offset + static_cast<std::uint64_t>(bits / 8));
    CHECK(bits == core::bit_offset_of(snapshot->layout(tensor), element));
    CHECK(terms.bit == 0);
    CHECK_FALSE(terms.terms[1].used);
  }
  const AddressTerms last = address_terms(*snapshot, tensor, 11);
  CHECK(term_text(last.terms[0]) == "3·-4 B");
  CHECK(term_text(last.terms[2]) == "2·16 B");
}

TEST_CASE("A packed element names its bit", "[app][models][layout]") {
  const core::SnapshotPtr snapshot =
      tests::snapshot_of({{.name = "p", .dtype = "int4", .address = 0x558120001000, .shape = {5}}});
  const AddressTerms terms = address_terms(*snapshot, snapshot->tensors[0], 3);
  CHECK(terms.address == 0x558120001001);
  CHECK(terms.bit == 4);
  CHECK(term_text(terms.terms[0]) == "3·4 bit");
}

TEST_CASE("A scalar has no terms", "[app][models][layout]") {
  const core::SnapshotPtr snapshot = tests::scalar_snapshot();
  const AddressTerms terms = address_terms(*snapshot, snapshot->tensors[0], 0);
  CHECK(terms.terms.empty());
  CHECK(terms.address == snapshot->tensors[0].data);
}

}  // namespace dlscope::app
