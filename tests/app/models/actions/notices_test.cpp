#include "app/models/actions/notices.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dlscope::app {

TEST_CASE("what a run makes outdated goes, the way back to a text stays until it is taken", "[app][notices]") {
  Notices notices;
  notices.add(Tone::bad, "It crashed.");
  const std::uint64_t offer = notices.offer(Tone::accent, "The text was put aside.", "Restore", command::RestoreText{1});
  notices.add(Tone::plain, "Kill?", "Kill", command::KillHost{});
  notices.clear();
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all()[0].text == "The text was put aside.");
  CHECK(notices.logged().size() == 3);
  notices.dismiss(offer);
  CHECK(notices.all().empty());
}

TEST_CASE("the same words again are one notice, whose button is about what was told last", "[app][notices]") {
  Notices notices;
  notices.add(Tone::plain, "x is held.", "Release", command::ReleaseMemory{1, "x"});
  notices.add(Tone::plain, "x is held.", "Release", command::ReleaseMemory{2, "x"});
  REQUIRE(notices.all().size() == 1);
  CHECK(std::get<command::ReleaseMemory>(*notices.all()[0].command).lease == 2);
  CHECK(notices.logged().size() == 1);
}

TEST_CASE("the way to release what stays held goes with the lease, or with its process", "[app][notices]") {
  Notices notices;
  for (std::uint64_t lease : {1U, 2U, 3U})
    notices.offer(Tone::plain, "x is held.", "Release", command::ReleaseMemory{lease, "x"});
  notices.offer(Tone::accent, "The text was put aside.", "Restore", command::RestoreText{1});
  notices.clear();
  CHECK(notices.all().size() == 4);
  notices.lease_ended(2);
  REQUIRE(notices.all().size() == 3);
  CHECK(std::get<command::ReleaseMemory>(*notices.all()[1].command).lease == 3);
  notices.lease_ended(0);
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all()[0].text == "The text was put aside.");
}

TEST_CASE("two ways back with the same words are two, and other notices do not push them out", "[app][notices]") {
  Notices notices;
  notices.offer(Tone::accent, "The text was put aside.", "Restore", command::RestoreText{1});
  notices.offer(Tone::accent, "The text was put aside.", "Restore", command::RestoreText{2});
  for (std::size_t i = 0; i < Notices::kMax; ++i) notices.add(Tone::plain, "note " + std::to_string(i));
  REQUIRE(notices.all().size() == Notices::kMax);
  CHECK(std::get<command::RestoreText>(*notices.all()[0].command).id == 1);
  CHECK(std::get<command::RestoreText>(*notices.all()[1].command).id == 2);
  CHECK(notices.all()[2].text == "note 2");
}

TEST_CASE("a question has room beside all that stays, and goes after what only tells something", "[app][notices]") {
  Notices notices;
  for (std::size_t i = 0; i < Notices::kMax; ++i)
    notices.offer(Tone::accent, "text " + std::to_string(i), "Restore", command::RestoreText{i});
  notices.add(Tone::bad, "It would be lost.", "Close without saving", command::Quit{});
  for (std::size_t i = 0; i < Notices::kMax; ++i) {
    notices.add(Tone::plain, "note " + std::to_string(i));
    REQUIRE(notices.all().back().text == "note " + std::to_string(i));  // the newest is seen
  }
  CHECK(notices.all().size() == Notices::kMax + Notices::kAlwaysRoomFor);
  CHECK(notices.take_question<command::Quit>().has_value());
  // Of questions alone the oldest goes; what stays is not pushed out by any of them.
  for (std::uint64_t i = 0; i < Notices::kMax; ++i)
    notices.add(Tone::warn, "question " + std::to_string(i), "Kill", command::KillHost{});
  CHECK(notices.all().back().text == "question 7");
  CHECK(std::ranges::count(notices.all(), true, &Notice::stays) == static_cast<std::ptrdiff_t>(Notices::kMax));
  notices.offer(Tone::accent, "text 8", "Restore", command::RestoreText{8});
  CHECK(std::get<command::RestoreText>(*notices.all()[0].command).id == 1);
}

TEST_CASE("what goes on being so is shown until it is over, whatever else is told or offered", "[app][notices]") {
  Notices notices;
  const std::uint64_t id = notices.keep(Tone::warn, "It is stopped.");
  for (std::size_t i = 0; i < Notices::kMax * 2; ++i) {
    notices.offer(Tone::accent, "text " + std::to_string(i), "Restore", command::RestoreText{i});
    notices.add(Tone::plain, "note " + std::to_string(i));
  }
  notices.clear();
  REQUIRE(notices.all().size() == Notices::kMax);
  CHECK(notices.all()[0].text == "It is stopped.");
  notices.dismiss(id);
  CHECK(std::ranges::find(notices.all(), id, &Notice::id) == notices.all().end());
}

}  // namespace dlscope::app
