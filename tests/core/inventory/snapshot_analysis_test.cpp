#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/inventory/own_symbols.h"
#include "core/inventory/pair_limit.h"
#include "core/inventory/snapshot_builder.h"
#include "core/inventory/write_permission.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;
using testing::capsule_desc;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

// This very process, looked at for real.
struct Process {
  AddressMap map = AddressMap::load(0).value();
  std::unique_ptr<MemoryReader> reader = process_reader(0).value();
  [[nodiscard]] AnalyseOptions options() const {
    AnalyseOptions out;
    out.map = &map;
    out.reader = reader.get();
    out.symbol_of = own_symbol;
    return out;
  }
};

// Memory in which nothing is readable but what `readable` holds; counts what it was asked.
class FakeReader final : public MemoryReader {
 public:
  explicit FakeReader(ByteRange readable) : readable_(readable) {}
  std::size_t read(Address from, std::span<std::byte> out) const override {
    return readable_.contains(from) ? std::min<std::size_t>(out.size(), readable_.end - from) : 0;
  }
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override {
    ++batches;
    probed += addresses.size();
    MemoryReader::probe(addresses, readable);
  }
  mutable std::size_t batches = 0, probed = 0;

 private:
  ByteRange readable_;
};

std::shared_ptr<Snapshot> analysed(const std::vector<TensorDesc>& descs, const AnalyseOptions& options) {
  SnapshotBuilder builder;
  for (std::size_t i = 0; i < descs.size(); ++i) {
    builder.add_tensor(descs[i], builder.intern("numpy"), builder.intern("numpy.ndarray"),
                       builder.add_text("t" + std::to_string(i)));
  }
  builder.analyse(options);
  return builder.finish();
}

bool has(const Snapshot& s, std::uint32_t id, RemarkCode code) {
  return std::ranges::any_of(Snapshot::slice(s.remarks, s.tensors[id].remarks), [&](const auto& r) { return r.code == code; });
}

const PairRecord* pair_of(const Snapshot& s, std::uint32_t a, std::uint32_t b) {
  const auto found = std::ranges::find_if(s.pairs, [&](const PairRecord& p) { return p.a == a && p.b == b; });
  return found == s.pairs.end() ? nullptr : &*found;
}

TEST_CASE("a real buffer is readable, measured and in a group with its view", "[core][inventory]") {
  const std::vector<float> buffer(64);
  const Process process;
  const Address start = address_of(buffer.data());
  const auto s = analysed({array_desc(start, {8, 8}), array_desc(start, {8, 4}, {32, 8}), array_desc(start, {0}),
                           array_desc(address_of(&process), {4})},
                          process.options());
  const TensorRecord& whole = s->tensors[0];
  CHECK(whole.readable);
  CHECK(whole.space == kHostSpace);
  CHECK(whole.contiguity == Contiguity::c);
  CHECK(whole.distinct_bytes == 256);
  CHECK(whole.alignment >= 4);
  CHECK(start % whole.alignment == 0);
  CHECK((whole.alignment == 4096 || start % (whole.alignment * 2u) != 0));
  CHECK(s->tensors[1].contiguity == Contiguity::strided);
  CHECK(s->tensors[1].distinct_bytes == 128);
  CHECK(s->tensors[1].group == whole.group);
  CHECK(s->tensors[2].contiguity == Contiguity::empty);
  CHECK(s->tensors[2].readable);
  CHECK(s->tensors[2].distinct_bytes == 0);
  CHECK(s->tensors[2].group == kNone32);
  CHECK(s->tensors[3].group != whole.group);
  CHECK(s->tensors[3].group != kNone32);
  REQUIRE(s->pairs.size() == 1);
  CHECK(s->pairs[0].relation == Relation::contains);
  CHECK(s->pairs[0].shared_bytes == 128);
  CHECK(s->pairs[0].witness == start);
  const GroupRecord& group = s->groups[whole.group];
  CHECK(group.range == whole.extent);
  CHECK(group.distinct_bytes == 256);
  CHECK(group.device == kCpuDevice);
  CHECK(group.members.count == 2);
  REQUIRE(group.libraries.count == 1);
  CHECK(s->str(s->group_libraries[group.libraries.first]) == "numpy");
}

TEST_CASE("unmapped, protected and half-mapped extents are unreadable, and said to be", "[core][inventory]") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  const Address base = address_of(pages);
  REQUIRE(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE) == 0);
  const auto elements = static_cast<std::int64_t>(page / 4);
  const Process process;
  const auto s = analysed({array_desc(base, {elements}), array_desc(base + page, {elements}), array_desc(base, {elements + 1}),
                           array_desc(0x10, {4}), array_desc(base, {3 * elements})},
                          process.options());
  CHECK(s->tensors[0].readable);
  CHECK_FALSE(has(*s, 0, RemarkCode::extent_unreadable));
  for (const std::uint32_t id : {1u, 2u, 3u, 4u}) {
    CHECK_FALSE(s->tensors[id].readable);
    CHECK(has(*s, id, RemarkCode::extent_unreadable));
    CHECK(has(*s, id, RemarkCode::distinct_unknown));
    CHECK(s->tensors[id].distinct_bytes == kUnknown64);
    CHECK(s->tensors[id].group == kNone32);
  }
  munmap(pages, 3 * page);
}

TEST_CASE("what a struct that lies about its size shares is unknown, and it joins nobody", "[core][inventory]") {
  const std::vector<float> a(16), b(16);
  const Process process;
  const Address low = std::min(address_of(a.data()), address_of(b.data()));
  const auto s = analysed(
      {array_desc(address_of(a.data()), {16}), array_desc(address_of(b.data()), {16}), array_desc(low, {std::int64_t{1} << 50})},
      process.options());
  CHECK(s->tensors[0].group != s->tensors[1].group);
  for (const std::uint32_t id : {0u, 1u}) {
    const PairRecord* const pair = pair_of(*s, id, 2);
    REQUIRE(pair != nullptr);
    CHECK(pair->relation == Relation::unknown);
    CHECK(pair->why == UnknownWhy::unreadable);
    CHECK(pair->shared_bytes == kUnknown64);
  }
  CHECK(s->pairs.size() == 2);
  CHECK(s->info.missing_pairs == UnknownWhy::none);
  CHECK(s->info.open_groups == UnknownWhy::none);
}

TEST_CASE("a tensor whose pair with an unreadable one may be missing is not said to be alone", "[core][inventory]") {
  const std::vector<float> a(16), b(16);
  const Process process;
  AnalyseOptions options = process.options();
  options.sharing.max_pairs = 1;
  const Address low = std::min(address_of(a.data()), address_of(b.data()));
  const auto s = analysed(
      {array_desc(address_of(a.data()), {16}), array_desc(address_of(b.data()), {16}), array_desc(low, {std::int64_t{1} << 50})},
      options);
  CHECK(s->pairs.size() == 1);
  CHECK(s->info.missing_pairs == UnknownWhy::pair_bound);
  CHECK(s->info.open_groups == UnknownWhy::pair_bound);
}

TEST_CASE("the map's word is not enough: the ends are read", "[core][inventory]") {
  const AddressMap map = AddressMap::parse("10000-20000 rw-p 00000000 00:00 0\n");
  const FakeReader reader({0x10000, 0x18000});  // as a file that ends before its mapping does
  AnalyseOptions options;
  options.map = &map;
  options.reader = &reader;
  const auto s = analysed({array_desc(0x10000, {0x2000}), array_desc(0x10000, {0x2001}), array_desc(0x18000, {4})}, options);
  CHECK(s->tensors[0].readable);
  CHECK_FALSE(s->tensors[1].readable);
  CHECK_FALSE(s->tensors[2].readable);
  CHECK(has(*s, 1, RemarkCode::extent_unreadable));
  CHECK(has(*s, 2, RemarkCode::extent_unreadable));
}

// Says of each page what a test wants it to.
class SaidReader final : public MemoryReader {
 public:
  explicit SaidReader(std::map<Address, Probed> said) : said_(std::move(said)) {}
  std::size_t read(Address, std::span<std::byte>) const override { return 0; }
  void probe_each(std::span<const Address> addresses, std::span<Probed> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = said_.at(addresses[i] >> 12);
  }
  [[nodiscard]] ReadStatus last_status() const override { return ReadStatus::hung; }

 private:
  std::map<Address, Probed> said_;
};

TEST_CASE("of each tensor it is said by itself why it was not read", "[core][inventory]") {
  using Probed = MemoryReader::Probed;
  const AddressMap map = AddressMap::parse("10000-20000 rw-p 00000000 00:00 0\n");
  const SaidReader reader(
      {{0x10, Probed::readable}, {0x11, Probed::unreadable}, {0x12, Probed::hung}, {0x13, Probed::skipped}});
  AnalyseOptions options;
  options.map = &map;
  options.reader = &reader;
  const auto page = [](Address number, std::int64_t pages = 1) { return array_desc(number << 12, {pages * 1024}); };
  const auto s = analysed({page(0x10), page(0x11), page(0x12), page(0x13), page(0x13), page(0x10, 4), page(0x12, 2)}, options);
  const auto message = [&](std::uint32_t id, RemarkCode code) {
    for (const RemarkRecord& remark : s->slice(s->remarks, s->tensors[id].remarks)) {
      if (remark.code == code) return std::string(s->str(remark.message));
    }
    return std::string();
  };
  CHECK(s->tensors[0].readable);
  for (std::uint32_t id = 1; id < 7; ++id) CHECK_FALSE(s->tensors[id].readable);
  CHECK(message(1, RemarkCode::extent_unreadable).ends_with("reading the first one failed"));
  CHECK(message(2, RemarkCode::extent_unreadable).ends_with("the first one does not come: the memory does not answer"));
  CHECK(message(6, RemarkCode::extent_unreadable).ends_with("the first one does not come: the memory does not answer"));
  for (const std::uint32_t id : {3u, 4u, 5u}) {
    CHECK_FALSE(has(*s, id, RemarkCode::extent_unreadable));
    CHECK(has(*s, id, RemarkCode::not_probed));
    CHECK(s->tensors[id].distinct_bytes == s->tensors[id].nbytes);  // the map grants it: it is compared
  }
  const PairRecord* const pair = pair_of(*s, 3, 4);
  REQUIRE(pair != nullptr);
  CHECK(pair->relation == Relation::identical);
}

TEST_CASE("the ends of many small tensors are read in one batch, each page once", "[core][inventory]") {
  const AddressMap map = AddressMap::parse("100000-200000 rw-p 00000000 00:00 0\n");
  const FakeReader reader({0x100000, 0x200000});
  AnalyseOptions options;
  options.map = &map;
  options.reader = &reader;
  std::vector<TensorDesc> descs;
  for (Address i = 0; i < 4096; ++i) descs.push_back(array_desc(0x100000 + 64 * i, {16}));
  const auto s = analysed(descs, options);
  CHECK(std::ranges::all_of(s->tensors, [](const TensorRecord& t) { return t.readable; }));
  CHECK(reader.batches == 1);
  CHECK(reader.probed == 64);
  CHECK(s->groups.size() == 4096);
  CHECK(s->pairs.empty());
}

TEST_CASE("without a map nothing is called readable, and nothing unreadable", "[core][inventory]") {
  const auto s = analysed({array_desc(0x10000, {4})}, {});
  CHECK_FALSE(s->tensors[0].readable);
  CHECK_FALSE(has(*s, 0, RemarkCode::extent_unreadable));
  CHECK(s->tensors[0].distinct_bytes == 16);
  CHECK(s->tensors[0].group == 0);
}

TEST_CASE("NULL data has no alignment, no bytes and no group", "[core][inventory]") {
  const Process process;
  const auto s = analysed({array_desc(0, {4}), array_desc(0, {0})}, process.options());
  CHECK_FALSE(s->tensors[0].readable);
  CHECK(has(*s, 0, RemarkCode::data_null));
  CHECK_FALSE(has(*s, 0, RemarkCode::extent_unreadable));
  CHECK(s->tensors[0].alignment == 0);
  CHECK(s->tensors[0].distinct_bytes == kUnknown64);
  CHECK(s->tensors[0].group == kNone32);
  CHECK(s->tensors[1].readable);
  CHECK_FALSE(has(*s, 1, RemarkCode::data_null));
  CHECK(std::ranges::count(s->remarks, RemarkCode::data_null, &RemarkRecord::code) == 1);
}

TEST_CASE("host, pinned and managed memory are one space, every other device its own, handles none", "[core][inventory]") {
  const std::vector<DeviceId> devices = {{1, 0}, {3, 0}, {13, 0}, {11, 0}, {1, 5}, {2, 0},
                                         {2, 1}, {2, 0}, {99, 0}, {8, 0},  {4, 0}};
  std::vector<TensorDesc> descs;
  for (const DeviceId device : devices) descs.push_back(capsule_desc(0x10000, {4}, device));
  const auto s = analysed(descs, {});
  const auto name = [&](std::size_t id) { return std::string(s->str(s->spaces[s->tensors[id].space].name)); };
  for (const std::size_t host : {0u, 1u, 2u, 3u, 4u}) CHECK(s->tensors[host].space == kHostSpace);
  CHECK(name(5) == "cuda:0");
  CHECK(name(6) == "cuda:1");
  CHECK(s->tensors[7].space == s->tensors[5].space);
  CHECK(name(8) == "device99:0");
  CHECK(s->tensors[9].space == kNoSpace);
  CHECK(s->tensors[10].space == kNoSpace);
  CHECK(s->tensors[9].alignment == 0);
  CHECK(s->tensors[9].group == kNone32);
  CHECK(has(*s, 9, RemarkCode::distinct_unknown));
  CHECK(has(*s, 5, RemarkCode::device_memory_not_read));
  CHECK_FALSE(s->tensors[5].readable);
  CHECK_FALSE(has(*s, 5, RemarkCode::extent_unreadable));
  CHECK(s->tensors[5].distinct_bytes == 16);
  CHECK(s->tensors[5].alignment == 4096);
  CHECK(s->tensors[5].group == s->tensors[7].group);
  CHECK(s->tensors[5].group != s->tensors[0].group);
  CHECK(s->tensors[5].group != s->tensors[6].group);
  CHECK(s->groups[s->tensors[6].group].device == DeviceId{2, 1});
  CHECK(pair_of(*s, 5, 7) != nullptr);
  CHECK(pair_of(*s, 5, 6) == nullptr);
}

TEST_CASE("memory that does not lie on the device of which its capsule speaks is not called device memory", "[core][inventory]") {
  std::vector<TensorDesc> descs = {capsule_desc(0x10000, {4}, {2, 0}), capsule_desc(0x20000, {4}, {2, 0})};
  descs[0].remark(RemarkCode::device_mismatch, "described as cuda:0, but __dlpack_device__ says cpu");
  const auto s = analysed(descs, {});
  CHECK(has(*s, 0, RemarkCode::device_mismatch));
  CHECK_FALSE(has(*s, 0, RemarkCode::device_memory_not_read));
  CHECK_FALSE(s->tensors[0].readable);
  CHECK(has(*s, 1, RemarkCode::device_memory_not_read));
}

TEST_CASE("memory that lazy clones have in common is not written by hand", "[core][inventory]") {
  alignas(16) static float bytes[4] = {};
  std::vector<TensorDesc> descs(2, capsule_desc(reinterpret_cast<Address>(bytes), {4}, {1, 0}));
  descs[0].protocol = Protocol::attributes;
  descs[0].read_only = Tri::unknown;
  const auto map = AddressMap::load(0);
  const auto reader = process_reader(0);
  REQUIRE((map && reader));
  AnalyseOptions options;
  options.map = &*map;
  options.reader = reader->get();
  const auto s = analysed(descs, options);
  REQUIRE(s->tensors[0].readable);
  CHECK(why_not_writable(*s, 0).find("copy-on-write") != std::string::npos);
  CHECK(why_not_writable(*s, 1).empty());
}

TEST_CASE("more devices than there are numbers for spaces do no harm", "[core][inventory]") {
  std::vector<TensorDesc> descs;
  for (std::int32_t i = 0; i < 70'000; ++i) descs.push_back(capsule_desc(0x10000, {1}, {2, i}));
  const auto s = analysed(descs, {});
  CHECK(s->spaces.size() == 65'536);
  CHECK(s->tensors.back().space == kNoSpace);
  CHECK(s->tensors.front().space == 2);
}

TEST_CASE("a deleter is placed in its library, with a symbol when one is exported", "[core][inventory]") {
  const Process process;
  TensorDesc known = capsule_desc(0x10000, {1}), wild = capsule_desc(0x20000, {1});
  known.deleter = reinterpret_cast<Address>(&::getppid);  // one that no sanitizer replaces by its own
  wild.deleter = 0x30;
  const auto s = analysed({known, wild}, process.options());
  const DeleterRecord& in_libc = s->deleters[s->tensors[0].deleter];
  const std::string library(s->str(in_libc.library));
  CHECK(library.find("libc") != std::string::npos);
  CHECK(s->str(in_libc.symbol).find("getppid") != std::string_view::npos);
  CHECK(in_libc.library_offset > 0);
  CHECK(in_libc.library_offset < (std::uint64_t{1} << 30));
  const DeleterRecord& nowhere = s->deleters[s->tensors[1].deleter];
  CHECK(nowhere.library.length == 0);
  CHECK(nowhere.symbol.length == 0);
}

TEST_CASE("a deleter's offset counts from the library's first byte, over its segments", "[core][inventory]") {
  const AddressMap map = AddressMap::parse(
      "1000-2000 r--p 00000000 00:00 1 /lib/other.so\n"
      "4000-5000 r--p 00000000 00:00 2 /lib/own.so\n"
      "5000-7000 r-xp 00001000 00:00 2 /lib/own.so\n"
      "9000-a000 r-xp 00003000 00:00 3 /lib/tail-only.so\n"
      "b000-c000 r-xp 00000000 00:00 0\n");
  AnalyseOptions options;
  options.map = &map;
  std::vector<TensorDesc> descs;
  for (const Address deleter : {0x5010, 0x9020, 0xb030}) {
    descs.push_back(capsule_desc(0x10000, {1}));
    descs.back().deleter = deleter;
  }
  const auto s = analysed(descs, options);
  CHECK(s->str(s->deleters[0].library) == "/lib/own.so");
  CHECK(s->deleters[0].library_offset == 0x1010);
  CHECK(s->str(s->deleters[1].library) == "/lib/tail-only.so");
  CHECK(s->deleters[1].library_offset == 0x3020);
  CHECK(s->deleters[2].library.length == 0);
}

TEST_CASE("the bound on pairs is reported, reached or not, and groups stay whole", "[core][inventory]") {
  std::vector<TensorDesc> descs;
  for (int i = 0; i < 20; ++i) descs.push_back(array_desc(0x10000, {16}));
  AnalyseOptions options;
  const auto limit_of = [](const Snapshot& s) {
    for (const LimitRecord& limit : s.limits) {
      if (s.str(limit.what) == "pairs") return limit;
    }
    return LimitRecord{};
  };
  auto s = analysed(descs, options);
  CHECK(s->pairs.size() == 190);
  CHECK(limit_of(*s).limit == 1'000'000);
  CHECK_FALSE(limit_of(*s).reached);
  options.sharing.max_pairs = 10;
  s = analysed(descs, options);
  CHECK(s->pairs.size() == 10);
  CHECK(limit_of(*s).limit == 10);
  CHECK(limit_of(*s).reached);
  CHECK(s->info.missing_pairs == UnknownWhy::pair_bound);
  CHECK(s->info.open_groups == UnknownWhy::none);
  REQUIRE(s->groups.size() == 1);
  CHECK(s->groups[0].members.count == 20);
}

TEST_CASE("more memory allows a longer list of pairs, up to what a table can show", "[core][inventory]") {
  CHECK(pair_limit(std::nullopt) == 1'000'000);
  CHECK(pair_limit(0) == 1'000'000);
  const std::uint64_t gib = std::uint64_t{1} << 30;
  CHECK(pair_limit(16 * gib) > 3'500'000);
  CHECK(pair_limit(16 * gib) * sizeof(PairRecord) * 7 < 2 * gib);
  CHECK(pair_limit(1024 * gib) == std::uint64_t{1} << 22);
}

TEST_CASE("an analysis that is stopped says unknown instead of guessing, and reaches no limit", "[core][inventory]") {
  std::stop_source stop;
  stop.request_stop();
  AnalyseOptions options;
  options.sharing.stop = stop.get_token();
  options.sharing.budget.stop = stop.get_token();
  const auto s = analysed({array_desc(0x10000, {100, 100}, {408, 4}), array_desc(0x10004, {100, 100}, {404, 8})}, options);
  for (const PairRecord& pair : s->pairs) CHECK(pair.why == UnknownWhy::stopped);
  CHECK(s->info.missing_pairs == UnknownWhy::stopped);
  CHECK(s->info.open_groups == UnknownWhy::stopped);
  for (const LimitRecord& limit : s->limits) CHECK_FALSE(limit.reached);
}

TEST_CASE("an analysis of many tensors that is stopped leaves most of them out, and says so of each", "[core][inventory]") {
  const std::vector<TensorDesc> descs(100'000, array_desc(0x10000, {100, 100}, {408, 4}));
  std::stop_source stop;
  stop.request_stop();
  AnalyseOptions options;
  options.sharing.stop = options.sharing.budget.stop = stop.get_token();
  const auto s = analysed(descs, options);
  CHECK(s->info.missing_pairs == UnknownWhy::stopped);
  CHECK(s->info.open_groups == UnknownWhy::stopped);
  const TensorRecord& last = s->tensors.back();
  CHECK(last.contiguity == Contiguity::unknown);
  CHECK(last.distinct_bytes == kUnknown64);
  CHECK(has(*s, 99'999, RemarkCode::distinct_unknown));
  CHECK(last.alignment == 4096);
  // What an earlier analysis found is taken over as far as the stop lets it.
  options = {};
  const auto earlier = analysed(descs, options);
  options.earlier = earlier.get();
  options.sharing.stop = options.sharing.budget.stop = stop.get_token();
  const auto again = analysed(descs, options);
  CHECK(again->info.missing_pairs == UnknownWhy::stopped);
  CHECK(again->tensors.front().contiguity == earlier->tensors.front().contiguity);
  CHECK(again->tensors.back().distinct_bytes == kUnknown64);
}

TEST_CASE("100000 disjoint tensors each have their own group", "[core][inventory]") {
  std::vector<TensorDesc> descs;
  SnapshotBuilder builder;
  TensorDesc desc = array_desc(0x10000, {2, 8});
  for (int i = 0; i < 100'000; ++i) {
    desc.data += 64;
    desc.extent = {desc.data, desc.data + 64};
    builder.add_tensor(desc, builder.intern("numpy"), {}, {});
  }
  builder.analyse({});
  const auto s = builder.finish();
  CHECK(s->groups.size() == 100'000);
  CHECK(s->pairs.empty());
  CHECK(s->group_members.size() == 100'000);
}

}  // namespace
}  // namespace dlscope::core
