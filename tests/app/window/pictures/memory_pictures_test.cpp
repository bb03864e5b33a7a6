// Pictures of who keeps which memory alive: unnamed memory in the map, the life of a tensor's memory, capsules, proofs.
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/window/screenshot.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

constexpr core::Address kBase = 0x558120001000;

// Draws the request in Teach and Verify at 100 and 200 %, and each time without what `take_out` removes: they have to differ.
void draw_with_and_without(const std::string& name, const ScreenshotRequest& given,
                           const std::function<void(ScreenshotRequest&)>& take_out) {
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      ScreenshotRequest request = given;
      request.layout = layout;
      request.scale = scale;
      request.theme = layout == LayoutPreset::teach ? ThemeChoice::light : ThemeChoice::dark;
      const std::string file =
          name + (layout == LayoutPreset::verify ? "_verify_" : "_teach_") + (scale > 1 ? "200" : "100");
      const Pixels with = draw(request, file);
      take_out(request);
      CHECK((with.rgba != draw(request, file + "_without").rgba));  // in brackets: a failure would print every pixel
    }
  }
}

core::SnapshotPtr kept_snapshot(bool known) {
  const core::ByteRange huge{kBase, kBase + (std::uint64_t{64} << 20)};
  const core::ByteRange pair{kBase + (std::uint64_t{80} << 20), kBase + (std::uint64_t{80} << 20) + 65536};
  const auto whole = [known](core::ByteRange range) { return known ? range : core::ByteRange{}; };
  return tests::snapshot_of({
      {.name = "row", .address = kBase + 4096, .shape = {1024}, .allocation = whole(huge)},
      {.name = "head", .address = pair.begin, .shape = {4, 512}, .allocation = whole(pair)},
      {.name = "tail", .address = pair.end - 8192, .shape = {4, 512}, .allocation = whole(pair)},
      {.name = "apart", .address = kBase + (std::uint64_t{96} << 20), .shape = {2048}},
  });
}

core::ProofSide proof_side(const char* library, core::Address begin) {
  return {.library = library,
          .version = "2.4.6",
          .dtype = "float32",
          .protocol = core::Protocol::dlpack,
          .capsule = core::CapsuleKind::dltensor_versioned,
          .given_by = core::GivenBy::dlpack_method,
          .version_major = 1,
          .version_minor = 1,
          .extent = core::ByteRange{begin, begin + 3072},
          .read_only = core::Tri::no,
          .is_copied = core::Tri::no,
          .subbyte_padded = core::Tri::no};
}

core::ProofStep proof_step(const char* from, const char* to_name, core::HandOver verdict, core::Relation relation,
                           core::Address to) {
  const std::uint64_t shared = relation == core::Relation::identical ? 3072 : 0;
  return {from, to_name, verdict, relation, shared, 0x7f1200004000,           to,
          core::Probe::not_armed, "yes", "yes", "seen by their addresses", proof_side("torch", 0x7f1200004000),
          proof_side("jax", to)};
}

}  // namespace

TEST_CASE("the map draws the memory of allocations that no tensor names", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.snapshot = kept_snapshot(true);
  request.select = "row";
  request.ask = {show_panel(ActionContext::memory)};
  draw_with_and_without("map_unnamed", request, [](ScreenshotRequest& without) { without.snapshot = kept_snapshot(false); });
}

TEST_CASE("a proof is drawn with its steps, shared and copied", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.chain = {"weights", "weights_torch", "weights_jax"};
  core::Proof& proof = request.proof.emplace();
  proof.steps = {proof_step("weights", "weights_torch", core::HandOver::shared, core::Relation::identical, 0x7f1200004000),
                 proof_step("weights_torch", "weights_jax", core::HandOver::copied, core::Relation::disjoint, 0x7f1200009000)};
  proof.verdict = core::HandOver::copied;
  draw_with_and_without("proof", request, [](ScreenshotRequest& without) {
    without.proof->steps.pop_back();
    without.proof->verdict = core::HandOver::shared;
  });
}

TEST_CASE("the figure of a proof holds every step at every size, or says how many it holds", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.proof_caption = "tour.py · 2026-11-28 13:40:05 · Python 3.11.7 · dlscope 0.1";
  const auto figure = [&](const std::string& name, std::size_t steps) {
    core::Proof& proof = request.proof.emplace();
    for (std::size_t i = 0; i < steps; ++i)
      proof.steps.push_back(proof_step(i == 0 ? "weights" : "model.encoder.layers[11].attention.weights_in_torch", "weights_jax",
                                       i == 1 ? core::HandOver::copied : core::HandOver::shared, core::Relation::identical,
                                       0x7f1200004000));
    proof.verdict = steps > 1 ? core::HandOver::copied : core::HandOver::shared;
    request.proof_figure_path = picture_path(name);
    const Pixels window = draw(request, name + "_window");
    const Pixels pixels = read_png(request.proof_figure_path);
    CHECK((pixels.width <= window.width && pixels.height <= window.height));
    CHECK(pixels.colours() > 20);
    const auto text = text_in_png(request.proof_figure_path);
    REQUIRE(text.size() == 3);
    CHECK(text[0].second.starts_with("Proof: weights → weights_jax"));
    CHECK(text[1].second.ends_with("dlscope 0.1\n"));
    // The file's text has all steps, whatever had room.
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text[1].second.find("first element: ", at)) != std::string::npos; ++at) ++found;
    CHECK(found == steps);
    return pixels;
  };
  const Pixels one = figure("proof_figure_one", 1), two = figure("proof_figure_two", 2), many = figure("proof_figure_many", 25);
  CHECK(one.height < two.height);
  CHECK(two.width < many.width);
  request.theme = ThemeChoice::light;
  request.scale = 2;
  figure("proof_figure_light_200", 3);
  figure("proof_figure_light_200_many", 100);
  request.width = 1280;
  request.height = 720;
  figure("proof_figure_light_200_small", 6);
}

TEST_CASE("what keeps a tensor's memory alive is drawn for many of them, with long names", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  LifeAnswer& life = request.life.emplace();
  life.found = true;
  life.chain = {"numpy.ndarray", ".base: PyCapsule", "of the producer's numpy.ndarray"};
  life.allocation_bytes = 48;
  life.told_by = "t";
  for (const char* const name : {"x", "y", "t"}) life.holders.emplace_back(name, "a numpy.ndarray, which holds it by .base");
  for (int i = 0; i < 24; ++i)
    life.holders.emplace_back(
        "model.encoder.layers[" + std::to_string(i) + "].attention.self.query.weight_of_the_first_copy_that_was_made",
        "took it over through DLPack; the producer's deleter is called when it goes");
  for (int i = 0; i < 8; ++i) life.unsaid.push_back("unsaid_" + std::to_string(i));
  life.unsaid.emplace_back("x[::-1]");
  life.not_asked = 700;
  draw_with_and_without("life_many", request, [](ScreenshotRequest& without) { without.life->holders.resize(2); });
}

TEST_CASE("what keeps a tensor's memory alive is drawn", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  LifeAnswer& life = request.life.emplace();
  life.found = true;
  life.chain = {"torch.Tensor", "a storage", "numpy.ndarray"};
  life.allocation_bytes = std::uint64_t{64} << 20;
  life.owner = "numpy.ndarray";
  life.source = "base";
  life.holders = {{"x", "it is the owner"}, {"batch['x']", "through its .base"}};
  life.unnamed = 2;
  draw_with_and_without("life", request, [](ScreenshotRequest& without) { without.life->holders.pop_back(); });
}

TEST_CASE("the ledger is drawn with many copies and long names, and empty", "[window]") {
  skip_without_gl();
  const auto with_copies = [](std::uint32_t count) {
    core::Snapshot seen = *tests::tour_snapshot();
    const auto text = [&](const std::string& words) {
      const auto at = static_cast<std::uint32_t>(seen.text.size());
      seen.text.insert(seen.text.end(), words.begin(), words.end());
      return core::TextRef{at, static_cast<std::uint32_t>(words.size())};
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string name = i % 3 == 0 ? "model.encoder.layers[" + std::to_string(i) + "].attention.self.query.weight" : "x";
      seen.copies.push_back({.bytes = std::uint64_t{1} << (6 + i),
                             .ns = std::uint64_t{1000} << (i / 2),
                             .from = text(name),
                             .to = text(name + "_copy"),
                             .why = text("asked for in the window"),
                             .path = text("cpu -> cpu, memcpy")});
    }
    return std::make_shared<const core::Snapshot>(std::move(seen));
  };
  ScreenshotRequest request = tour_request();
  request.ask = {ActionId::exchange_ledger};
  request.snapshot = with_copies(25);
  draw_with_and_without("ledger", request, [&](ScreenshotRequest& without) { without.snapshot = with_copies(0); });
}

TEST_CASE("watched capsules are drawn at each place of their lives", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  const auto all = read_capsules(R"json({"capsules": [
    {"id": 1, "kind": "dltensor", "state": "returned", "name": "used_dltensor", "tensor": "float32 (2, 3)", "held_by": ["c"],
     "events": [{"step": "watched", "t_ns": 0, "thread": 7, "main_thread": true, "noticed": false, "detail": ""},
                {"step": "consumed", "t_ns": 1500000, "thread": 7, "main_thread": true, "noticed": true, "detail": ""},
                {"step": "deleted", "t_ns": 1002000000, "thread": 9, "main_thread": false, "noticed": false, "detail": ""}]},
    {"id": 2, "kind": "dltensor_versioned", "state": "waiting", "name": "dltensor_versioned", "tensor": "bool (64,)",
     "held_by": [], "events": [{"step": "watched", "t_ns": 0, "thread": 7, "main_thread": true, "noticed": false, "detail": ""}]}
  ]})json");
  REQUIRE(all);
  request.capsules = *all;
  draw_with_and_without("capsules", request, [](ScreenshotRequest& without) { without.capsules.pop_back(); });
}

}  // namespace dlscope::app
