#include "core/wire/remembered_answer.h"

#include "core/wire/answer_payload.h"

namespace dlscope::core::wire {

std::string encode(const std::vector<WaitingCopy>& copies) {
  PayloadWriter out;
  put_list(out, copies, kMaxWaitingCopies, [&](const WaitingCopy& copy) {
    for (const std::uint64_t number : {copy.id, copy.revision, copy.begin, copy.at, copy.size, copy.check}) out.number(number);
    out.number(copy.tensor);
    out.flag(copy.hashed);
    out.number(static_cast<std::uint8_t>(copy.ran));
    put_capped(out, copy.name, kMaxWaitingTextBytes);
    put_capped(out, copy.why_not, kMaxWaitingTextBytes);
  });
  return as_text(out.take());
}

Result<std::vector<WaitingCopy>> decode_waiting_copies(std::string_view bytes) {
  PayloadReader in(std::as_bytes(std::span(bytes)));
  std::vector<WaitingCopy> copies;
  get_list(in, copies, kMaxWaitingCopies, [&] {
    WaitingCopy copy;
    for (std::uint64_t* const number : {&copy.id, &copy.revision, &copy.begin, &copy.at, &copy.size, &copy.check})
      *number = in.number<std::uint64_t>();
    copy.tensor = in.number<std::uint32_t>();
    copy.hashed = in.flag();
    copy.ran = in.choice(RanMeanwhile::unknown);
    copy.name = get_repaired(in, kMaxWaitingTextBytes + 64);
    copy.why_not = get_repaired(in, kMaxWaitingTextBytes + 64);
    return copy;
  });
  return checked(std::move(copies), in);
}

}  // namespace dlscope::core::wire
