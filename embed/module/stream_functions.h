// dlscope.stream_trace() and save_stream_trace(): what the hand-overs of this process did about streams, in the format of
// docs/stream-traces.md.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* stream_trace_function(PyObject* module, PyObject* args, PyObject* keywords);
PyObject* save_stream_trace_function(PyObject* module, PyObject* path);
extern const char* const kStreamTraceDoc;
extern const char* const kSaveStreamTraceDoc;

// (producer, arguments, keywords, consumer's name, device) -> producer.__dlpack__(*arguments, **keywords),
// recorded as a hand-over. device: (type, id) as claimed by the producer; (-1, 0): it was not asked.
PyObject* noted_dlpack(PyObject* module, PyObject* args);
// How many copies dlscope itself has made on this thread.
PyObject* copies_made(PyObject* module, PyObject*);
// (function) -> function(), without recording its calls of __dlpack__ and its copies: a trial run with dlscope's own data.
PyObject* rehearse(PyObject* module, PyObject* function);

}  // namespace dlscope::embed
