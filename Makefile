# Arenite. `make help` lists the targets. Project flags are in ARN_CFLAGS; CFLAGS is the user's and comes
# last. BUILD names the output folder.
BUILD ?= build
CC ?= cc
AR ?= ar
PREFIX ?= /usr/local
CFLAGS ?=
OPT ?= -O3
M32 = -m32 -msse2 -mfpmath=sse

ARN_WARN = -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror
ARN_CFLAGS = -std=c11 $(OPT) -g -ffp-contract=off $(ARN_WARN) -Iinclude -I. -MMD -MP
LEVELS ?= -DARN_X86_LEVELS
# No one asks for errno or floating-point exceptions: so conditional float code vectorises.
LIB_CFLAGS = $(ARN_CFLAGS) $(LEVELS) -ffunction-sections -fdata-sections \
             -fno-math-errno -fno-trapping-math
HOST_CFLAGS = $(ARN_CFLAGS) -D_GNU_SOURCE
HOST_LIBS = -lcjson -lm

LIB_SRC := $(shell find src -name '*.c' | LC_ALL=C sort)
HOST_SRC := $(shell find host -name '*.c' | LC_ALL=C sort)
MAIN_SRC := $(filter %_main.c,$(HOST_SRC)) $(shell find examples tools -name '*_main.c' 2>/dev/null | LC_ALL=C sort)
CLI_SRC := $(shell find host/cli -name '*.c' | LC_ALL=C sort)
HOSTLIB_SRC := $(filter-out %_main.c host/cli/%,$(HOST_SRC))
UNIT_SRC := $(wildcard tests/unit/test_*.c)
BENCH_SRC := $(wildcard bench/*.c)

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
HOSTLIB_OBJ := $(HOSTLIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/host/report/web_assets.o
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
CHECK_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard host/check/*.c))
MAINS := $(patsubst %_main.c,$(BUILD)/%,$(notdir $(MAIN_SRC)))
UNITS := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)
BENCHES := $(BENCH_SRC:bench/%.c=$(BUILD)/bench/%)
PROGRAMS = $(BUILD)/arenite $(BUILD)/conformance

.PHONY: all test units benches mains fuzzers fuzz install clean help
all: $(BUILD)/libarenite.a $(PROGRAMS)  ## the library, the command line tool, the conformance runner

$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	@echo '  CC  ' $<
	@$(CC) $(LIB_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo '  CC  ' $<
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/libarenite.a: $(LIB_OBJ)
	@rm -f $@
	@echo '  AR  ' $@
	@$(AR) rcs $@ $(LIB_OBJ)

# The page of `arenite report` and the tables of `arenite fit` become part of the program.
WEB := $(wildcard host/report/web/*) boards/boards.csv boards/speed.csv
$(BUILD)/host/report/web_assets.c: tools/embed.sh $(WEB)
	@mkdir -p $(@D)
	@sh tools/embed.sh $(WEB) > $@
$(BUILD)/host/report/web_assets.o: $(BUILD)/host/report/web_assets.c
	@echo '  CC  ' $<
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/libarenite-host.a: $(HOSTLIB_OBJ)
	@rm -f $@
	@echo '  AR  ' $@
	@$(AR) rcs $@ $(HOSTLIB_OBJ)

LINK_LIBS = $(BUILD)/libarenite-host.a $(BUILD)/libarenite.a

$(BUILD)/arenite: $(CLI_OBJ) $(LINK_LIBS)
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $(CLI_OBJ) $(LINK_LIBS) $(HOST_LIBS) -o $@

CONFORMANCE_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/conformance/*.c))
OPTIMISE_SRC := $(filter-out %_command.c,$(wildcard host/rewrite/*.c host/search/*.c))
OPTIMISE_OBJ := $(OPTIMISE_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/conformance: $(CONFORMANCE_OBJ) $(OPTIMISE_OBJ) $(CHECK_OBJ) $(BUILD)/libarenite.a
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $(filter %.o %.a,$^) -lm -o $@

define main_rule
$(BUILD)/$(patsubst %_main.c,%,$(notdir $(1))): $(BUILD)/$(1:.c=.o) $(LINK_LIBS)
	@echo '  LINK' $$@
	@$$(CC) $$(HOST_CFLAGS) $$(CFLAGS) $$< $$(LINK_LIBS) $$(HOST_LIBS) -o $$@
endef
$(foreach src,$(MAIN_SRC),$(eval $(call main_rule,$(src))))

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(LINK_LIBS)
	@mkdir -p $(@D)
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $< $(LINK_LIBS) $(HOST_LIBS) -lcmocka -o $@

# The definitions that bench/ops compares with: plain loops, compiled as plainly.
ORACLE_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/oracle/*.c))
$(ORACLE_OBJ): HOST_CFLAGS += -O2
$(BUILD)/bench/ops: $(BUILD)/bench/ops.o $(ORACLE_OBJ) $(LINK_LIBS)
	@mkdir -p $(@D)
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $< $(ORACLE_OBJ) $(LINK_LIBS) $(HOST_LIBS) -o $@

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LINK_LIBS)
	@mkdir -p $(@D)
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $< $(LINK_LIBS) $(HOST_LIBS) -o $@

HOSTILE_OBJ = $(BUILD)/tests/fuzz/hostile.o
$(BUILD)/mutate: $(BUILD)/tests/fuzz/mutate.o $(HOSTILE_OBJ) $(CHECK_OBJ) $(BUILD)/libarenite.a
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $(filter %.o %.a,$^) -lm -o $@

# FUZZ_MAIN: what runs a target over inputs. `make fuzz` has clang's searching one instead.
FUZZ_MAIN ?= $(BUILD)/tests/fuzz/replay.o
FUZZERS = $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/fuzz_%.o $(HOSTILE_OBJ) $(FUZZ_MAIN) $(LINK_LIBS)
	@mkdir -p $(@D)
	@echo '  LINK' $@
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $(filter %.o,$^) $(LINK_LIBS) $(HOST_LIBS) -o $@

fuzzers: $(FUZZERS)  ## the fuzz targets, built to run files
fuzz:  ## the fuzz targets, built by clang to search (build/libfuzzer/fuzz/*)
	@$(MAKE) CC=clang OPT=-O1 LEVELS= BUILD=$(BUILD)/libfuzzer FUZZ_MAIN= \
	  CFLAGS="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all" fuzzers

units: $(UNITS)  ## the unit tests, built
benches: $(BENCHES)  ## the benchmarks, built
mains: $(MAINS)  ## further host programs and examples

test: all units  ## the quick tests (under a minute)
	@tests/run_units.sh $(BUILD)

install: $(BUILD)/libarenite.a  ## headers, library and pkg-config file under PREFIX
	install -d $(DESTDIR)$(PREFIX)/include/arenite $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 include/arenite/*.h include/arenite/*.def $(DESTDIR)$(PREFIX)/include/arenite
	install -m 644 $(BUILD)/libarenite.a $(DESTDIR)$(PREFIX)/lib
	sed 's|@PREFIX@|$(PREFIX)|' tools/arenite.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/arenite.pc
	@[ ! -e $(BUILD)/arenite ] || install -D -m 755 $(BUILD)/arenite $(DESTDIR)$(PREFIX)/bin/arenite

clean:  ## remove the build folder
	rm -rf $(BUILD)

help:  ## this list
	@grep -hE '^[a-z_-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | LC_ALL=C sort

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
