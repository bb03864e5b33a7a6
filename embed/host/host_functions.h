// The functions of `_dlscope` that only a host process uses (host_attach, host_next, ...): the Python side of the host,
// python/dlscope/_host.py, drives HostService through them.
#pragma once

// As Python.h declares it; so that this header needs no Python.h.
struct PyMethodDef;

namespace dlscope::embed {

// Tables ended by an all-zero entry, static storage; the module adds them with PyModule_AddFunctions.
[[nodiscard]] PyMethodDef* host_methods();
[[nodiscard]] PyMethodDef* host_act_methods();
[[nodiscard]] PyMethodDef* host_event_methods();
[[nodiscard]] PyMethodDef* host_process_methods();
[[nodiscard]] PyMethodDef* host_scan_methods();
[[nodiscard]] PyMethodDef* host_stop_methods();

}  // namespace dlscope::embed
