#include "app/models/exchange/life_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/support/sample_snapshot.h"

namespace dlscope {
namespace {

constexpr core::Address kBase = 0x558120001000;

app::IndexPtr index_of(const std::vector<tests::SampleTensor>& tensors) {
  app::GroupColours colours;
  return app::build_index(tests::snapshot_of(tensors), colours);
}

std::vector<std::string> names(const core::Snapshot& snapshot, const std::vector<std::uint32_t>& tensors) {
  std::vector<std::string> out;
  for (const std::uint32_t tensor : tensors) out.emplace_back(snapshot.name(snapshot.tensors[tensor]));
  return out;
}

}  // namespace

TEST_CASE("tensors elsewhere in the same allocation are asked about: they keep it, too", "[models][exchange]") {
  const core::ByteRange whole{kBase, kBase + 4096};
  const app::IndexPtr index = index_of({{.name = "head", .address = kBase, .shape = {16}, .allocation = whole},
                                        {.name = "tail", .address = kBase + 2048, .shape = {16}, .allocation = whole},
                                        {.name = "same", .address = kBase, .shape = {16}, .allocation = whole},
                                        {.name = "apart", .address = kBase + 65536, .shape = {16}}});
  const core::Snapshot& snapshot = *index->snapshot;
  CHECK(names(snapshot, app::others_of_memory(snapshot, 0)) == std::vector<std::string>{"same", "tail"});
  CHECK(names(snapshot, app::others_of_memory(snapshot, 1)) == std::vector<std::string>{"head", "same"});
  CHECK(app::others_of_memory(snapshot, 3).empty());
  const std::string question = app::life_question(snapshot, 0);
  CHECK(question.find(R"("others":["same","tail"])") != std::string::npos);
  CHECK(question.find(R"("not_asked":0)") != std::string::npos);
  core::Snapshot counted = snapshot;
  REQUIRE(counted.allocations.size() == 1);
  counted.allocations[0].used_bytes = 128;  // both places, each once
  CHECK(app::used_bytes_of_memory(counted, counted.tensors[0]) == 128);
  CHECK(app::used_bytes_of_memory(snapshot, snapshot.tensors[3]) == 64);
}

TEST_CASE("where more tensors share the memory than are asked about, it is not said when it goes", "[models][exchange]") {
  std::vector<tests::SampleTensor> tensors;
  for (int i = 0; i < 300; ++i) tensors.push_back({.name = "t" + std::to_string(i), .address = kBase, .shape = {16}});
  const app::IndexPtr index = index_of(tensors);
  CHECK(app::life_question(*index->snapshot, 7).find(R"("not_asked":43)") != std::string::npos);
  const auto life = app::read_life(R"({"found": true, "chain": ["numpy.ndarray"], "holders": [{"name": "t7", "how": "is it"}],
                                       "not_asked": 43})");
  REQUIRE(life);
  CHECK(app::holders_text(*life) == "It stays at least as long as this:");
  CHECK(app::unsaid_text(*life) == "43 tensors more of this memory were not asked about.");
}

TEST_CASE("the rows of a life come in the order of the script's names, each with its type", "[models][exchange]") {
  const app::IndexPtr index =
      index_of({{.name = "x", .address = kBase, .shape = {16}},
                {.name = "t", .library = "torch", .type = "torch.Tensor", .address = kBase, .shape = {16}},
                {.name = "n", .address = kBase, .shape = {16}}});
  app::LifeAnswer life;
  life.holders = {{"n", "took it over"}, {"dlscope, step by step", "holds the tensor"}, {"x", "is it"}};
  life.unsaid = {"t"};
  const std::vector<app::LifeRow> rows = app::life_rows(life, *index);
  REQUIRE(rows.size() == 4);
  CHECK((rows[0].name == "x" && rows[0].keeps && rows[0].tensor == 0 && rows[0].type == "numpy.ndarray"));
  CHECK((rows[1].name == "t" && !rows[1].keeps && rows[1].type == "torch.Tensor"));
  CHECK(rows[1].how == "torch does not say whether it keeps the memory");
  CHECK((rows[2].name == "n" && rows[2].colour == rows[0].colour));
  CHECK((rows[3].name == "dlscope, step by step" && rows[3].tensor == core::kNone32));
}

TEST_CASE("whose memory it is, and who told so", "[models][exchange]") {
  app::LifeAnswer life;
  CHECK(app::memory_text(life) == "not known");
  life.allocation_bytes = 4000;
  life.owner = "numpy.ndarray";
  life.source = "base";
  CHECK(app::memory_text(life) == "a numpy.ndarray with 4 000 B (told by its base)");
  life.told_by = "x";
  CHECK(app::memory_text(life) == "4 000 B (told by x)");
  life.told_by.clear();
  life.owner_unknown = true;
  life.owner = "torch.Tensor";
  life.source = "storage";
  CHECK(app::memory_text(life) == "4 000 B (told by its storage); whose they are the torch.Tensor does not say");
}

TEST_CASE("a long list of names is not written out in a sentence", "[models][exchange]") {
  app::LifeAnswer life;
  life.unnamed = 1;
  life.unsaid = {"a", "b", "c", "d"};
  CHECK(app::unsaid_text(life).starts_with("a, b, c, d show the same memory."));
  life.unsaid.emplace_back("e");
  CHECK(app::unsaid_text(life).starts_with("5 others show the same memory. Their libraries do not say"));
  CHECK(app::unnamed_text(life).find("what 5 others took over") != std::string::npos);
}

}  // namespace dlscope
