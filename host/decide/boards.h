// Microcontrollers, what memory they have, and how long a network might take on them.
#ifndef ARENITE_HOST_DECIDE_BOARDS_H
#define ARENITE_HOST_DECIDE_BOARDS_H

#include "host/report/facts.h"

#define HOST_BOARD_REGIONS 6u

// RAM whose addresses follow each other.
typedef struct host_region {
  char name[16];
  uint32_t bytes;
} host_region;

typedef struct host_board {
  char name[40], vendor[24], core[16], source[160];
  double mhz;
  uint64_t flash_bytes;
  bool external_flash;
  host_region regions[HOST_BOARD_REGIONS];  // in the order in which an arena should go there
  uint32_t region_count;
} host_board;

typedef struct host_boards {
  host_board *list;
  uint32_t count;
} host_boards;

// Reads a table in the form of boards/boards.csv. Returns NULL, or what is wrong, and *line where.
const char *host_boards_parse(const char *text, size_t size, host_boards *boards, uint32_t *line);
void host_boards_free(host_boards *boards);

// Finds a board by its name, or by the beginning of it if no other begins so; case does not matter.
const host_board *host_board_find(const host_boards *boards, const char *name);

uint64_t host_board_ram(const host_board *board);

// Returns the first region that holds `bytes`; -1: none.
int host_board_region_for(const host_board *board, uint32_t bytes);

// Where an arena would lie: whole in a region; or, where none holds it, its dynamic region in the
// first that holds that, and its static region in another.
typedef struct host_board_place {
  int dynamic, fixed;   // regions; both -1: nowhere
} host_board_place;

host_board_place host_board_place_for(const host_board *board, const arn_usage *usage);

// ---- speed -------------------------------------------------------------------------------------

// Instructions as measured in an emulator (bench/device), int8 networks. Not cycles.
typedef struct host_speed {
  char target[12];
  double conv, depthwise, dense, svdf;  // a multiply-accumulate
  double other;                         // an output element of every other operator
  uint32_t text_bytes, stack_bytes;     // of the engine with the operators of a network, at most
} host_speed;

typedef struct host_speeds {
  host_speed list[8];
  uint32_t count;
} host_speeds;

// Reads boards/speed.csv. Returns NULL, or what is wrong.
const char *host_speeds_parse(const char *text, size_t size, host_speeds *speeds, uint32_t *line);

// Returns the measurement that comes closest to a core; *own says whether it is of that very core.
// NULL where nothing comes close.
const host_speed *host_speed_for(const host_speeds *speeds, const char *core, bool *own);

// Returns the instructions of one invocation by that measurement; 0 where the network's activations
// are mostly not of 8 bits, which were not measured.
double host_speed_instructions(const host_speed *speed, const host_facts *facts);

#endif
