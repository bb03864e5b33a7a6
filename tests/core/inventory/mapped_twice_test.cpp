// A file that is mapped at several addresses: what the analysis says of tensors there is what it says of the same tensors when each
// lies at the address that its bytes have in the first mapping.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/inventory/hand_over.h"
#include "core/inventory/never_written.h"
#include "core/inventory/relation.h"
#include "core/inventory/snapshot_builder.h"
#include "core/inventory/write_permission.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;

constexpr std::size_t kBytes = 65536;

class MappedFile {
 public:
  MappedFile() : file_(::memfd_create("dlscope-mapped-twice", MFD_CLOEXEC)) { REQUIRE(::ftruncate(file_, kBytes) == 0); }
  ~MappedFile() {
    for (void* const at : mapped_) ::munmap(at, kBytes);
    ::close(file_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  Address map(Address at = 0) { return map_as(MAP_SHARED, at); }
  Address map_privately() { return map_as(MAP_PRIVATE); }

 private:
  Address map_as(int kind, Address at = 0) {
    const int flags = kind | (at != 0 ? MAP_FIXED : 0);
    void* const mapped = ::mmap(reinterpret_cast<void*>(at), kBytes, PROT_READ | PROT_WRITE, flags, file_, 0);
    REQUIRE(mapped != MAP_FAILED);
    if (at == 0) mapped_.push_back(mapped);
    return reinterpret_cast<Address>(mapped);
  }

  int file_;
  std::vector<void*> mapped_;
};

SnapshotPtr analysed(const std::vector<TensorDesc>& descs, const Snapshot* earlier = nullptr,
                     std::uint64_t work = SharingLimits{}.work) {
  const AddressMap map = AddressMap::load(0).value();
  const auto reader = process_reader(0).value();
  AnalyseOptions options;
  options.map = &map;
  options.reader = reader.get();
  options.earlier = earlier;
  options.sharing.work = work;
  SnapshotBuilder builder;
  for (std::size_t i = 0; i < descs.size(); ++i)
    builder.add_tensor(descs[i], builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("t" + std::to_string(i)));
  builder.analyse(options);
  return builder.finish();
}

}  // namespace

TEST_CASE("a byte that an immutable tensor has in another mapping is never written", "[core][inventory]") {
  MappedFile file;
  const Address low = file.map(), high = file.map();
  TensorDesc immutable = array_desc(low + 64, {4}, {8});  // every other element
  immutable.remark(RemarkCode::immutable_by_contract, "never changes");
  const auto s = analysed({immutable, array_desc(high + 64, {16}), array_desc(high + 4096, {4})});
  const NeverWritten never(*s);
  for (const Address base : {low, high}) {
    CHECK(never.owner_of(base + 64).immutable);
    CHECK(never.owner_of(base + 64 + 8).why == "the byte is one of t0 (numpy.ndarray), which is immutable");
    CHECK(never.owner_of(base + 64 + 4).why.empty());
    CHECK(never.owner_of(base + 4096).why.empty());
  }
}

TEST_CASE("tensors in two mappings of one file share its bytes", "[core][inventory]") {
  MappedFile file;
  const Address low = file.map(), high = file.map(), first = std::min(low, high), second = std::max(low, high);
  const std::vector<float> elsewhere(16);
  const auto s = analysed({array_desc(second + 64, {16}), array_desc(first + 96, {4}), array_desc(second + 4096, {4}),
                           array_desc(reinterpret_cast<Address>(elsewhere.data()), {16})});
  REQUIRE(s->pairs.size() == 1);
  const PairRecord& pair = s->pairs[0];
  CHECK((pair.a == 0 && pair.b == 1));
  CHECK(pair.relation == Relation::contains);
  CHECK(pair.shared_bytes == 16);
  CHECK(pair.witness == second + 96);
  CHECK(witness_in(*s, pair, 0) == second + 96);
  CHECK(witness_in(*s, pair, 1) == first + 96);
  const auto elements = witness_elements(*s, pair);
  REQUIRE(elements);
  CHECK((elements->a == 8 && elements->b == 0));
  const TensorRecord &whole = s->tensors[0], &part = s->tensors[1];
  REQUIRE(whole.group == part.group);
  CHECK(s->groups[whole.group].range == ByteRange{first + 64, first + 128});
  CHECK(s->group_range(whole) == ByteRange{second + 64, second + 128});
  CHECK(s->group_range(part) == ByteRange{first + 64, first + 128});
  CHECK(s->groups[whole.group].distinct_bytes == 64);
  CHECK(s->tensors[2].group != whole.group);
  for (const std::uint32_t id : {0, 1, 2}) CHECK(s->has_remark(s->tensors[id], RemarkCode::mapped_again));
  CHECK_FALSE(s->has_remark(s->tensors[3], RemarkCode::mapped_again));
  CHECK(write_warning(*s, 0).find("In the same memory: t1") != std::string::npos);
  CHECK(relation_between(*s, 0, 2).relation == Relation::disjoint);
  auto unlisted = std::make_shared<Snapshot>(*s);
  unlisted->pairs.clear();
  const PairRecord again = relation_between(*unlisted, 1, 0);
  CHECK((again.relation == Relation::contains && again.witness == second + 96 && again.shared_bytes == 16));
}

TEST_CASE("views at random in two mappings relate as in one", "[core][inventory]") {
  MappedFile file;
  const Address mapped[] = {file.map(), file.map()};
  std::mt19937 random(7);
  const auto pick = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int round = 0; round < 20; ++round) {
    std::vector<TensorDesc> in_two, in_one;
    for (int i = 0; i < 40; ++i) {
      const Address at = static_cast<Address>(pick(600));
      const std::vector<std::int64_t> shape{1 + pick(6), 1 + pick(6)}, strides{pick(20) * 4, 4 + pick(3) * 4};
      in_two.push_back(array_desc(mapped[pick(1)] + at, shape, strides));
      in_one.push_back(array_desc(mapped[0] + at, shape, strides));
    }
    const auto two = analysed(in_two), one = analysed(in_one);
    REQUIRE(two->pairs.size() == one->pairs.size());
    for (std::size_t i = 0; i < two->pairs.size(); ++i) {
      const PairRecord &a = two->pairs[i], &b = one->pairs[i];
      INFO(two->tensors[a.a].address << " " << two->tensors[a.b].address);
      CHECK((a.a == b.a && a.b == b.b && a.relation == b.relation && a.shared_bytes == b.shared_bytes));
      if (a.shared_bytes == 0) continue;
      CHECK(a.witness - two->tensors[a.a].address == b.witness - one->tensors[b.a].address);
      CHECK(witness_in(*two, a, a.b) - two->tensors[a.b].address == b.witness - one->tensors[b.b].address);
    }
    REQUIRE(two->groups.size() == one->groups.size());
    for (std::uint32_t id = 0; id < in_two.size(); ++id) {
      const GroupRecord &a = two->groups[two->tensors[id].group], &b = one->groups[one->tensors[id].group];
      CHECK((a.distinct_bytes == b.distinct_bytes && a.members.count == b.members.count));
      CHECK(two->group_range(two->tensors[id]).begin - two->tensors[id].address ==
            one->group_range(one->tensors[id]).begin - one->tensors[id].address);
    }
  }
}

TEST_CASE("another file at the same address, and a mapping that ends, are seen by the next analysis", "[core][inventory]") {
  MappedFile file, other;
  const Address first = file.map(), second = file.map();
  const std::vector<TensorDesc> descs{array_desc(first, {16}), array_desc(second, {16}), array_desc(second + 32, {16})};
  const auto shared = analysed(descs);
  CHECK(shared->pairs.size() == 3);
  other.map(second);
  const auto apart = analysed(descs, shared.get());
  REQUIRE(apart->pairs.size() == 1);
  CHECK((apart->pairs[0].a == 1 && apart->pairs[0].b == 2));
  CHECK(apart->tensors[0].group != apart->tensors[1].group);
  file.map(second);
  CHECK(analysed(descs, apart.get())->pairs.size() == 3);
}

TEST_CASE("a tensor that lies in two mappings at once is compared by its addresses, and so are those it meets", "[core][inventory]") {
  MappedFile file;
  const Address first = file.map();
  void* const reserved = ::mmap(nullptr, 2 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(reserved != MAP_FAILED);
  const auto ring = reinterpret_cast<Address>(reserved);
  file.map(ring);
  file.map(ring + kBytes);
  const auto s = analysed({array_desc(first, {16}), array_desc(ring + kBytes - 32, {16}), array_desc(ring + kBytes - 16, {2}),
                           array_desc(ring + kBytes, {2})});
  CHECK(relation_between(*s, 1, 2).relation == Relation::contains);
  CHECK(relation_between(*s, 1, 3).relation == Relation::contains);
  CHECK(s->tensors[1].page_shift == 0);
  // The bytes that it has in the second mapping are those of another one at the file's beginning.
  CHECK(relation_between(*s, 0, 1).why == UnknownWhy::same_file_pages);
  CHECK(relation_between(*s, 0, 2).relation == Relation::disjoint);
  CHECK(relation_between(*s, 0, 3).why == UnknownWhy::same_file_pages);
  ::munmap(reserved, 2 * kBytes);
}

TEST_CASE("whether a private mapping of a file shows the bytes of another mapping is unknown", "[core][inventory]") {
  MappedFile file;
  const Address shared = file.map(), own = file.map_privately(), other = file.map_privately();
  const auto s = analysed({array_desc(shared + 64, {16}), array_desc(own + 96, {4}), array_desc(own + 4096, {4}),
                           array_desc(other + 100, {4}), array_desc(own + 100, {4})});
  const auto relation = [&](std::uint32_t a, std::uint32_t b) { return relation_between(*s, a, b); };
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 3), std::pair(0, 4), std::pair(1, 3), std::pair(3, 4)}) {
    INFO(a << " and " << b);
    const PairRecord pair = relation(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    CHECK(pair.relation == Relation::unknown);
    CHECK(pair.why == UnknownWhy::same_file_pages);
  }
  CHECK(relation(1, 4).relation == Relation::overlaps);  // one mapping: by their addresses
  for (const std::uint32_t id : {0, 1, 3, 4}) CHECK(relation(id, 2).relation == Relation::disjoint);
  CHECK(s->pairs.size() == 6);
  for (const std::uint32_t id : {0, 1, 3, 4}) CHECK(s->has_remark(s->tensors[id], RemarkCode::same_file_pages));
  CHECK_FALSE(s->has_remark(s->tensors[2], RemarkCode::same_file_pages));
  CHECK(text_for_unknown(*s, relation(0, 1), "a", "b").find("a private page") != std::string::npos);

  auto bounded = std::make_shared<Snapshot>(*s);
  bounded->pairs.clear();
  bounded->info.missing_pairs = UnknownWhy::pair_bound;
  CHECK(relation_between(*bounded, 0, 1).why == UnknownWhy::same_file_pages);
  CHECK(relation_between(*bounded, 0, 2).relation == Relation::disjoint);
}

TEST_CASE("what private mappings may share is compared with the work that all comparisons may take", "[core][inventory]") {
  MappedFile file;
  const Address shared = file.map(), own = file.map_privately();
  // Two lattices of 6 x 7 elements without a formula, the second as far behind the first as no two of their elements are.
  std::set<std::int64_t> differences;
  for (std::int64_t i = -5; i <= 5; ++i) {
    for (std::int64_t j = -6; j <= 6; ++j) differences.insert(31 * i + 47 * j);
  }
  std::int64_t apart = 100;
  while (differences.contains(apart)) ++apart;
  const std::vector<TensorDesc> descs{array_desc(shared, {6, 7}, {4 * 31, 4 * 47}),
                                      array_desc(own + static_cast<Address>(4 * apart), {6, 7}, {4 * 31, 4 * 47})};
  const auto work_ran_out = [](const Snapshot& s) {
    return std::ranges::any_of(s.limits, [&](const LimitRecord& l) { return s.str(l.what) == "overlap_work" && l.reached; });
  };
  const auto all = analysed(descs);
  CHECK(all->pairs.empty());
  CHECK_FALSE(work_ran_out(*all));
  const auto s = analysed(descs, nullptr, 0);
  REQUIRE(s->pairs.size() == 1);
  CHECK(s->pairs[0].why == UnknownWhy::same_file_pages);
  CHECK(work_ran_out(*s));
}

TEST_CASE("views at random in a shared and a private mapping are unknown where they would share in one", "[core][inventory]") {
  MappedFile file;
  const Address mapped[] = {file.map(), file.map_privately()};
  std::mt19937 random(9);
  const auto pick = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int round = 0; round < 20; ++round) {
    std::vector<TensorDesc> in_two, in_one;
    std::vector<int> which;
    for (int i = 0; i < 40; ++i) {
      const Address at = static_cast<Address>(pick(600));
      const std::vector<std::int64_t> shape{1 + pick(6), 1 + pick(6)}, strides{pick(20) * 4, 4 + pick(3) * 4};
      which.push_back(pick(1));
      in_two.push_back(array_desc(mapped[which.back()] + at, shape, strides));
      in_one.push_back(array_desc(mapped[0] + at, shape, strides));
    }
    const auto two = analysed(in_two), one = analysed(in_one);
    for (std::uint32_t a = 0; a < 40; ++a) {
      for (std::uint32_t b = a + 1; b < 40; ++b) {
        const PairRecord in_both = relation_between(*two, a, b), judge = relation_between(*one, a, b);
        INFO(round << ": " << a << " and " << b);
        if (which[a] == which[b]) {
          CHECK((in_both.relation == judge.relation && in_both.shared_bytes == judge.shared_bytes));
        } else {
          CHECK((in_both.relation == Relation::unknown) == (judge.shared_bytes != 0));
        }
      }
    }
  }
}

TEST_CASE("without an address map nothing is said of two mappings of one file", "[core][inventory]") {
  MappedFile file;
  const Address low = file.map(), high = file.map();
  AnalyseOptions options;
  options.map_problem = "cannot read /proc/self/maps: No such file or directory";
  SnapshotBuilder builder;
  for (const Address at : {low, high})
    builder.add_tensor(array_desc(at, {64}), builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("t"));
  builder.analyse(options);
  const auto s = builder.finish();
  const PairRecord pair = relation_between(*s, 0, 1);
  CHECK(pair.relation == Relation::unknown);
  CHECK(pair.why == UnknownWhy::unreadable);
  CHECK(text_for_unknown(*s, pair, "x", "y").find(options.map_problem) != std::string::npos);
  const HandOverStep step = judge_hand_over(*s, 0, 1);
  CHECK(step.verdict == HandOver::unknown);
  CHECK(step.why.find(options.map_problem) != std::string::npos);
  for (const TensorRecord& tensor : s->tensors) CHECK_FALSE(tensor.readable);
}

}  // namespace dlscope::core
