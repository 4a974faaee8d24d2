// Bare-metal C libraries know no folders: scandir() finds none. Programs name each file instead.
#ifndef ARENITE_PORTS_LIBC_DIRENT_H
#define ARENITE_PORTS_LIBC_DIRENT_H

struct dirent {
  char d_name[256];
};

static inline int alphasort(const struct dirent **a, const struct dirent **b) {
  (void)a;
  (void)b;
  return 0;
}

static inline int scandir(const char *path, struct dirent ***entries,
                          int (*wanted)(const struct dirent *),
                          int (*order)(const struct dirent **, const struct dirent **)) {
  (void)path;
  (void)entries;
  (void)wanted;
  (void)order;
  return -1;
}

#endif
