#include "reducer.h"

void arn__reducer_clear(const arn__reducer *how, void *acc, uint32_t count) {
  const uint32_t bytes = count * how->acc_bytes;
  uint8_t *to = acc;
  if (how->identity == 0 || bytes == 0) {
    memset(acc, 0, bytes);
    return;
  }
  memcpy(to, &how->identity, how->acc_bytes);
  for (uint32_t done = how->acc_bytes; done < bytes;) {
    const uint32_t now = bytes - done < done ? bytes - done : done;
    memcpy(to + done, to, now);
    done += now;
  }
}
