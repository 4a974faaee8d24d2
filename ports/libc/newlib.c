// The names under which newlib asks for files, the heap and the end.
#include <errno.h>
#include <malloc.h>
#include <sys/stat.h>

#include "files.h"
#include "ports/port.h"

int _open(const char *path, int flags, int mode);
int _close(int file);
int _read(int file, void *to, size_t bytes);
int _write(int file, const void *from, size_t bytes);
long _lseek(int file, long offset, int origin);
int _fstat(int file, struct stat *info);
int _stat(const char *path, struct stat *info);
int _isatty(int file);
void *_sbrk(ptrdiff_t bytes);
int posix_memalign(void **block, size_t alignment, size_t bytes);
int _kill(int process, int signal);
int _getpid(void);
void _exit(int code);

int _open(const char *path, int flags, int mode) {
  (void)flags;
  (void)mode;
  return port_file_open(path);
}

int _close(int file) { return port_file_close(file); }

int _read(int file, void *to, size_t bytes) { return port_file_read(file, to, bytes); }

int _write(int file, const void *from, size_t bytes) {
  (void)file;
  return port_file_print(from, bytes);
}

long _lseek(int file, long offset, int origin) { return port_file_seek(file, offset, origin); }

int _fstat(int file, struct stat *info) {
  *info = (struct stat){.st_mode = file < 3 ? S_IFCHR : S_IFREG};
  if (file >= 3) info->st_size = port_file_bytes(file);
  return 0;
}

int _stat(const char *path, struct stat *info) {
  *info = (struct stat){.st_mode = S_IFDIR};
  if (port_file_is_folder(path)) return 0;
  const int file = port_file_open(path);
  if (file < 0) return -1;
  _fstat(file, info);
  return port_file_close(file);
}

int _isatty(int file) { return file < 3; }

void *_sbrk(ptrdiff_t bytes) { return port_heap_grow(bytes); }

// aligned_alloc() asks for it.
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}

int _kill(int process, int signal) {
  (void)process;
  port_exit(128 + signal);
}

int _getpid(void) { return 1; }

void _exit(int code) { port_exit(code); }
