// Every reader of this process's memory, while another thread unmaps, protects, moves and truncates it, and where its pages come
// late or never: what is said to be read is right, the rest is a short count, and nothing crashes or hangs.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/memory/deadline_reader.h"
#include "core/memory/process_pages.h"
#include "core/memory/prompt_reader.h"
#include "core/memory/self_copy_reader.h"
#include "embed/own_memory.h"
#include "tests/support/hostile_reading.h"

using namespace dlscope;
using namespace dlscope::core;
using namespace dlscope::tests;
using namespace std::chrono_literals;

namespace {

constexpr int kRounds = 400;

struct NamedReader {
  const char* name;
  std::shared_ptr<const MemoryReader> reader;
  bool in_time;  // it waits for no page longer than a while
};

// give_up: how long those that have a time limit wait for a page.
std::vector<NamedReader> all_readers(std::chrono::milliseconds give_up) {
  const std::shared_ptr<const MemoryReader> process = process_reader(0).value();
  DeadlineOptions options;
  options.patience = options.give_up = give_up;
  options.pages = std::make_shared<ProcessPages>(0);
  const DeadlineReader deadline(process, options);
  return {{"process", process, false},
          {"self-copy", std::make_shared<SelfCopyReader>(process), false},
          {"deadline", std::make_shared<DeadlineReader>(deadline), true},
          {"prompt", std::make_shared<PromptReader>(process, deadline), true},
          {"timed, as scans and the module read",
           std::shared_ptr<const MemoryReader>(&embed::own_memory(), [](const auto*) {}), true}};
}

template <class Racing>
void read_with_all(Racing& area) {
  const std::vector<NamedReader> readers = all_readers(60s);
  for (const NamedReader& each : readers) {
    INFO(each.name);
    const Readings readings = read_in_a_race(*each.reader, area, kRounds);
    CHECK(readings.whole > 0);
  }
  area.stop();
  for (const NamedReader& each : readers) {
    INFO(each.name);
    check_whole(*each.reader, area);
  }
}

}  // namespace

TEST_CASE("memory that is unmapped, protected and moved while it is read is read right or not at all", "[memory]") {
  RacingMapping area(RacingMapping::Of::memory);
  read_with_all(area);
}

TEST_CASE("so is a mapped file that is unmapped, protected and moved", "[memory]") {
  RacingMapping area(RacingMapping::Of::file);
  read_with_all(area);
}

TEST_CASE("so is a mapped file that gets shorter and is written again", "[memory]") {
  TruncatedFile area;
  read_with_all(area);
}

TEST_CASE("pages that come late are waited for by every reader", "[memory][slow]") {
  if (!SlowPages::may_be_used()) SKIP("this user may not use userfaultfd");
  for (std::size_t i = 0; i < all_readers(60s).size(); ++i) {
    SlowPages area(SlowPages::Serve::late);
    const std::vector<NamedReader> readers = all_readers(60s);
    INFO(readers[i].name);
    std::mt19937 random(5);
    Readings readings;
    for (int round = 0; round < 20; ++round) read_once(*readers[i].reader, area, random, readings);
    CHECK(readings.short_ones == 0);
    check_whole(*readers[i].reader, area);
  }
}

TEST_CASE("pages that never come cost the readers with a time limit only these pages", "[memory][slow]") {
  if (!SlowPages::may_be_used()) SKIP("this user may not use userfaultfd");
  for (std::size_t i = 0; i < all_readers(50ms).size(); ++i) {
    SlowPages area(SlowPages::Serve::never);
    const std::vector<NamedReader> readers = all_readers(50ms);
    if (!readers[i].in_time) continue;
    INFO(readers[i].name);
    const MemoryReader& reader = *readers[i].reader;
    for (const std::size_t page : {0, 1, 2, 9, 10}) area.put(page);
    std::vector<std::byte> out(6 * PatternArea::kPage);
    CHECK(reader.read(area.begin(), out) == 3 * PatternArea::kPage);
    CHECK(area.is_right(area.begin(), std::span(out).first(3 * PatternArea::kPage)));
    CHECK(reader.last_status() == MemoryReader::ReadStatus::hung);
    std::array<MemoryReader::Probed, 4> found{};
    reader.probe_each(std::array{area.begin() + 5, area.begin() + 3 * PatternArea::kPage, area.begin() + 9 * PatternArea::kPage,
                                 area.begin() + 20 * PatternArea::kPage},
                      found);
    CHECK((found[0] == MemoryReader::Probed::readable && found[2] == MemoryReader::Probed::readable));
    for (const std::size_t missing : {1, 3}) {
      CHECK((found[missing] == MemoryReader::Probed::hung || found[missing] == MemoryReader::Probed::skipped));
    }
    area.let_go();
  }
}
