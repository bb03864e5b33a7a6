#include "tests/core/inventory/refresh_agreement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "tests/core/sharing/brute_force.h"

namespace dlscope::core::test {
namespace {

struct Tensor {
  OwnedView view;
  DeviceId device = kCpuDevice;
};

struct Scene {
  std::vector<Tensor> tensors;
  ByteRange hole;  // that cannot be read
  std::int64_t pages = 1;
};

constexpr DeviceId kFirstGpu{2, 0}, kSecondGpu{2, 1};

Tensor random_tensor(Random& random, const Scene& scene) {
  if (!scene.tensors.empty() && pick(random, 0, 3) == 0)
    return scene.tensors[static_cast<std::size_t>(pick(random, 0, std::ssize(scene.tensors) - 1))];
  const OwnedView view = random_view(random);
  const std::int64_t device = pick(random, 0, 11);
  return {make_view(view.layout, view.address + static_cast<Address>(pick(random, 0, scene.pages - 1)) * 700),
          device == 0   ? kFirstGpu
          : device == 1 ? kSecondGpu
                        : kCpuDevice};
}

std::size_t random_place(Random& random, const Scene& scene) {
  return static_cast<std::size_t>(pick(random, 0, std::ssize(scene.tensors) - 1));
}

void edit(Random& random, Scene& scene) {
  std::vector<Tensor>& tensors = scene.tensors;
  const auto at = [&] { return tensors.begin() + static_cast<std::ptrdiff_t>(random_place(random, scene)); };
  for (std::int64_t left = pick(random, 0, 4); left > 0; --left) {
    const std::int64_t kind = tensors.empty() ? 0 : pick(random, 0, 11);
    if (kind <= 2)
      tensors.insert(tensors.empty() ? tensors.end() : at(), random_tensor(random, scene));
    else if (kind <= 5)
      tensors.erase(at());
    else if (kind <= 7)
      *at() = random_tensor(random, scene);
    else if (kind == 8)
      std::swap(*at(), *at());
    else if (kind == 9)
      std::rotate(tensors.begin(), at(), tensors.end());
    else if (kind == 10)
      std::ranges::shuffle(tensors, random);
    else if (const Address begin = tensors.front().view.address; pick(random, 0, 1) == 0)
      scene.hole = {begin, begin + 64};
    else
      scene.hole = {};
  }
}

TensorDesc describe(const Tensor& tensor) {
  const Layout& layout = tensor.view.layout;
  TensorDesc desc;
  desc.clear();
  desc.protocol = Protocol::dlpack;
  desc.has_metadata = desc.has_layout = true;
  desc.dtype = {static_cast<std::uint8_t>(DTypeCode::opaque), static_cast<std::uint8_t>(layout.item_bits), 1};
  desc.device = tensor.device;
  desc.data = tensor.view.address;
  desc.rank = static_cast<std::int32_t>(layout.shape.size());
  std::ranges::copy(layout.shape, desc.shape.begin());
  std::ranges::copy(layout.stride_bits, desc.stride_bits.begin());
  (void)check_layout(layout, desc.bounds);
  desc.extent = tensor.view.extent;
  return desc;
}

std::shared_ptr<const Snapshot> analyse(const Scene& scene, const SharingLimits& limits, const Snapshot* earlier) {
  constexpr Address kFirst = 0x1000, kLast = 0x40000000;
  const auto line = [](Address begin, Address end) {
    char text[64];
    std::snprintf(text, sizeof text, "%lx-%lx rw-p 00000000 00:00 0 \n", begin, end);
    return std::string(text);
  };
  const bool whole = scene.hole.empty();
  const AddressMap map =
      AddressMap::parse(whole ? line(kFirst, kLast) : line(kFirst, scene.hole.begin) + line(scene.hole.end, kLast));
  SnapshotBuilder builder;
  for (const Tensor& tensor : scene.tensors) builder.add_tensor(describe(tensor), builder.intern("numpy"), {}, {});
  AnalyseOptions options;
  options.map = &map;
  options.sharing = limits;
  options.earlier = earlier;
  builder.analyse(options);
  return builder.finish();
}

std::string text_of(const PairRecord& pair) {
  return "pair " + std::to_string(pair.a) + " " + std::to_string(pair.b) + " " + relation_name(pair.relation) + " " +
         std::to_string(pair.shared_bytes) + " at " + std::to_string(pair.witness) + " by " + overlap_method_name(pair.method) +
         " why " + std::to_string(static_cast<int>(pair.why)) + "\n";
}

// All that an analysis decides.
std::string text_of(const Snapshot& s) {
  std::string out = "missing " + std::to_string(static_cast<int>(s.info.missing_pairs)) + ", open " +
                    std::to_string(static_cast<int>(s.info.open_groups)) + "\n";
  for (const TensorRecord& t : s.tensors) {
    out += "tensor of group " + std::to_string(t.group) + ", space " + std::to_string(t.space) + ", " +
           std::to_string(t.distinct_bytes) + " bytes, contiguity " + std::to_string(static_cast<int>(t.contiguity)) + ", " +
           std::to_string(t.remarks.count) + " remarks\n";
  }
  for (const PairRecord& pair : s.pairs) out += text_of(pair);
  for (const GroupRecord& g : s.groups) {
    out += "group " + std::to_string(g.range.begin) + " " + std::to_string(g.range.end) + ", " +
           std::to_string(g.distinct_bytes) + " bytes, space " + std::to_string(g.space) + ", device " + device_name(g.device) +
           ", libraries " + std::to_string(g.libraries.count) + ", members";
    for (const std::uint32_t id : Snapshot::slice(s.group_members, g.members)) out += " " + std::to_string(id);
    out += "\n";
  }
  for (const LimitRecord& limit : s.limits) out += "limit " + std::to_string(limit.limit) + (limit.reached ? " reached\n" : "\n");
  return out;
}

// Two tensors picked at random: what the list says against every byte of both.
std::optional<std::string> judge_a_pair(Random& random, const Scene& scene, const Snapshot& s) {
  auto a = static_cast<std::uint32_t>(random_place(random, scene)), b = static_cast<std::uint32_t>(random_place(random, scene));
  if (a == b || s.tensors[a].group == kNone32 || s.tensors[b].group == kNone32) return std::nullopt;
  if (a > b) std::swap(a, b);
  PairRecord expected;
  expected.a = a;
  expected.b = b;
  expected.shared_bytes = 0;
  if (scene.tensors[a].device == scene.tensors[b].device) {
    const Overlap overlap = expected_overlap(scene.tensors[a].view, scene.tensors[b].view);
    expected.relation = overlap.relation;
    expected.shared_bytes = *overlap.shared_bytes;
    expected.witness = overlap.witness ? overlap.witness->address : 0;
  }
  PairRecord found{.shared_bytes = 0, .a = a, .b = b};
  for (const PairRecord& pair : s.pairs) {
    if (pair.a == a && pair.b == b) found = pair;
  }
  expected.method = found.method;
  if (text_of(found) == text_of(expected)) return std::nullopt;
  return "found " + text_of(found) + "expected " + text_of(expected);
}

}  // namespace

Agreement refreshes_agree(std::uint64_t cases, std::uint64_t seed) {
  Random random(seed);
  Agreement out;
  while (out.cases < cases) {
    Scene scene;
    scene.pages = pick(random, 0, 3) == 0 ? 1 : pick(random, 2, 30);
    for (std::int64_t left = pick(random, 0, pick(random, 0, 4) == 0 ? 70 : 25); left > 0; --left)
      scene.tensors.push_back(random_tensor(random, scene));
    SharingLimits limits;
    if (pick(random, 0, 4) == 0) limits.max_pairs = static_cast<std::uint64_t>(pick(random, 0, 60));
    std::shared_ptr<const Snapshot> earlier = analyse(scene, limits, nullptr);
    for (int round = 0; round < 8 && out.cases < cases; ++round) {
      edit(random, scene);
      const std::shared_ptr<const Snapshot> full = analyse(scene, limits, nullptr);
      const std::shared_ptr<const Snapshot> refreshed = analyse(scene, limits, earlier.get());
      ++out.cases;
      if (text_of(*refreshed) != text_of(*full))
        out.difference = "refreshed:\n" + text_of(*refreshed) + "full:\n" + text_of(*full);
      else if (!scene.tensors.empty() && full->info.missing_pairs == UnknownWhy::none)
        out.difference = judge_a_pair(random, scene, *refreshed);
      if (out.difference) return out;
      earlier = refreshed;
    }
  }
  return out;
}

}  // namespace dlscope::core::test
