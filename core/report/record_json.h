// Writes one record as one JSON object: TENSOR, GROUP and PAIR of docs/report.md. thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/inventory/proof.h"
#include "core/inventory/snapshot.h"
#include "core/report/json_writer.h"

namespace dlscope::core {

// held: whether dlscope has a lease on it.
void put_tensor(JsonWriter& json, const Snapshot& s, const TensorRecord& tensor, bool held);
void put_group(JsonWriter& json, const Snapshot& s, const GroupRecord& group);
// probe: probe_name() of the write probe's result; "": the pair was not probed.
void put_pair(JsonWriter& json, const Snapshot& s, const PairRecord& pair, std::string_view probe = {});

// The object that dlscope.prove() returns: {"verdict", "steps": [...]}.
void put_proof(JsonWriter& json, const Proof& proof);
[[nodiscard]] std::string proof_json(const Proof& proof);  // the same as a JSON text

// Used by the rest of the report, too.
void put_size(JsonWriter& json, std::uint64_t size_or_unknown);    // null for kUnknown64
void put_text(JsonWriter& json, const Snapshot& s, TextRef text);  // null when empty
void put_reason(JsonWriter& json, UnknownWhy why);                 // null for none
void put_device(JsonWriter& json, DeviceId device);
void put_range(JsonWriter& json, const std::optional<ByteRange>& range);  // null for nullopt
void put_flags(JsonWriter& json, Tri read_only, Tri is_copied, Tri subbyte_padded);
void put_version(JsonWriter& json, std::uint16_t major, std::uint16_t minor);  // of a DLPack struct; null for 0, 0: it says none

}  // namespace dlscope::core
