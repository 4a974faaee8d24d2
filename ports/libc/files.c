#include "files.h"

#include <string.h>

#include "ports/port.h"

#define FIRST_FILE 3
#define MAX_FILES 8
#define MAX_PATH 512
#define MODE_READ_BINARY 1
#define SEEK_FROM_END 2
#define SEEK_FROM_HERE 1

extern char port__heap[], port__heap_end[];

// What the debugger knows a file by, and where it is read next. handle 0: free.
struct file {
  intptr_t handle;
  long at;
};

static struct file files[MAX_FILES];

static struct file *find(int file) {
  const int i = file - FIRST_FILE;
  return i >= 0 && i < MAX_FILES && files[i].handle != 0 ? &files[i] : NULL;
}

static intptr_t open_path(const char *path, uintptr_t mode) {
  const uintptr_t block[3] = {(uintptr_t)path, mode, strlen(path)};
  return port__semihost(PORT_SYS_OPEN, block);
}

static void close_handle(intptr_t handle) {
  const uintptr_t block[1] = {(uintptr_t)handle};
  (void)port__semihost(PORT_SYS_CLOSE, block);
}

int port_file_open(const char *path) {
  for (int i = 0; i < MAX_FILES; i++) {
    if (files[i].handle != 0) continue;
    const intptr_t handle = open_path(path, MODE_READ_BINARY);
    if (handle == -1) return -1;
    files[i] = (struct file){handle, 0};
    return FIRST_FILE + i;
  }
  return -1;
}

int port_file_close(int file) {
  struct file *f = find(file);
  if (f == NULL) return -1;
  close_handle(f->handle);
  f->handle = 0;
  return 0;
}

int port_file_read(int file, void *to, size_t bytes) {
  struct file *f = find(file);
  if (f == NULL) return -1;
  const uintptr_t block[3] = {(uintptr_t)f->handle, (uintptr_t)to, bytes};
  const intptr_t left = port__semihost(PORT_SYS_READ, block);
  if (left < 0 || (size_t)left > bytes) return -1;
  const size_t got = bytes - (size_t)left;
  f->at += (long)got;
  return (int)got;
}

long port_file_bytes(int file) {
  struct file *f = find(file);
  if (f == NULL) return -1;
  const uintptr_t block[1] = {(uintptr_t)f->handle};
  return (long)port__semihost(PORT_SYS_FLEN, block);
}

long port_file_seek(int file, long offset, int origin) {
  struct file *f = find(file);
  if (f == NULL) return -1;
  if (origin == SEEK_FROM_END) offset += port_file_bytes(file);
  if (origin == SEEK_FROM_HERE) offset += f->at;
  const uintptr_t block[2] = {(uintptr_t)f->handle, (uintptr_t)offset};
  if (offset < 0 || port__semihost(PORT_SYS_SEEK, block) != 0) return -1;
  f->at = offset;
  return offset;
}

// Only a folder has an entry "." in it.
bool port_file_is_folder(const char *path) {
  char inside[MAX_PATH];
  const size_t length = strlen(path);
  if (length + 3 > sizeof inside) return false;
  memcpy(inside, path, length);
  memcpy(inside + length, "/.", 3);
  const intptr_t handle = open_path(inside, MODE_READ_BINARY);
  if (handle == -1) return false;
  close_handle(handle);
  return true;
}

int port_file_print(const void *text, size_t bytes) {
  const char *from = text;
  char line[129];
  for (size_t left = bytes; left > 0;) {
    const size_t count = left < sizeof line - 1 ? left : sizeof line - 1;
    memcpy(line, from, count);
    line[count] = '\0';
    port_put(line);
    from += count;
    left -= count;
  }
  return (int)bytes;
}

void *port_heap_grow(ptrdiff_t bytes) {
  static char *end = port__heap;
  char *before = end;
  if (bytes > port__heap_end - end || bytes < port__heap - end) return (void *)-1;
  end += bytes;
  return before;
}

uint32_t port_clock(void) { return (uint32_t)port__semihost(PORT_SYS_CLOCK, NULL); }

int port_arguments(char **words, int most) {
  static char line[1024];
  const uintptr_t block[2] = {(uintptr_t)line, sizeof line};
  int count = 0;
  if (port__semihost(PORT_SYS_GET_CMDLINE, block) != 0) return 0;
  char *at = line;
  while (*at != '\0' && count < most) {
    words[count++] = at;
    while (*at != '\0' && *at != ' ') at++;
    while (*at == ' ') *at++ = '\0';
  }
  return count;
}
