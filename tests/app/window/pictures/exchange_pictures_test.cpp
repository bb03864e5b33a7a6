// Pictures of what two tensors are to each other: hand-overs, recorded streams, comparisons.
#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "app/window/screenshot.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

namespace {

core::wire::HandedOver shared_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "SHARED";
  done.step = {"weights",
               "weights_torch",
               core::HandOver::shared,
               core::Relation::identical,
               3072,
               0x7f1200004000,
               0x7f1200004000,
               core::Probe::not_armed,
               "yes",
               "yes",
               "both are the same 3072 bytes"};
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(max_version=(1, 0))", "versioned capsule 'dltensor_versioned'", false},
                {"torch.from_dlpack(weights)", "a torch.Tensor", false},
                {"the capsule afterwards", "renamed 'used_dltensor_versioned'", false}};
  done.line = "weights_torch = torch.from_dlpack(weights)";
  done.name = "weights_torch";
  done.type = "torch.Tensor";
  done.read_only = "nothing to keep: the source may be written";
  done.owner = "weights's memory (numpy); weights_torch keeps it alive too, also when weights is gone";
  return done;
}

core::wire::HandedOver refused_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "REFUSED";
  done.error_type = "BufferError";
  done.error =
      "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).";
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(stream=None)",
                 "BufferError: Cannot export readonly array since signalling readonly is unsupported by DLPack", true}};
  done.line = "weights_jax = jax.dlpack.from_dlpack(weights)";
  return done;
}

}  // namespace

TEST_CASE("a hand-over and a refusal are drawn with their calls and their evidence", "[window]") {
  skip_without_gl();
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      for (const bool shared : {true, false}) {
        ScreenshotRequest request = tour_request();
        request.layout = layout;
        request.scale = scale;
        request.handed = shared ? shared_hand_over() : refused_hand_over();
        const std::string name = std::string("exchange_") + (shared ? "shared_" : "refused_") +
                                 (layout == LayoutPreset::verify ? "verify_" : "teach_") + (scale > 1 ? "200" : "100");
        ScreenshotRequest without = request;
        without.handed.reset();
        CHECK(draw(request, name).rgba != draw(without, name + "_without").rgba);
      }
    }
  }
}

TEST_CASE("a hand-over that is made step by step is drawn with what is held and what comes next", "[window]") {
  skip_without_gl();
  StepsState steps;
  steps.tensor = "weights";
  steps.choice.library = "torch";
  HandOverSteps& made = steps.made.emplace();
  made.left = 2;
  made.next = "torch.from_dlpack(weights)";
  made.capsule = "dltensor_versioned";
  made.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(max_version=(1, 0))", "versioned capsule 'dltensor_versioned'", false}};
  for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
    for (const float scale : {1.0F, 2.0F}) {
      ScreenshotRequest request = tour_request();
      request.layout = LayoutPreset::teach;
      request.scale = scale;
      request.theme = theme;
      request.steps = steps;
      const std::string name =
          std::string("exchange_steps_") + (theme == ThemeChoice::dark ? "dark_" : "light_") + (scale > 1 ? "200" : "100");
      const Pixels held = draw(request, name);
      request.steps->made->left = 1;
      request.steps->made->capsule = "used_dltensor_versioned";
      CHECK(draw(request, name + "_taken").rgba != held.rgba);
    }
  }
}

TEST_CASE("a recorded trace of streams is drawn with its lanes and its verdict", "[window]") {
  skip_without_gl();
  const std::string samples = DLSCOPE_SAMPLES;
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      ScreenshotRequest request = tour_request();
      request.layout = layout;
      request.scale = scale;
      request.theme = scale > 1 ? ThemeChoice::light : ThemeChoice::dark;
      const std::string name =
          std::string("streams_") + (layout == LayoutPreset::verify ? "verify_" : "teach_") + (scale > 1 ? "200" : "100");
      request.streams = samples + "/race.streams.json";
      const Pixels race = draw(request, name + "_race");
      request.streams = samples + "/ordered.streams.json";
      CHECK(draw(request, name + "_ordered").rgba != race.rgba);
      request.streams = samples + "/no_such.streams.json";
      CHECK(draw(request, name + "_missing").rgba != race.rgba);
    }
  }
}

namespace {

// x against others that differ from it in one way or another.
class ComparedTensors {
 public:
  ComparedTensors() {
    const core::DType f32 = *core::dtype_from_name("float32"), f64 = *core::dtype_from_name("float64");
    for (std::size_t i = 0; i < kElements; ++i) {
      x_[i] = equal_[i] = holes_[i] = static_cast<float>(i) * 0.25F - 100;
      turned_[i % 40 * 60 + i / 40] = static_cast<double>(x_[i]) + (i % 97 == 5 ? 0.125 : 0);
    }
    holes_[7] = std::numeric_limits<float>::quiet_NaN();
    holes_[815] = std::numeric_limits<float>::infinity();
    const core::Layout layout = core::Layout::c_order({60, 40}, 32);
    snapshot =
        tests::local_tensors({{"x", x_.data(), f32, layout},
                              {"equal", equal_.data(), f32, layout},
                              {"different", turned_.data(), f64, core::Layout::from_element_strides({60, 40}, {1, 60}, 64)},
                              {"holes", holes_.data(), f32, layout},
                              {"one_row", x_.data(), f32, core::Layout::c_order({40}, 32)},
                              {"other_shape", x_.data(), f32, core::Layout::c_order({40, 60}, 32)},
                              {"cube", x_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                              {"same_cube", equal_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                              {"nowhere", reinterpret_cast<const void*>(std::uintptr_t{64}), f32, layout}});
  }
  core::SnapshotPtr snapshot;

 private:
  static constexpr std::size_t kElements = 2400;
  std::vector<float> x_ = std::vector<float>(kElements), equal_ = x_, holes_ = x_;
  std::vector<double> turned_ = std::vector<double>(kElements);
};

}  // namespace

TEST_CASE("comparisons are drawn: equal, different, of other shapes, with NaN, of memory that cannot be read",
          "[window][compare]") {
  skip_without_gl();
  const ComparedTensors tensors;
  std::set<std::vector<std::uint32_t>> pictures;
  int drawn = 0;
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"x", "equal"},
                                                                             {"x", "different"},
                                                                             {"x", "holes"},
                                                                             {"x", "one_row"},
                                                                             {"x", "other_shape"},
                                                                             {"cube", "same_cube"},
                                                                             {"x", "nowhere"}}) {
    for (const bool large : {false, true}) {
      ScreenshotRequest request = tour_request();
      request.snapshot = tensors.snapshot;
      request.reader = *core::process_reader(0);
      request.select = a;
      request.compare = b;
      request.scale = large ? 2.0F : 1.0F;
      request.theme = large ? ThemeChoice::light : ThemeChoice::dark;
      request.layout = large ? LayoutPreset::teach : LayoutPreset::verify;
      request.ask = {ActionId::compare_values};
      pictures.insert(draw(request, std::string("compare_") + a + "_" + b + (large ? "_200" : "_100")).rgba);
      ++drawn;
    }
  }
  CHECK(pictures.size() == static_cast<std::size_t>(drawn));
}

}  // namespace dlscope::app
