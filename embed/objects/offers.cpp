#include "embed/objects/offers.h"

namespace dlscope::embed {

std::optional<std::array<ProtocolAnswer, 4>> ask_every_protocol(PyObject* object, TypeFacts& facts, AskedBy asked_by,
                                                                Describer& describer) {
  constexpr std::array<unsigned, 4> kBits{kAskDlpack, kAskBuffer, kAskArrayInterface, kAskCudaArrayInterface};
  std::array<ProtocolAnswer, 4> answers{
      {{"dlpack", {}, {}, {}}, {"buffer", {}, {}, {}}, {"array_interface", {}, {}, {}}, {"cuda_array_interface", {}, {}, {}}}};
  const unsigned offers = Describer::offered(object, facts, AskedBy::request);
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  for (std::size_t i = 0; i < kBits.size(); ++i) {
    Description description;
    ProtocolAnswer& answer = answers[i];
    answer.offered = (offers & kBits[i]) != 0;
    answer.accepted = answer.offered && describer.try_one(kBits[i], object, facts, asked_by, description);
    if (PyErr_Occurred() != nullptr) return std::nullopt;
    if (!answer.accepted && !description.refusals.empty()) answer.refusal = description.refusals.back();
  }
  return answers;
}

}  // namespace dlscope::embed
