// Up to 3.13 an ending interpreter answers a thread that asks for the GIL with pthread_exit (from 3.14 on the thread sleeps). In
// the code of a producer, that call is below frames of ours, and unwinding these would run destructors that need the GIL, or end
// the process when the unwinder is not the one our frames were linked with. A cleanup handler of C stops the unwinding before it
// reaches our frames: it is entered by longjmp. C++ supports such handlers only without exceptions, so CMakeLists.txt compiles
// this file without them.
#include "embed/foreign_calls.h"

#include <pthread.h>
#include <unistd.h>

#include "embed/python_api.h"

#ifdef __EXCEPTIONS
#error "pthread_cleanup_push would be a C++ destructor: compile this file with -fno-exceptions"
#endif

namespace dlscope::embed {

extern "C" {
int get_buffer(PyObject* object, BufferView* view, int flags) __asm__("PyObject_GetBuffer");
void release_buffer(BufferView* view) __asm__("PyBuffer_Release");
PyObject* call_no_args(PyObject* callable) __asm__("PyObject_CallNoArgs");
PyObject* call_method(PyObject* name, PyObject* const* args, std::size_t count,
                      PyObject* keyword_names) __asm__("PyObject_VectorcallMethod");
}

void sleep_for_ever(void*) {
  for (;;) pause();
}

int dlscope_get_buffer(PyObject* object, BufferView* view, int flags) {
  int got = -1;
  pthread_cleanup_push(sleep_for_ever, nullptr);
  got = get_buffer(object, view, flags);
  pthread_cleanup_pop(0);
  return got;
}

void dlscope_release_buffer(BufferView* view) {
  pthread_cleanup_push(sleep_for_ever, nullptr);
  release_buffer(view);
  pthread_cleanup_pop(0);
}

PyObject* dlscope_call_no_args(PyObject* callable) {
  PyObject* result = nullptr;
  pthread_cleanup_push(sleep_for_ever, nullptr);
  result = call_no_args(callable);
  pthread_cleanup_pop(0);
  return result;
}

PyObject* dlscope_call_method(PyObject* name, PyObject* const* args, std::size_t count, PyObject* keyword_names) {
  PyObject* result = nullptr;
  pthread_cleanup_push(sleep_for_ever, nullptr);
  result = call_method(name, args, count, keyword_names);
  pthread_cleanup_pop(0);
  return result;
}

PyObject* dlscope_call(PyObject* callable, PyObject* args, PyObject* keywords) {
  PyObject* result = nullptr;
  pthread_cleanup_push(sleep_for_ever, nullptr);
  result = PyObject_Call(callable, args, keywords);
  pthread_cleanup_pop(0);
  return result;
}

PyObject* dlscope_get_attribute(PyObject* object, const char* name) {
  PyObject* result = nullptr;
  pthread_cleanup_push(sleep_for_ever, nullptr);
  result = PyObject_GetAttrString(object, name);
  pthread_cleanup_pop(0);
  return result;
}

#ifdef __GLIBC__
// As the macros of pthread.h, but with the buffer in a frame that is still there when the deleter throws.
void call_deleter(CleanupRoom& room, void (*deleter)(void*), void* managed) {
  static_assert(sizeof(__pthread_unwind_buf_t) <= sizeof room.bytes);
  auto* const buffer = reinterpret_cast<__pthread_unwind_buf_t*>(room.bytes);
  if (__sigsetjmp_cancel(buffer->__cancel_jmp_buf, 0) != 0) sleep_for_ever(nullptr);
  __pthread_register_cancel(buffer);
  deleter(managed);
  __pthread_unregister_cancel(buffer);
}
void forget_cleanup(CleanupRoom& room) { __pthread_unregister_cancel(reinterpret_cast<__pthread_unwind_buf_t*>(room.bytes)); }
#else
void call_deleter(CleanupRoom&, void (*deleter)(void*), void* managed) { deleter(managed); }
void forget_cleanup(CleanupRoom&) {}
#endif

void drop_reference(PyObject* object) {
  if (Py_REFCNT(object) > 1) {
    Py_DECREF(object);
    return;
  }
  pthread_cleanup_push(sleep_for_ever, nullptr);
  Py_DECREF(object);
  pthread_cleanup_pop(0);
}

}  // namespace dlscope::embed
