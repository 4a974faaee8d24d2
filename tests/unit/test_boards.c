// The table of boards and what is asked of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/tables.h"

#define LINE "STM32X,ST,cortex-m4f,100,512,internal,ccm=16;sram=128,a datasheet\n"

static const char *parse(const char *text, host_boards *boards, uint32_t *line) {
  return host_boards_parse(text, strlen(text), boards, line);
}

static void a_line_is_read(void **state) {
  (void)state;
  host_boards b;
  uint32_t line;
  assert_null(
      parse("# a comment\n\nname,vendor,core,mhz,flash_kb,flash,ram,source\r\n" LINE, &b, &line));
  assert_int_equal(b.count, 1);
  assert_string_equal(b.list[0].name, "STM32X");
  assert_string_equal(b.list[0].source, "a datasheet");
  assert_true(b.list[0].mhz == 100.0 && b.list[0].flash_bytes == 512 * 1024);
  assert_int_equal(b.list[0].region_count, 2);
  assert_string_equal(b.list[0].regions[1].name, "sram");
  assert_int_equal(host_board_ram(&b.list[0]), 144 * 1024);
  assert_int_equal(host_board_region_for(&b.list[0], 0), 0);
  assert_int_equal(host_board_region_for(&b.list[0], 16 * 1024), 0);
  assert_int_equal(host_board_region_for(&b.list[0], 16 * 1024 + 1), 1);
  assert_int_equal(host_board_region_for(&b.list[0], 128 * 1024 + 1), -1);
  host_boards_free(&b);
}

static void wrong_lines_are_refused(void **state) {
  (void)state;
  static const char *const lines[] = {
      "", "# nothing", "A", "A,B,C,1,1,internal,r=1", "A,B,C,1,1,internal,r=1,s,t",
      ",B,C,1,1,internal,r=1,s", "A,B,C,x,1,internal,r=1,s", "A,B,C,0,1,internal,r=1,s",
      "A,B,C,1,-1,internal,r=1,s", "A,B,C,1,1,somewhere,r=1,s", "A,B,C,1,1,internal,r,s",
      "A,B,C,1,1,internal,=1,s", "A,B,C,1,1,internal,r=,s", "A,B,C,1,1,internal,r=0,s",
      "A,B,C,1,1,internal,r=9999999999,s", "A,B,C,1,1,internal,r=1;,s",
      "A,B,C,1,1,internal,a=1;b=1;c=1;d=1;e=1;f=1;g=1,s", "A,B,C,1,1,internal,r=1,",
      "A\x01,B,C,1,1,internal,r=1,s", "A,B,C,nan,1,internal,r=1,s", "A,B,C,1e999,1,internal,r=1,s",
      "a_name_of_more_characters_than_fit_in_a_table,B,C,1,1,internal,r=1,s"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    host_boards b;
    uint32_t line = 0;
    assert_non_null(parse(lines[i], &b, &line));
    assert_null(b.list);
  }
  host_boards b;
  uint32_t line = 0;
  assert_non_null(parse(LINE "# x\nA,B\n" LINE, &b, &line));
  assert_int_equal(line, 3);
}

static void found_by_name_or_its_beginning(void **state) {
  (void)state;
  host_boards b;
  uint32_t line;
  assert_null(parse("ABC,v,c,1,1,internal,r=1,s\nABCD,v,c,1,1,internal,r=1,s\n"
                    "XY,v,c,1,1,internal,r=1,s\n", &b, &line));
  assert_ptr_equal(host_board_find(&b, "abc"), &b.list[0]);   // itself, though ABCD begins so too
  assert_ptr_equal(host_board_find(&b, "abcd"), &b.list[1]);
  assert_ptr_equal(host_board_find(&b, "x"), &b.list[2]);
  assert_null(host_board_find(&b, "ab"));                     // two begin so
  assert_null(host_board_find(&b, "abcde"));
  assert_null(host_board_find(&b, ""));
  host_boards_free(&b);
}

static void the_table_is_whole(void **state) {
  (void)state;
  static const char *const vendors[] = {"ST",           "Nordic",  "NXP",       "Espressif",
                                        "Raspberry Pi", "Renesas", "Ambiq",     "Infineon",
                                        "Silicon Labs", "TI",      "GigaDevice"};
  host_boards b;
  assert_null(host_table_boards(&b));
  assert_true(b.count >= 60);
  for (size_t v = 0; v < sizeof vendors / sizeof vendors[0]; v++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b.count; i++) count += strcmp(b.list[i].vendor, vendors[v]) == 0;
    assert_true(count >= 2);
  }
  for (uint32_t i = 0; i < b.count; i++) {
    assert_ptr_equal(host_board_find(&b, b.list[i].name), &b.list[i]);  // no name twice
    assert_true(b.list[i].mhz >= 16.0 && b.list[i].mhz <= 1000.0);
    assert_in_range(host_board_ram(&b.list[i]), 8 * 1024, 8 * 1024 * 1024);
  }
  host_boards_free(&b);
}

static void speeds_are_looked_up(void **state) {
  (void)state;
  static const char text[] = "target,conv,depthwise,dense,svdf,other,text,stack\n"
                             "m4,2,4,3,5,10,50000,1500\nrv32,8,9,7,6,20,60000,1600\n";
  host_speeds s;
  uint32_t line = 0;
  bool own;
  assert_null(host_speeds_parse(text, sizeof text - 1, &s, &line));
  assert_int_equal(s.count, 2);
  assert_string_equal(host_speed_for(&s, "cortex-m4f", &own)->target, "m4");
  assert_true(own);
  assert_string_equal(host_speed_for(&s, "cortex-m33", &own)->target, "m4");
  assert_false(own);
  assert_string_equal(host_speed_for(&s, "xtensa-lx7", &own)->target, "rv32");
  assert_null(host_speed_for(&s, "cortex-m55", &own));   // not measured
  assert_null(host_speed_for(&s, "z80", &own));
  assert_non_null(host_speeds_parse("m4,2,4\n", 7, &s, &line));
  assert_null(host_table_speeds(&s));
  assert_non_null(host_speed_for(&s, "cortex-m4f", &own));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_read), cmocka_unit_test(wrong_lines_are_refused),
      cmocka_unit_test(found_by_name_or_its_beginning), cmocka_unit_test(the_table_is_whole),
      cmocka_unit_test(speeds_are_looked_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
