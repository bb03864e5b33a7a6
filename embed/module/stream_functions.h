// dlscope.stream_trace() and save_stream_trace(): what the hand-overs of this process did about streams, as docs/stream-traces.md writes it.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* stream_trace_function(PyObject* module, PyObject* args, PyObject* keywords);
PyObject* save_stream_trace_function(PyObject* module, PyObject* path);
extern const char* const kStreamTraceDoc;
extern const char* const kSaveStreamTraceDoc;

// Of the exchange view: (producer, arguments, keywords, consumer's name, device) -> producer.__dlpack__(*arguments, **keywords), noted as a
// hand-over. device: (type, id) as the producer has claimed it, (-1, 0) where nobody asked.
PyObject* noted_dlpack(PyObject* module, PyObject* args);
// (function) -> function(), whose calls of __dlpack__ are not noted: a rehearsal of ours.
PyObject* unrecorded_streams(PyObject* module, PyObject* function);

}  // namespace dlscope::embed
