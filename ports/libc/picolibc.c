// The names under which picolibc asks for files, the heap and the end, and its standard streams.
#include <stdio.h>
#include <sys/stat.h>

#include "files.h"
#include "ports/port.h"

int open(const char *path, int flags, ...);
int close(int file);
ssize_t read(int file, void *to, size_t bytes);
ssize_t write(int file, const void *from, size_t bytes);
off_t lseek(int file, off_t offset, int origin);
void *sbrk(ptrdiff_t bytes);
int kill(int process, int signal);
int getpid(void);
void _exit(int code);

static int put(char c, FILE *stream) {
  (void)stream;
  port_file_print(&c, 1);
  return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

int open(const char *path, int flags, ...) {
  (void)flags;
  return port_file_open(path);
}

int close(int file) { return port_file_close(file); }

ssize_t read(int file, void *to, size_t bytes) { return port_file_read(file, to, bytes); }

ssize_t write(int file, const void *from, size_t bytes) {
  (void)file;
  return port_file_print(from, bytes);
}

off_t lseek(int file, off_t offset, int origin) {
  return port_file_seek(file, (long)offset, origin);
}

int stat(const char *path, struct stat *info) {
  *info = (struct stat){.st_mode = S_IFDIR};
  if (port_file_is_folder(path)) return 0;
  const int file = port_file_open(path);
  if (file < 0) return -1;
  *info = (struct stat){.st_mode = S_IFREG, .st_size = port_file_bytes(file)};
  return port_file_close(file);
}

void *sbrk(ptrdiff_t bytes) { return port_heap_grow(bytes); }

int kill(int process, int signal) {
  (void)process;
  port_exit(128 + signal);
}

int getpid(void) { return 1; }

void _exit(int code) { port_exit(code); }
