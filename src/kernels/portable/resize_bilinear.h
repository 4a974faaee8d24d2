// The body of the bilinear kernels: a row of the output from two rows of the input. First the rows
// are mixed, a tile of pixels at a time in one run, then neighbouring pixels of the mixture.
// To be included with
//   NAME(x)        x, of this type
//   TYPE           of the image
//   MIXED, WIDE    of the mixture of two rows; of sums of two of those
//   POINT, BETWEEN what a column lies between: type and function
//   ONE            the whole that a share is a part of
//   MIX(a, b, share)  a WIDE sum from two MIXED values
//   FINISH(sum)    the output
// and undefines them.

ARN__INLINE void NAME(mix_rows)(MIXED *tile, const TYPE *top, const TYPE *bottom, MIXED share,
                                uint32_t n) {
  for (uint32_t i = 0; i < n; i++) tile[i] = top[i] * (ONE - share) + bottom[i] * share;
}

ARN__INLINE void NAME(mix_pixels)(WIDE *sums, const MIXED *a, const MIXED *b, MIXED share,
                                  uint32_t count) {
  uint32_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    ARN__LANES_LOOP
    for (uint32_t k = i; k < i + LANES; k++) sums[k] = MIX(a[k], b[k], share);
  }
  for (; i < count; i++) sums[i] = MIX(a[i], b[i], share);
}

ARN__INLINE void NAME(mix_four)(WIDE *sums, const MIXED *a, const MIXED *b, MIXED share) {
  ARN__LANES_LOOP
  for (uint32_t i = 0; i < 4; i++) sums[i] = MIX(a[i], b[i], share);
}

// Writes `pixels` pixels, `step` apart, of `count` sums each.
ARN__INLINE void NAME(finish)(TYPE *out, const WIDE *sums, uint32_t pixels, uint32_t count,
                              uint32_t step) {
  const bool whole = count == step;
  const uint32_t runs = whole ? 1 : pixels, n = whole ? pixels * count : count;
  for (uint32_t r = 0; r < runs; r++, out += step, sums += count) {
    for (uint32_t i = 0; i < n; i++) out[i] = (TYPE)FINISH(sums[i]);
  }
}

// Fills the tile with `count` pixels of the two rows, from pixel `first` on.
ARN__INLINE void NAME(fill)(MIXED *tile, const resize_rows *rows, MIXED share, arn_span pixels,
                            resize_part p) {
  const TYPE *top = rows->top, *bottom = rows->bottom;
  const size_t at = (size_t)pixels.first * rows->channels + p.first;
  const bool whole = p.count == rows->channels;
  const uint32_t runs = whole ? 1 : pixels.count, n = whole ? pixels.count * p.count : p.count;
  for (uint32_t i = 0; i < runs; i++) {
    const size_t from = at + (size_t)i * rows->channels;
    NAME(mix_rows)(tile + i * n, top + from, bottom + from, share, n);
  }
}

// What so many columns lie between.
typedef struct NAME(places) {
  uint32_t low[BLOCK], high[BLOCK];
  MIXED share[BLOCK];
} NAME(places);

ARN__INLINE void NAME(find)(NAME(places) *places, const arn__resize_row *row, uint32_t first,
                            uint32_t n) {
  const arn__resize_axis axis = row->x;
  const uint32_t flags = row->flags;
  for (uint32_t i = 0; i < n; i++) {
    const POINT at = BETWEEN(&axis, flags, first + i);
    places->low[i] = at.low;
    places->high[i] = at.high;
    places->share[i] = at.share;
  }
}

// Writes columns from x on, as far as the tile and the room for sums go; returns the next one.
ARN__INLINE uint32_t NAME(columns)(TYPE *out, const MIXED *tile, const arn__resize_row *row,
                                   arn_span pixels, uint32_t x, uint32_t count) {
  WIDE sums[TILE + 1];
  NAME(places) places;
  const uint32_t most = TILE / count < BLOCK ? TILE / count : BLOCK, left = row->x.out - x;
  const uint32_t n = left < most ? left : most;
  uint32_t done = 0;
  NAME(find)(&places, row, x, n);
  for (; done < n && places.high[done] < pixels.first + pixels.count; done++) {
    const MIXED *low = tile + (places.low[done] - pixels.first) * count;
    const MIXED *high = tile + (places.high[done] - pixels.first) * count;
    if (AS_FOUR(count)) NAME(mix_four)(sums + done * count, low, high, places.share[done]);
    else NAME(mix_pixels)(sums + done * count, low, high, places.share[done], count);
  }
  NAME(finish)(out + (size_t)x * row->channels, sums, done, count, row->channels);
  return x + done;
}

// Where most pixels are left out: columns from pairs of pixels, mixed where they are used.
ARN__INLINE void NAME(pairs)(TYPE *out, const resize_rows *rows, MIXED share,
                             const arn__resize_row *row, uint32_t first, uint32_t count) {
  MIXED low[TILE / 2], high[TILE / 2];
  WIDE sums[TILE];
  NAME(places) places;
  const TYPE *top = (const TYPE *)rows->top + first, *bottom = (const TYPE *)rows->bottom + first;
  const uint32_t room = TILE / count < BLOCK ? TILE / count : BLOCK;
  for (uint32_t x = 0, n; x < row->x.out; x += n) {
    n = row->x.out - x < room ? row->x.out - x : room;
    NAME(find)(&places, row, x, n);
    for (uint32_t i = 0; i < n; i++) {
      const size_t a = (size_t)places.low[i] * rows->channels;
      const size_t b = (size_t)places.high[i] * rows->channels;
      NAME(mix_rows)(low, top + a, bottom + a, share, count);
      NAME(mix_rows)(high, top + b, bottom + b, share, count);
      NAME(mix_pixels)(sums + i * count, low, high, places.share[i], count);
    }
    NAME(finish)(out + (size_t)x * rows->channels, sums, n, count, rows->channels);
  }
}

ARN__INLINE void NAME(some_channels)(TYPE *out, const resize_rows *rows, MIXED share,
                                     const arn__resize_row *row, resize_part p) {
  MIXED tile[TILE + 1];
  for (uint32_t x = 0; x < row->x.out;) {
    const uint32_t first = BETWEEN(&row->x, row->flags, x).low, left = row->x.in - first;
    const arn_span pixels = {first, left < p.pixels ? left : p.pixels};
    NAME(fill)(tile, rows, share, pixels, p);
    tile[pixels.count * p.count] = 0;  // the last of four
    for (uint32_t from = x + 1; from != x;) {
      from = x;
      if (p.count == 1) x = NAME(columns)(out, tile, row, pixels, x, 1);
      else if (p.count == 3) x = NAME(columns)(out, tile, row, pixels, x, 3);
      else x = NAME(columns)(out, tile, row, pixels, x, p.count);
    }
  }
}

ARN__KERNEL void NAME(arn__resize_bilinear)(TYPE *out, const TYPE *top, const TYPE *bottom,
                                            MIXED share, const arn__resize_row *row) {
  const resize_rows rows = {top, bottom, row->channels};
  for (uint32_t c = 0; c < row->channels;) {
    const resize_part p = part_of(row, c);
    if (row->x.in / 4 <= row->x.out) NAME(some_channels)(out + c, &rows, share, row, p);
    else if (p.count == 3) NAME(pairs)(out + c, &rows, share, row, p.first, 3);
    else NAME(pairs)(out + c, &rows, share, row, p.first, p.count);
    c += p.count;
  }
}

#undef NAME
#undef TYPE
#undef MIXED
#undef WIDE
#undef POINT
#undef BETWEEN
#undef ONE
#undef MIX
#undef FINISH
