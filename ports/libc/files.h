// Files, heap and the command line by semihosting, for programs that want a whole C library: the
// tests. The C library's own names for these are in newlib.c and picolibc.c.
#ifndef ARENITE_PORTS_LIBC_FILES_H
#define ARENITE_PORTS_LIBC_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a file for reading (the tests write none). Returns a number >= 3, or -1.
int port_file_open(const char *path);
int port_file_close(int file);

// Returns the bytes read, 0 at the end, or -1.
int port_file_read(int file, void *to, size_t bytes);

// Moves to a position (origin as in lseek). Returns it, or -1.
long port_file_seek(int file, long offset, int origin);

// Returns the bytes of the file, or -1.
long port_file_bytes(int file);

// Says whether the path is a folder.
bool port_file_is_folder(const char *path);

// Writes to the console.
int port_file_print(const void *text, size_t bytes);

// Grows the heap; returns its old end, or (void *)-1.
void *port_heap_grow(ptrdiff_t bytes);

// Hundredths of a second since the start, of the machine that debugs or simulates.
uint32_t port_clock(void);

// Splits the command line into words (no quoting). Returns their count; at most `most`.
int port_arguments(char **words, int most);

#endif
