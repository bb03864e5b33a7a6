#include "app/host/host_event_queue.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "core/wire/messages.h"
#include "core/wire/raw_message.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

}  // namespace

TEST_CASE("events of every kind fill the queue by the size of their messages", "[app][host]") {
  const auto pushed_until_full = [](const HostEvent& event, std::size_t message_bytes) {
    HostEventQueue queue({});
    std::size_t pushed = 0;
    for (; !queue.full() && pushed < 1000; ++pushed) queue.push(event, message_bytes);
    bool freed = false;
    CHECK(queue.drain(freed).size() == pushed);
    CHECK_FALSE(queue.full());
    return pushed;
  };
  const std::string text(kMiB, 'x');
  HostPart part{.id = 1, .part = core::Statistics{}};
  HostReady ready;
  ready.hello.prefix = text;
  CHECK(pushed_until_full(part, kMiB) <= 64);
  CHECK(pushed_until_full(HostWorkEnded{.id = 1, .outcome = {}, .message = text, .result = {}}, kMiB) <= 64);
  CHECK(pushed_until_full(HostScanFinished{.request = 0, .result = {}, .message = text}, kMiB) <= 64);
  CHECK(pushed_until_full(ready, kMiB) <= 64);
  CHECK(pushed_until_full(HostNotice{text}, core::wire::kMaxMessageBytes) <= 17);
  CHECK(pushed_until_full(HostRunStarted{1}, 8) == 1000);  // small ones
}

}  // namespace dlscope::app
