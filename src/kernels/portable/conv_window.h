// The window of an output pixel: what the kernel's rows, columns and channels cover of the input,
// in the filter's order. Portable kernels gather it a chunk at a time.
//
// A run is a stretch of the window that lies side by side in the input, too: a tap's channels, or,
// where the taps of a kernel row touch, the whole kernel row.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_CONV_WINDOW_H
#define ARENITE_SRC_KERNELS_PORTABLE_CONV_WINDOW_H

#include "../conv.h"

// A call of a kernel, with what follows from it. Lengths are in elements.
typedef struct conv_pass {
  const arn__conv *conv;
  const arn__conv_row *row;
  const arn__conv_block *block;
  int32_t run_length, run_step;  // of a run; from a run to the next one of the kernel row
  int32_t run_count;             // runs of a kernel row
  int32_t row_length;            // of an input row
  uint32_t window;               // of a window, over the kernel rows inside the image
} conv_pass;

// Where the next element of a window is.
typedef struct conv_cursor {
  const void *base;        // of the input row
  int32_t origin;          // where the window's first run begins in a row; may be negative
  int32_t run, at;         // the run, and the element in it
  uint32_t row;            // the input row
} conv_cursor;

// A piece of a window within one run: `before` elements beyond the row's start, `inside` from
// element `start` on, and `after` beyond its end.
typedef struct conv_piece {
  const void *base;
  int32_t start, before, inside, after;
} conv_piece;

ARN__INLINE conv_pass conv_pass_of(const arn__conv *s, const arn__conv_row *r,
                                   const arn__conv_block *b) {
  const bool touching = s->group == s->in_channels && (s->dilation == 1 || s->kernel_width == 1);
  conv_pass p = {.conv = s, .row = r, .block = b};
  p.run_length = touching ? s->kernel_width * s->group : s->group;
  p.run_step = s->dilation * s->in_channels;
  p.run_count = touching ? 1 : s->kernel_width;
  p.row_length = s->in_width * s->in_channels;
  p.window = r->count * (uint32_t)(s->kernel_width * s->group);
  return p;
}

// The element of the filter where the weights of the block's first channel begin, over the kernel
// rows inside the image.
ARN__INLINE uint32_t conv_filter_at(const conv_pass *p) {
  const uint32_t skipped = (uint32_t)(p->conv->kernel_width * p->conv->group);
  return p->block->filter_at + p->row->kernel_row * skipped;
}

// A cursor at the start of the window of output pixel `column`.
ARN__INLINE conv_cursor conv_cursor_at(const conv_pass *p, uint32_t column) {
  const arn__conv *s = p->conv;
  const int32_t pixel = (int32_t)column * s->stride - s->pad;
  conv_cursor c = {NULL, pixel * s->in_channels + (int32_t)p->block->in_first, 0, 0, 0};
  if (p->row->count == 0) return c;
  c.row = p->row->first;
  c.base = arn_row(&p->row->input, c.row);
  return c;
}

// The piece at the cursor, of at most `n` elements.
ARN__INLINE conv_piece conv_piece_at(const conv_pass *p, const conv_cursor *c, int32_t n) {
  const int32_t left = p->run_length - c->at;
  const int32_t length = left < n ? left : n;
  const int32_t start = c->origin + c->run * p->run_step + c->at;
  const int32_t room = p->row_length - start;
  conv_piece piece = {c->base, start, 0, 0, 0};
  if (start < 0) piece.before = -start < length ? -start : length;
  if (room < length) piece.after = room > piece.before ? length - room : length - piece.before;
  piece.start += piece.before;
  piece.inside = length - piece.before - piece.after;
  return piece;
}

ARN__INLINE void conv_cursor_advance(const conv_pass *p, conv_cursor *c, int32_t n) {
  c->at += n;
  if (c->at < p->run_length) return;
  c->at = 0;
  if (++c->run < p->run_count) return;
  c->run = 0;
  c->row += p->row->step;
  const uint32_t end = p->row->first + p->row->count * p->row->step;
  if (c->row < end) c->base = arn_row(&p->row->input, c->row);
}

#endif
