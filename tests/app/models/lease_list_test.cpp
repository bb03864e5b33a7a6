#include "app/models/host/lease_list.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

using core::wire::LeaseState;

TEST_CASE("a tensor is held from when the host says so until it says otherwise", "[app]") {
  LeaseList leases;
  CHECK(leases.held_in(4).empty());
  leases.take({1, LeaseState::held, false, {4, 2}, {}});
  leases.take({2, LeaseState::held, true, {4, 7}, {}});
  CHECK(leases.held_in(4) == HeldTensors({2, 7}));
  CHECK(leases.held_in(5).empty());  // of another look
  CHECK(leases.lease_of({4, 2}) == 1);
  CHECK_FALSE(leases.lease_of({5, 2}));

  leases.take({1, LeaseState::waiting, false, {4, 2}, {}});  // code runs
  CHECK(leases.held_in(4) == HeldTensors({7}));
  CHECK(leases.lease_of({4, 2}) == 1);  // it can still be released

  leases.take({1, LeaseState::held, false, {5, 3}, {}});  // a new look found it again
  CHECK(leases.held_in(5) == HeldTensors({3}));
  CHECK_FALSE(leases.lease_of({4, 2}));

  leases.take({2, LeaseState::gone, true, {4, 7}, "b is another tensor by now"});
  leases.take({9, LeaseState::gone, true, {4, 1}, {}});  // one that was never told of
  CHECK(leases.size() == 1);
  leases.clear();
  CHECK(leases.held_in(5).empty());
}

TEST_CASE("a host cannot report leases without end", "[app]") {
  LeaseList leases;
  for (std::uint64_t id = 1; id <= LeaseList::kMax + 10; ++id) leases.take({id, LeaseState::held, false, {1, 0}, "why"});
  CHECK(leases.size() == LeaseList::kMax);
  CHECK(leases.has(1));
  leases.take({1, LeaseState::gone, false, {1, 0}, {}});
  CHECK(leases.size() == LeaseList::kMax - 1);
}

}  // namespace
}  // namespace dlscope::app
