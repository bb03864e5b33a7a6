/* A loop in C that never looks at Python: how a library call that hangs looks from outside. */
#include <stddef.h>
#include <time.h>

void spin(void) {
  for (;;) {
    const struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
  }
}

/* Smashes the stack by calling itself until there is no more of it. */
int recurse(volatile int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return recurse(depth + 1) + frame[0];
}

/* A fault in a function that is exported, and in one that only the full symbol table names. */
static void write_one(volatile int* at) { *at = 1; }

void write_through(volatile int* at) { write_one(at); }
