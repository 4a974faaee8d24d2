#include "host/io/npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"

#define HEADER_START 10u

static bool is_npy(const char *path) {
  const size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

// NumPy's name of a type, or NULL.
static const char *descr_of(arn_type type) {
  switch (type) {
    case ARN_FLOAT32: return "<f4";
    case ARN_FLOAT16: return "<f2";
    case ARN_FLOAT64: return "<f8";
    case ARN_INT8: return "|i1";
    case ARN_UINT8: return "|u1";
    case ARN_BOOL: return "|b1";
    case ARN_INT16: return "<i2";
    case ARN_UINT16: return "<u2";
    case ARN_INT32: return "<i4";
    case ARN_UINT32: return "<u4";
    case ARN_INT64: return "<i8";
    case ARN_UINT64: return "<u8";
    default: return NULL;
  }
}

// Finds 'key': in the header's dictionary; returns what follows, or NULL.
static const char *value_of(const char *header, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *at = strstr(header, quoted);
  if (at == NULL) return NULL;
  at += strlen(quoted);
  while (*at == ' ') at++;
  return at;
}

static const char *check_shape(const char *shape, const arn_tensor_view *t) {
  uint64_t count = 1;
  uint32_t rank = 0;
  bool same = true;
  for (shape++; *shape && *shape != ')'; shape++) {
    if (*shape < '0' || *shape > '9') continue;
    char *end;
    const unsigned long long dim = strtoull(shape, &end, 10);
    if (rank >= t->rank || dim != (unsigned long long)t->dims[rank]) same = false;
    if (dim > 0 && count > UINT32_MAX / dim) return "the shape in the .npy file is too large";
    count *= dim;
    rank++;
    shape = end - 1;
  }
  const uint32_t element = arn_type_bytes(t->type);
  if (element == 0 || count * element != t->bytes) {
    return "the shape in the .npy file does not match";
  }
  return same || count == 1 ? NULL : "the shape in the .npy file does not match";
}

static const char *check_header(const char *header, const arn_tensor_view *t) {
  const char *descr = value_of(header, "descr"), *order = value_of(header, "fortran_order");
  const char *shape = value_of(header, "shape"), *want = descr_of(t->type);
  if (!descr || !order || !shape || *descr != '\'' || *shape != '(') {
    return "the .npy header is malformed";
  }
  if (want == NULL || strncmp(descr + 1, want, 3) != 0) return "the type in the .npy file differs";
  if (strncmp(order, "False", 5) != 0) return "the .npy file is in Fortran order";
  return check_shape(shape, t);
}

static const char *read_npy(const uint8_t *file, size_t size, const arn_tensor_view *t) {
  char header[1024];
  if (size < HEADER_START || memcmp(file, "\x93NUMPY", 6) != 0) return "this is no .npy file";
  if (file[6] != 1) return "the .npy format version is not 1";
  const size_t length = file[8] | (size_t)file[9] << 8;
  if (length >= sizeof header || length > size - HEADER_START) {
    return "the .npy header is malformed";
  }
  memcpy(header, file + HEADER_START, length);
  header[length] = '\0';
  const char *wrong = check_header(header, t);
  if (wrong) return wrong;
  if (size - HEADER_START - length != t->bytes) return "the .npy file has the wrong size";
  memcpy(t->data, file + HEADER_START + length, t->bytes);
  return NULL;
}

const char *host_tensor_read(const char *path, const arn_tensor_view *t) {
  size_t size;
  uint8_t *file = host_read_file(path, &size);
  if (file == NULL) return strerror(errno);
  const char *wrong = NULL;
  if (is_npy(path)) {
    wrong = read_npy(file, size, t);
  } else if (size != t->bytes) {
    wrong = "the file's size is not that of the tensor";
  } else {
    memcpy(t->data, file, size);
  }
  free(file);
  return wrong;
}

static size_t npy_header(const arn_tensor_view *t, char *header, size_t size) {
  char shape[128] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%d, ", t->dims[i]);
  }
  const int length = snprintf(header + HEADER_START, size - HEADER_START,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                              descr_of(t->type), shape);
  size_t total = HEADER_START + (size_t)length + 1;
  const size_t padded = (total + 63) & ~(size_t)63;
  memset(header + total - 1, ' ', padded - total);
  header[padded - 1] = '\n';
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)((padded - HEADER_START) & 0xFF);
  header[9] = (char)((padded - HEADER_START) >> 8);
  total = padded;
  return total;
}

const char *host_tensor_write(const char *path, const arn_tensor_view *t) {
  char header[1024];
  if (is_npy(path) && descr_of(t->type) == NULL) return "this type has no .npy form";
  FILE *f = fopen(path, "wb");
  if (f == NULL) return strerror(errno);
  bool ok = true;
  if (is_npy(path)) {
    const size_t bytes = npy_header(t, header, sizeof header);
    ok = fwrite(header, 1, bytes, f) == bytes;
  }
  if (ok && t->bytes > 0) ok = fwrite(t->data, 1, t->bytes, f) == t->bytes;
  if (fclose(f) != 0) ok = false;
  return ok ? NULL : "the file can't be written";
}
