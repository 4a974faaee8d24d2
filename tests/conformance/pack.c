// Cases of an operator pack: see FORMAT.md beside the packs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/session.h"

#define FILE_HEADER 64u
#define CASE_HEADER 64u
#define DESCRIPTOR 48u
#define FLAG_MUTATION 16u

// A case, as found in the file.
struct pack_case {
  const uint8_t *at;
  uint32_t bytes;
  uint32_t expect, flags, inputs, outputs, invocations;
  char name[128];
  char note[256];
};

static uint32_t word(const uint8_t *p, uint32_t i) {
  uint32_t value;
  memcpy(&value, p + 4 * (size_t)i, sizeof value);
  return value;
}

static float real(const uint8_t *p, uint32_t i) {
  float value;
  memcpy(&value, p + 4 * (size_t)i, sizeof value);
  return value;
}

static bool inside(const struct pack_case *c, uint32_t offset, uint32_t bytes) {
  return offset <= c->bytes && bytes <= c->bytes - offset;
}

static void copy_text(const struct pack_case *c, uint32_t at, char *text, size_t size) {
  uint32_t offset = word(c->at, at), bytes = word(c->at, at + 1);
  text[0] = '\0';
  if (!inside(c, offset, bytes)) return;
  if (bytes >= size) bytes = (uint32_t)size - 1;
  memcpy(text, c->at + offset, bytes);
  text[bytes] = '\0';
}

static bool read_case(const uint8_t *at, size_t left, struct pack_case *c) {
  memset(c, 0, sizeof *c);
  if (left < CASE_HEADER) return false;
  c->at = at;
  c->bytes = word(at, 0);
  if (c->bytes < CASE_HEADER || c->bytes > left) return false;
  c->expect = word(at, 1);
  c->flags = word(at, 2);
  c->inputs = word(at, 3);
  c->outputs = word(at, 4);
  c->invocations = word(at, 5);
  copy_text(c, 10, c->name, sizeof c->name);
  copy_text(c, 12, c->note, sizeof c->note);
  if (c->inputs > 1000 || c->outputs > 1000) return false;
  return inside(c, word(at, 6), word(at, 7)) &&
         inside(c, word(at, 8), (c->inputs + c->outputs) * DESCRIPTOR);
}

static const uint8_t *descriptor(const struct pack_case *c, uint32_t i) {
  return c->at + word(c->at, 8) + (size_t)DESCRIPTOR * i;
}

static uint32_t tensor_bytes(const struct pack_case *c, uint32_t i) {
  return word(descriptor(c, i), 1);
}

static uint32_t padded(uint32_t bytes) { return (bytes + 15u) & ~15u; }

static bool write_inputs(const struct pack_case *c, const char *how, host_engine *e,
                         const uint8_t *data) {
  for (uint32_t i = 0; i < c->inputs; i++) {
    const arn_tensor_view t = host_engine_input(e, i);
    const uint32_t bytes = tensor_bytes(c, i);
    if (t.bytes != bytes) {
      return runner_complain(c->name, how, "input %u has %u bytes, %u given", i, t.bytes, bytes);
    }
    if (bytes > 0 && t.data) memcpy(t.data, data, bytes);
    data += padded(bytes);
  }
  return true;
}

static bool check_outputs(const struct pack_case *c, const char *how, const host_engine *e,
                          const uint8_t *data, uint32_t masked) {
  for (uint32_t i = 0; i < c->outputs; i++) {
    const uint8_t *d = descriptor(c, c->inputs + i);
    const uint32_t bytes = word(d, 1);
    const host_tolerance tolerance = {word(d, 2) == 0, (double)real(d, 3), (double)real(d, 4)};
    const arn_tensor_view t = host_engine_output(e, i);
    char label[32];
    snprintf(label, sizeof label, "output %u", i);
    if (!(i < 32 && (masked >> i & 1)) &&
        !runner_check_output(c->name, how, label, &t, data, bytes, tolerance)) {
      return false;
    }
    data += padded(bytes);
  }
  return true;
}

static bool run_invocations(const struct pack_case *c, const char *how, session *s) {
  host_engine *e = &s->engine;
  const uint8_t *block = c->at + word(c->at, 9);
  for (uint32_t v = 0; v < c->invocations; v++) {
    const uint32_t offset = (uint32_t)(block - c->at);
    arn_error error;
    if (!inside(c, offset, 16) || !inside(c, offset, word(block, 2))) {
      return runner_complain(c->name, how, "the pack is broken");
    }
    const uint8_t *data = block + 16;
    session_begin(s);
    if (!write_inputs(c, how, e, data)) return false;
    const arn_status wanted = word(block, 0) == 1 ? ARN_STOPPED : ARN_OK;
    const arn_status status = host_engine_invoke(e, &error);
    if (status != wanted) {
      char text[256];
      arn_error_format(&error, text, sizeof text);
      return runner_complain(c->name, how, "invocation %u: %s", v, text);
    }
    for (uint32_t i = 0; i < c->inputs; i++) data += padded(tensor_bytes(c, i));
    // What is streamed has not been handed over where an operator ended the invocation.
    const bool handed_over = status == ARN_OK || arn_output(&e->nn, 0).data != NULL;
    if (handed_over && !check_outputs(c, how, e, data, word(block, 1))) return false;
    if (!session_is_sound(s, c->name, how, status)) return false;
    block += word(block, 2);
  }
  return true;
}

// Copies the model to a block of its own size, so that a read beyond it is caught by the
// sanitizers.
static void *copy_model(const struct pack_case *c) {
  const uint32_t bytes = word(c->at, 7);
  void *copy = aligned_alloc(64, ((size_t)bytes / 64 + 1) * 64);
  if (copy) memcpy(copy, c->at + word(c->at, 6), bytes);
  return copy;
}

static bool run_variant(runner *r, const struct pack_case *c, const variant *v,
                        const void *model) {
  session s;
  if (!session_open(&s, r, c->name, model, word(c->at, 7), v)) return false;
  if (s.unplanned) return true;
  bool ok = run_invocations(c, v->name, &s);
  if (ok && r->rows) ok = runner_check_rows(r, c->name, &s.engine);
  session_close(&s);
  return ok;
}

static bool run_good(runner *r, const struct pack_case *c, const void *model) {
  const variant *list;
  const unsigned count = runner_variants(r, &list);
  for (unsigned i = 0; i < count; i++) {
    if (!run_variant(r, c, &list[i], model)) return false;
  }
  return true;
}

// Says whether the engine refuses the case, when starting or when running it.
static bool refuses(const struct pack_case *c, const void *model) {
  const host_options options = {.fill = HOST_FILL_A5};
  host_engine e;
  arn_error error;
  if (host_engine_open(&e, model, word(c->at, 7), &options, &error) != ARN_OK) return true;
  const uint32_t at = word(c->at, 9);
  bool refused = false;
  if (inside(c, at, 16) && inside(c, at, word(c->at + at, 2))) {
    const uint8_t *data = c->at + at + 16;
    for (uint32_t i = 0; i < c->inputs; i++) {
      const arn_tensor_view t = arn_input(&e.nn, i);
      const uint32_t bytes = tensor_bytes(c, i);
      if (t.data && t.bytes == bytes) memcpy(t.data, data, bytes);
      data += padded(bytes);
    }
  }
  refused = arn_invoke(&e.nn, &error) < 0;
  if (!host_engine_is_intact(&e)) {
    runner_complain(c->name, "refuse", "bytes outside the arena were written");
  }
  host_engine_close(&e);
  return refused;
}

static void run_case(runner *r, const struct pack_case *c) {
  void *model = copy_model(c);
  if (model == NULL) {
    r->skipped++;
    printf("skip %s: no memory on this host\n", c->name);
  } else if (r->plans) {
    if (runner_print_plan(c->name, model, word(c->at, 7))) r->passed++;
    else r->skipped++;
  } else if (c->expect != 0 && (r->rows || r->optimised)) {
    r->skipped++;
  } else if (c->expect == 0) {
    runner_count(r, c->name, run_good(r, c, model));
  } else if (refuses(c, model)) {
    runner_count(r, c->name, true);
  } else if (c->flags & FLAG_MUTATION) {
    r->accepted++;
    printf("accepted %s: %s\n", c->name, c->note);
  } else {
    runner_count(r, c->name, runner_complain(c->name, "refuse", "must refuse: %s", c->note));
  }
  free(model);
}

bool runner_run_pack(runner *r, const char *path) {
  size_t bytes;
  uint8_t *file = host_read_file(path, &bytes);
  if (file == NULL) {
    perror(path);
    return false;
  }
  bool ok = bytes >= FILE_HEADER && memcmp(file, "OPCORP01", 8) == 0 && word(file, 2) == 1;
  const uint32_t count = ok ? word(file, 3) : 0;
  size_t at = FILE_HEADER;
  for (uint32_t i = 0; i < count && ok; i++) {
    struct pack_case c;
    ok = read_case(file + at, bytes - at, &c);
    if (ok && runner_wants(r, c.name)) run_case(r, &c);
    at += c.bytes;
  }
  if (!ok) fprintf(stderr, "%s: not an operator pack, or a broken one\n", path);
  free(file);
  return ok;
}
