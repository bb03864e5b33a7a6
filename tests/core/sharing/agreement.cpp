#include "tests/core/sharing/agreement.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/sharing/hard_overlap.h"
#include "core/sharing/sharing.h"
#include "tests/core/sharing/brute_force.h"

namespace dlscope::core::test {

std::string text_of(const OwnedView& view) {
  return "address " + std::to_string(view.address) + ", " + describe(view.layout) + ", items of " +
         std::to_string(view.layout.item_bits) + " bits";
}

std::string text_of(const Overlap& overlap) {
  std::string out = relation_name(overlap.relation);
  out += overlap.shared_bytes ? ", " + std::to_string(*overlap.shared_bytes) + " bytes" : ", bytes unknown";
  if (overlap.witness) {
    out += ", lowest " + std::to_string(overlap.witness->address) + " in elements " + std::to_string(overlap.witness->a_flat) +
           " and " + std::to_string(overlap.witness->b_flat);
  }
  return out;
}

namespace {

std::optional<std::string> differ(const ViewPair& pair, const Overlap& found, const Overlap& expected) {
  if (text_of(found) == text_of(expected)) return std::nullopt;
  return "a: " + text_of(pair.a) + "\nb: " + text_of(pair.b) + "\nby " + overlap_method_name(found.method) + ": " +
         text_of(found) + "\nexpected: " + text_of(expected);
}

Overlap by_general_path(const OwnedView& a, const OwnedView& b) {
  const MemoryView view_a = a.view(), view_b = b.view();
  const PreparedView prepared_a(view_a), prepared_b(view_b);
  const SetOverlap sets = overlap_by_bit_sets(prepared_a.get().set, prepared_b.get().set, {});
  Overlap out{
      .relation = sets.relation, .method = sets.method, .why = sets.why, .shared_bytes = sets.shared_bytes, .witness = {}};
  if (!sets.known()) out.shared_bytes = std::nullopt;
  if (!sets.shares()) return out;
  const auto in_a = element_by_search(view_a, sets.witness), in_b = element_by_search(view_b, sets.witness);
  if (in_a && in_b) out.witness = Witness{sets.witness, *in_a, *in_b};
  return out;
}

struct Scene {
  std::vector<OwnedView> views;
  std::vector<SharingItem> items;
};

// Appends `count` views that lie close together, `distance` bytes from where random_view() puts them.
void add_neighbours(Random& random, std::int64_t count, Address distance, std::vector<OwnedView>& views) {
  const std::size_t first = views.size();
  const std::int64_t spread = pick(random, 0, 3) * 300;
  for (std::int64_t i = 0; i < count; ++i) {
    OwnedView view = random_view(random);
    view = make_view(view.layout, view.address + distance + static_cast<Address>(pick(random, 0, spread)));
    if (i > 0 && pick(random, 0, 3) == 0) view = views[first + static_cast<std::size_t>(pick(random, 0, i - 1))];
    views.push_back(std::move(view));
  }
}

Scene random_scene(Random& random) {
  Scene scene;
  const std::int64_t kind = pick(random, 0, 19);  // one in ten has a large cluster, one in twenty several
  const std::int64_t clusters = kind == 2 ? pick(random, 2, 5) : 1;
  for (std::int64_t i = 0; i < clusters; ++i) {
    add_neighbours(random, kind <= 2 ? pick(random, 33, 60) : pick(random, 0, 20), static_cast<Address>(i) << 32, scene.views);
  }
  std::vector<std::uint32_t> ids(scene.views.size());
  std::iota(ids.begin(), ids.end(), 0u);
  if (pick(random, 0, 1) == 0) {
    for (std::uint32_t& id : ids) id = id * 7 + 3;  // gaps
    std::ranges::shuffle(ids, random);
  }
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const auto space = pick(random, 0, 9) == 0 ? kNoSpace : static_cast<SpaceId>(pick(random, 0, 5) == 0 ? 2 : kHostSpace);
    scene.items.push_back({ids[i], space, scene.views[i].view(), kUnknownBytes});
  }
  return scene;
}

std::string line_of(std::uint32_t a, std::uint32_t b, const Overlap& overlap) {
  return std::to_string(a) + " " + std::to_string(b) + " " + relation_name(overlap.relation) + " " +
         std::to_string(overlap.shared_bytes.value_or(kUnknownBytes)) + " " +
         std::to_string(overlap.witness ? overlap.witness->address : 0) + "\n";
}

// Every pair by brute force in the order of ids; then the smallest id of each view's group.
std::string expected_text(const Scene& scene) {
  std::vector<std::size_t> order(scene.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scene.items[i].id; });
  std::vector<std::uint32_t> group(scene.items.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = scene.items[i].id;
  std::string out;
  for (std::size_t x = 0; x < order.size(); ++x) {
    for (std::size_t y = x + 1; y < order.size(); ++y) {
      const std::size_t i = order[x], j = order[y];
      if (scene.items[i].space != scene.items[j].space || scene.items[i].space == kNoSpace) continue;
      const Overlap overlap = expected_overlap(scene.views[i], scene.views[j]);
      if (overlap.relation == Relation::disjoint) continue;
      out += line_of(scene.items[i].id, scene.items[j].id, overlap);
      if (*overlap.shared_bytes > 0) std::ranges::replace(group, std::uint32_t{group[j]}, std::uint32_t{group[i]});
    }
  }
  for (const std::size_t i : order) {
    if (scene.items[i].space == kNoSpace || scene.views[i].extent.empty()) continue;
    std::uint32_t lowest = scene.items[i].id;
    for (std::size_t j = 0; j < group.size(); ++j) {
      if (group[j] == group[i]) lowest = std::min(lowest, scene.items[j].id);
    }
    out += std::to_string(scene.items[i].id) + " in " + std::to_string(lowest) + "\n";
  }
  return out;
}

std::string found_text(const Sharing& found) {
  std::string out;
  for (const SharingPair& p : found.pairs) {
    out += std::to_string(p.a) + " " + std::to_string(p.b) + " " + relation_name(p.relation) + " " +
           std::to_string(p.shared_bytes) + " " + std::to_string(p.witness) + "\n";
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> groups;
  for (const SharingGroup& group : found.groups) {
    const auto members = found.members_of(group);
    for (const std::uint32_t id : members) groups.emplace_back(id, members.front());
  }
  std::ranges::sort(groups);
  for (const auto& [id, lowest] : groups) out += std::to_string(id) + " in " + std::to_string(lowest) + "\n";
  return out;
}

}  // namespace

Agreement agree_with_brute_force(std::uint64_t cases, std::uint64_t seed) {
  Random random(seed);
  Agreement out;
  for (; out.cases < cases && !out.difference; ++out.cases) {
    const ViewPair pair = random_pair(random);
    out.difference = differ(pair, overlap(pair.a.view(), pair.b.view()), expected_overlap(pair.a, pair.b));
  }
  return out;
}

Agreement agree_with_general_path(std::uint64_t cases, std::uint64_t seed) {
  Random random(seed);
  Agreement out;
  for (; out.cases < cases && !out.difference; ++out.cases) {
    const ViewPair pair = random_large_pair(random);
    out.difference = differ(pair, overlap(pair.a.view(), pair.b.view()), by_general_path(pair.a, pair.b));
  }
  return out;
}

Agreement scenes_agree(std::uint64_t cases, std::uint64_t seed) {
  Random random(seed);
  Agreement out;
  for (; out.cases < cases && !out.difference; ++out.cases) {
    const Scene scene = random_scene(random);
    const std::string expected = expected_text(scene), found = found_text(find_sharing(scene.items));
    if (found != expected)
      out.difference = "scene " + std::to_string(out.cases) + "\nfound:\n" + found + "expected:\n" + expected;
  }
  return out;
}

}  // namespace dlscope::core::test
