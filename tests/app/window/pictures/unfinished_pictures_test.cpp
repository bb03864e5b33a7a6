// Pictures of a window whose tensors are shown before their sharing is known, and of the same window a moment later.
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>

#include "app/platform/png_file.h"
#include "app/platform/surface.h"
#include "app/window/application.h"
#include "tests/app/window/parts/fake_link.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

constexpr int kWidth = 1600, kHeight = 1000;

core::SnapshotPtr before_sharing(const core::Snapshot& whole) {
  auto found = std::make_shared<core::Snapshot>(whole);
  found->pairs.clear();
  found->groups.clear();
  found->group_members.clear();
  found->group_libraries.clear();
  for (core::TensorRecord& tensor : found->tensors) tensor.group = core::kNone32;
  found->info.missing_pairs = found->info.open_groups = core::UnknownWhy::not_yet;
  return found;
}

struct Drawn {
  tests::FakeHost host;
  std::unique_ptr<PictureSurface> surface = open_picture(kWidth, kHeight).value();
  Application application{{}, std::make_unique<tests::FakeLink>(host)};

  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      application.update();
      surface->begin_frame();
      application.draw(surface->fonts());
      surface->end_frame();
      application.carry_out();
    }
  }
  void show(HostEvent event) {
    host.events.emplace_back(std::move(event));
    frames(2);
    application.finish_background_work();
    frames(4);
  }
  Pixels picture(const std::string& name) {
    surface->paint_whole();
    frames(1);
    REQUIRE(write_png(surface->read(), picture_path(name)).has_value());
    return read_png(picture_path(name));
  }
};

}  // namespace

TEST_CASE("tensors whose sharing is not known yet are drawn without colours, and with them a moment later",
          "[app][picture][unfinished]") {
  skip_without_gl();
  Drawn drawn;
  apply_theme(theme_for(drawn.application.theme()), drawn.application.scale());
  drawn.host.found_python();
  drawn.host.ready();
  drawn.frames(3);
  drawn.application.run_script();
  drawn.frames(2);
  auto whole = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  whole->info.run = drawn.host.runs.back().run;
  drawn.show(HostRunFinished{whole->info.run, tests::finished()});
  drawn.show(HostSnapshot{before_sharing(*whole), core::Scanned::end});
  drawn.application.select("x");
  drawn.frames(3);
  const Pixels before = drawn.picture("sharing_not_yet");
  drawn.show(HostSnapshot{whole, core::Scanned::end});
  drawn.show(HostScanFinished{});
  const Pixels after = drawn.picture("sharing_known");
  CHECK(before.colours() > 20);
  CHECK((before.rgba != after.rgba));  // in brackets: a failure would print every pixel
}

}  // namespace dlscope::app
