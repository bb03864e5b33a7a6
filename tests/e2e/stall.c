/* For LD_PRELOAD: the call named in E2E_STALLS never returns for what is in a folder or file "stalled", as when a network file
   system does not answer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void stall_if(const char* call, const char* path) {
  const char* const named = getenv("E2E_STALLS");
  if (named == NULL || strcmp(named, call) != 0 || strstr(path, "stalled") == NULL) return;
  for (;;) pause();
}

ssize_t pread(int fd, void* to, size_t bytes, off_t from) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) > 0) stall_if("pread", path);
  ssize_t (*const next)(int, void*, size_t, off_t) = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  return next(fd, to, bytes, from);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0) stall_if("open", path);
  int (*const next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}

int stat(const char* path, struct stat* out) {
  stall_if("stat", path);
  int (*const next)(const char*, struct stat*) = (int (*)(const char*, struct stat*))dlsym(RTLD_NEXT, "stat");
  return next(path, out);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec* to, unsigned long to_count, const struct iovec* from,
                         unsigned long from_count, unsigned long flags) {
  stall_if("process_vm_readv", "stalled");
  ssize_t (*const next)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long, unsigned long) =
      (ssize_t(*)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long, unsigned long))dlsym(
          RTLD_NEXT, "process_vm_readv");
  return next(pid, to, to_count, from, from_count, flags);
}
