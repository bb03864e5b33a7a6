#include "core/sharing/residue_clusters.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

bool meet(const ResidueSpan& a, const ResidueSpan& b, std::uint64_t modulus) {
  std::set<std::uint64_t> residues;
  for (std::uint64_t i = 0; i < a.length; ++i) residues.insert((a.begin + i) % modulus);
  for (std::uint64_t i = 0; i < b.length; ++i) {
    if (residues.contains((b.begin + i) % modulus)) return true;
  }
  return false;
}

// Which spans hang together, by comparing all with all.
std::set<std::vector<std::uint32_t>> expected_clusters(const std::vector<ResidueSpan>& spans, std::uint64_t modulus) {
  std::vector<std::size_t> cluster(spans.size());
  for (std::size_t i = 0; i < cluster.size(); ++i) cluster[i] = i;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (meet(spans[i], spans[j], modulus)) std::ranges::replace(cluster, std::size_t{cluster[i]}, std::size_t{cluster[j]});
    }
  }
  std::set<std::vector<std::uint32_t>> out;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::vector<std::uint32_t> owners;
    for (std::size_t j = 0; j < spans.size(); ++j) {
      if (cluster[j] == cluster[i]) owners.push_back(spans[j].owner);
    }
    out.insert(owners);
  }
  return out;
}

}  // namespace

TEST_CASE("Residues hang together as comparing all with all says, around the modulus too", "[core][memory]") {
  Random random(53);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t modulus = pick(random, 2, 60);
    std::vector<ResidueSpan> spans;
    for (std::int64_t i = pick(random, 0, 12); i > 0; --i) {
      spans.push_back({static_cast<std::uint64_t>(pick(random, 0, modulus - 1)),
                       static_cast<std::uint64_t>(pick(random, 1, std::min<std::int64_t>(modulus - 1, 9))),
                       static_cast<std::uint32_t>(spans.size())});
    }
    const auto expected = expected_clusters(spans, static_cast<std::uint64_t>(modulus));
    std::vector<std::uint32_t> owners;
    std::set<std::vector<std::uint32_t>> found;
    for (const auto cluster : clusters_of_residues(spans, static_cast<std::uint64_t>(modulus), owners))
      found.insert({cluster.begin(), cluster.end()});
    REQUIRE(found == expected);
  }
}
