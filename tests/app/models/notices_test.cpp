#include "app/models/actions/notices.h"

#include <catch2/catch_test_macros.hpp>

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

}  // namespace dlscope::app
