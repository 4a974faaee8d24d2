// Views: what is drawn of a plan in JSON, whoever wrote it. Text made safe; documents; the page's
// data.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/report/document.h"
#include "host/report/pictures.h"
#include "host/report/utf8.h"

// Two tensors over three steps, the second written over the first; scratch in step 1; a variable.
static const char plan_text[] =
    "{\"schema\":\"arenite.plan\",\"version\":1,\"model\":\"m\",\"engine\":\"0\","
    "\"planner\":\"auto\",\"alignment\":16,\"arena_bytes\":200,\"static_bytes\":60,"
    "\"dynamic_peak_bytes\":136,\"peak_offset\":64,\"peak_step\":1,\"lower_bound_bytes\":120,"
    "\"macs\":10,\"weight_bytes\":20,\"breakdown\":{\"tensor_data\":100,\"alignment_padding\":16,"
    "\"engine_records\":44,\"op_data\":0,\"scratch\":20,\"variables\":16,\"weights_copied\":0,"
    "\"init_temporary\":0,\"unused\":4},\"tensors\":[{\"index\":0,\"name\":\"a\","
    "\"type\":\"INT8\",\"shape\":[1,90],\"bytes\":90,\"role\":\"input\",\"region\":\"dynamic\","
    "\"offset\":16,\"first_step\":0,\"last_step\":1,\"producer\":-1,\"owner\":0,\"rows\":1},"
    "{\"index\":1,\"name\":\"b\",\"type\":\"INT8\",\"shape\":[],\"bytes\":30,\"role\":\"output\","
    "\"region\":\"dynamic\",\"offset\":0,\"first_step\":1,\"last_step\":2,\"producer\":1,"
    "\"owner\":1,\"rows\":1},{\"index\":2,\"name\":\"v\",\"type\":\"INT8\",\"shape\":[16],"
    "\"bytes\":16,\"role\":\"variable\",\"region\":\"static\",\"offset\":44,\"first_step\":-1,"
    "\"last_step\":-1,\"producer\":-1,\"owner\":-1,\"rows\":1}],\"nodes\":[],"
    "\"steps\":[{\"step\":0,\"node\":0,\"op\":\"ADD\",\"macs\":0,\"live_bytes\":90,"
    "\"high_water\":106,\"bound_bytes\":90,\"scratch_bytes\":0,\"scratch_offset\":0},{\"step\":1,"
    "\"node\":1,\"op\":\"MUL\",\"macs\":10,\"live_bytes\":126,\"high_water\":132,"
    "\"bound_bytes\":120,\"scratch_bytes\":20,\"scratch_offset\":112},{\"step\":2,\"node\":2,"
    "\"op\":\"SUB\",\"macs\":0,\"live_bytes\":30,\"high_water\":30,\"bound_bytes\":30,"
    "\"scratch_bytes\":0,\"scratch_offset\":0}]}";

static bool open_text(host_view *view, const char *text, size_t size, const char **what) {
  cJSON *json = cJSON_ParseWithLength(text, size);
  *what = "no JSON";
  const bool ok = json != NULL && host_view_open(view, json, what);
  cJSON_Delete(json);
  return ok;
}

// ---- text ---------------------------------------------------------------------------------------

static void utf8_is_told_from_other_bytes(void **state) {
  static const struct {
    const char *text;
    uint32_t length, code;
  } cases[] = {{"a", 1, 'a'},
               {"\xc3\xa9", 2, 0xE9},
               {"\xe2\x82\xac", 3, 0x20AC},
               {"\xf0\x9f\x98\x80", 4, 0x1F600},
               {"", 0, 0},
               {"\x80", 0, 0},
               {"\xc3", 0, 0},
               {"\xc0\xaf", 0, 0},
               {"\xe0\x80\x80", 0, 0},
               {"\xed\xa0\x80", 0, 0},
               {"\xf4\x90\x80\x80", 0, 0},
               {"\xff", 0, 0},
               {"\xe2\x82", 0, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t code = 0;
    assert_int_equal(host_utf8_next(cases[i].text, &code), cases[i].length);
    if (cases[i].length > 0) assert_int_equal(code, cases[i].code);
  }
}

static void cleaned_text_is_one_line_of_utf8(void **state) {
  char text[] = "a\x1b[2J\n\xff\xc3\xa9\x7f\xe2\x80\xae\xc2\x85z\xe2\x82";
  char kept[] = "a\n\xff";
  (void)state;
  host_utf8_clean(text);
  assert_string_equal(text, "a?[2J??\xc3\xa9?\x3f\x3f\x3f\x3f\x3fz\x3f\x3f");
  host_utf8_repair(kept);
  assert_string_equal(kept, "a\n?");
  assert_int_equal(host_utf8_prefix("\xc3\xa9\xe2\x82\xac!", 2), 5);
  assert_int_equal(host_utf8_prefix("ab", 9), 2);
}

// ---- views --------------------------------------------------------------------------------------

static void a_view_has_what_the_plan_says(void **state) {
  host_view v;
  const char *what;
  (void)state;
  assert_true(open_text(&v, plan_text, strlen(plan_text), &what));
  assert_int_equal(v.block_count, 4);
  assert_int_equal(v.arena_bytes, 200);
  const host_view_block *input = NULL, *scratch = NULL, *variable = NULL;
  for (uint32_t i = 0; i < v.block_count; i++) {
    if (v.blocks[i].kind == HOST_KIND_INPUT) input = &v.blocks[i];
    if (v.blocks[i].kind == HOST_KIND_SCRATCH) scratch = &v.blocks[i];
    if (v.blocks[i].kind == HOST_KIND_VARIABLE) variable = &v.blocks[i];
  }
  assert_true(input && scratch && variable);
  assert_int_equal(input->low, 80);
  assert_int_equal(input->high, 170);
  assert_int_equal(scratch->low, 64 + 112);
  assert_int_equal(scratch->first, 1);
  assert_int_equal(variable->low, 44);
  assert_int_equal(variable->last, 2);
  assert_int_equal(v.gap_count, 1);  // 170 to 176; the 16 bytes below the input are no padding
  assert_int_equal(v.gaps[0].low, 170);
  assert_int_equal(v.gaps[0].high, 176);
  host_view_close(&v);
}

static void count_live(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  static const uint32_t wanted[] = {1, 3, 1};
  (void)live;
  assert_int_equal(count, wanted[step]);
  ++*(uint32_t *)context;
}

static void walking_meets_every_step(void **state) {
  host_view v;
  const char *what;
  uint32_t steps = 0;
  (void)state;
  assert_true(open_text(&v, plan_text, strlen(plan_text), &what));
  assert_true(host_view_walk(&v, count_live, &steps));
  assert_int_equal(steps, 3);
  host_view_close(&v);
}

static void draw_all(const host_view *v) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  host_svg_write(out, v, 1);
  host_term_write(out, v, 1, true);
  host_trace_write(out, v, 1);
  host_massif_write(out, v);
  host_markdown_write(out, v, 1);
  host_csv_write(out, v);
  assert_int_equal(fclose(out), 0);
  assert_true(size > 0);
  free(text);
}

// Every number replaced by every other that is likely to hurt; what is accepted is drawn in all
// forms.
static void hostile_numbers_are_refused_or_drawn(void **state) {
  static const char *const numbers[] = {"-1",         "0",     "1",          "4294967295",
                                        "4294967296", "1e300", "0.5",        "null",
                                        "\"x\"",      "[]",    "2147483648", "-9007199254740993"};
  const size_t size = strlen(plan_text);
  uint32_t refused = 0, drawn = 0;
  (void)state;
  for (size_t at = 0; at < size; at++) {
    const bool starts = plan_text[at - (at > 0)] == ':' || plan_text[at - (at > 0)] == '[' ||
                        plan_text[at - (at > 0)] == ',';
    const size_t length = strspn(plan_text + at, "-0123456789");
    if (!starts || length == 0) continue;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      char text[sizeof plan_text + 32];
      const char *what;
      host_view v;
      snprintf(text, sizeof text, "%.*s%s%s", (int)at, plan_text, numbers[i],
               plan_text + at + length);
      if (!open_text(&v, text, strlen(text), &what)) {
        assert_true(strlen(what) > 0);
        refused++;
        continue;
      }
      draw_all(&v);
      host_view_close(&v);
      drawn++;
    }
  }
  assert_true(refused > 100 && drawn > 50);
}

static void cut_text_is_refused(void **state) {
  (void)state;
  for (size_t size = 0; size + 1 < sizeof plan_text; size += 7) {
    host_document d;
    const char *what = NULL;
    assert_true(host_document_open(&d));
    assert_false(host_document_parse(&d, plan_text, size, &what));
    assert_non_null(what);
    host_document_close(&d);
  }
}

// ---- documents ----------------------------------------------------------------------------------

static const char *label_of(const host_document *d, int plan) {
  return cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(d->plans, plan), "label"));
}

static void labels_tell_plans_apart(void **state) {
  host_document d;
  const char *what;
  (void)state;
  assert_true(host_document_open(&d));
  for (int i = 0; i < 3; i++) {
    assert_true(host_document_parse(&d, plan_text, strlen(plan_text), &what));
  }
  cJSON_SetValuestring(cJSON_GetObjectItem(cJSON_GetArrayItem(d.plans, 2), "planner"), "id");
  host_document_label(&d);
  assert_string_equal(label_of(&d, 0), "auto");
  assert_string_equal(label_of(&d, 1), "auto (2)");
  assert_string_equal(label_of(&d, 2), "id");
  host_document_close(&d);
}

static void at_most_eight_plans(void **state) {
  host_document d;
  const char *what;
  (void)state;
  assert_true(host_document_open(&d));
  for (uint32_t i = 0; i < HOST_DOCUMENT_PLANS; i++) {
    assert_true(host_document_parse(&d, plan_text, strlen(plan_text), &what));
  }
  assert_false(host_document_parse(&d, plan_text, strlen(plan_text), &what));
  char *text = host_document_print(&d, false);
  assert_non_null(text);
  assert_false(host_document_parse(&d, text, strlen(text), &what));
  free(text);
  host_document_close(&d);
}

static void the_page_holds_the_data_without_markup(void **state) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  host_html_write(out, "{\"x\":\"</script><!--\"}");
  assert_int_equal(fclose(out), 0);
  assert_non_null(strstr(text, "{\"x\":\"\\u003c/script>\\u003c!--\"}"));
  assert_null(strstr(text, "@@"));
  assert_non_null(strstr(text, "</html>"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utf8_is_told_from_other_bytes),
      cmocka_unit_test(cleaned_text_is_one_line_of_utf8),
      cmocka_unit_test(a_view_has_what_the_plan_says),
      cmocka_unit_test(walking_meets_every_step),
      cmocka_unit_test(hostile_numbers_are_refused_or_drawn),
      cmocka_unit_test(cut_text_is_refused),
      cmocka_unit_test(labels_tell_plans_apart),
      cmocka_unit_test(at_most_eight_plans),
      cmocka_unit_test(the_page_holds_the_data_without_markup),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
