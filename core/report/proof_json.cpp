// PROOF of docs/report.md.
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/report/record_json.h"
#include "core/report/report.h"

namespace dlscope::core {
namespace {

void put_hash(JsonWriter& json, const char* key, const std::optional<std::uint64_t>& hash) {
  json.key(key);
  if (hash) return json.value(fmt::format("{:#018x}", *hash));
  json.null();
}

void put_text(JsonWriter& json, const char* key, std::string_view text) {
  json.key(key);
  if (text.empty()) return json.null();
  json.value(text);
}

// One of the two tensors of a proof's step, with the keys that TENSOR has.
void put_side(JsonWriter& json, const ProofSide& side) {
  json.begin_object();
  put_text(json, "library", side.library);
  put_text(json, "version", side.version);
  put_text(json, "dtype", side.dtype);
  put_text(json, "protocol", protocol_name(side.protocol));
  put_text(json, "capsule", capsule_kind_name(side.capsule));
  put_text(json, "given_by", given_by_name(side.given_by));
  json.key("dlpack_version");
  put_version(json, side.version_major, side.version_minor);
  json.key("extent");
  put_range(json, side.extent);
  json.key("flags");
  put_flags(json, side.read_only, side.is_copied, side.subbyte_padded);
  json.key("unknown_flags");
  if (side.unknown_flags != 0) {
    json.value(hex(side.unknown_flags));
  } else {
    json.null();
  }
  put_hash(json, "hash_before", side.hash_before);
  put_hash(json, "hash_after", side.hash_after);
  json.end_object();
}

void put_address(JsonWriter& json, const char* key, const std::optional<Address>& address) {
  json.key(key);
  if (address) return json.value(hex(*address));
  json.null();
}

}  // namespace

void put_proof(JsonWriter& json, const Proof& proof) {
  json.begin_object();
  json.field("verdict", hand_over_name(proof.verdict));
  json.key("steps");
  json.begin_array();
  for (const ProofStep& step : proof.steps) {
    json.begin_object();
    json.field("from", step.from);
    json.field("to", step.to);
    json.field("verdict", hand_over_name(step.verdict));
    json.field("relation", relation_name(step.relation));
    json.key("shared_bytes");
    put_size(json, step.shared_bytes);
    put_address(json, "from_address", step.from_address);
    put_address(json, "to_address", step.to_address);
    json.field("probe", probe_name(step.probe));
    json.key("writability");
    json.begin_array();
    json.value(step.from_writability);
    json.value(step.to_writability);
    json.end_array();
    json.key("evidence");
    json.begin_array();
    put_side(json, step.from_side);
    put_side(json, step.to_side);
    json.end_array();
    json.field("why", step.why);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::string proof_json(const Proof& proof) {
  std::string text;
  const JsonSink sink = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  JsonWriter json(sink);
  put_proof(json, proof);
  static_cast<void>(json.finish());
  return text;
}

}  // namespace dlscope::core
