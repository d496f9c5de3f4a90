// view.c: perp view: recordings in one HTML file that plays them.
#include <page.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "replay.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

enum { VIEWS_MAX = 2 };   // recordings on one page

typedef struct session {
  recording recorded[VIEWS_MAX];
  liquid_scale scale[VIEWS_MAX];   // of liquids
  replay packed[VIEWS_MAX];
  int count;
  char path[4096];      // of the page
  size_t bytes;         // written
} session;

static void put(session *s, file_output *out, const void *data, size_t length) {
  file_write(out, data, length);
  s->bytes += length;
}

static void put_text(session *s, file_output *out, const char *text) {
  put(s, out, text, strlen(text));
}

static void put_title(session *s, file_output *out) {
  for (int k = 0; k < s->count; k++) {
    const recording_head *head = &s->recorded[k].head;
    if (k) put_text(s, out, " | ");
    for (const char *c = head->title && *head->title ? head->title : head->scene; *c; c++) {
      switch (*c) {
        case '&': put_text(s, out, "&amp;"); break;
        case '<': put_text(s, out, "&lt;"); break;
        case '>': put_text(s, out, "&gt;"); break;
        default: put(s, out, c, 1);
      }
    }
  }
}

static void put_recordings(session *s, file_output *out) {
  for (int k = 0; k < s->count; k++) {
    put_text(s, out, "<script type=\"text/plain\" class=\"recording\">");
    put(s, out, s->packed[k].text, s->packed[k].length);
    put_text(s, out, "</script>\n");
  }
}

// The page, with title and recordings where its marks are.
static void put_page(session *s, file_output *out) {
  static const struct { const char *mark; void (*write)(session *, file_output *); } parts[] = {
      {"<!--title-->", put_title}, {"<!--recordings-->", put_recordings}};
  const char *from = (const char *)player_page, *end = from + player_page_length;
  for (size_t k = 0; k < sizeof parts/sizeof *parts; k++) {
    const size_t length = strlen(parts[k].mark);
    const char *at = from;
    while (at + length <= end && memcmp(at, parts[k].mark, length) != 0) at++;
    put(s, out, from, (size_t)(at - from));
    parts[k].write(s, out);
    from = at + length;
  }
  put(s, out, from, (size_t)(end - from));
}

static int write_page(session *s) {
  char message[512] = "";
  file_output *out;
  int code = file_create(s->path, &out, message, sizeof message);
  if (code) return fail(code, "%s", message);
  put_page(s, out);
  code = file_commit(out, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static int choose_path(session *s, const arguments *args) {
  const char *given = argument(args, "output"), *from = args->operand[0];
  char message[512] = "";
  if (!given && !strcmp(from, "-"))
    return fail(CODE_USAGE, "the name of the page is missing; give it with -o, such as -o "
                            "replay.html");
  if (!recording_output(given, from, ".html", s->path, sizeof s->path))
    return fail(CODE_USAGE, "the name of the file is too long");
  const int code = file_check(s->path, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static int read_recordings(session *s, const arguments *args) {
  for (int k = 0; k < args->operands; k++) {
    int code = recording_open(args->operand[k], &s->recorded[k]);
    if (code) return code;
    s->count++;
    if (s->recorded[k].frames == 0)
      return fail(CODE_INPUT, "%s: there is no whole frame in it", s->recorded[k].path);
    if (s->recorded[k].head.fluid != s->recorded[0].head.fluid)
      return fail(CODE_INPUT, "%s shows %s, %s shows %s: they cannot share a view",
                  s->recorded[0].path, s->recorded[0].head.fluid ? "a liquid" : "bodies",
                  s->recorded[k].path, s->recorded[k].head.fluid ? "a liquid" : "bodies");
    if (s->recorded[k].head.dimension != s->recorded[0].head.dimension)
      return fail(CODE_INPUT, "%s has %d dimensions, %s has %d: they cannot share a view",
                  s->recorded[0].path, (int)s->recorded[0].head.dimension, s->recorded[k].path,
                  (int)s->recorded[k].head.dimension);
  }
  return CODE_OK;
}

// What colours mean of liquids, measured before they are rounded: those of one scene share it.
static int measure(session *s, int64_t every) {
  int code = CODE_OK;
  for (int k = 0; k < s->count && !code; k++) {
    liquid from;
    liquid_begin(&s->recorded[k], &from);
    code = liquid_measure(&from, every, &s->scale[k]);
    liquid_end(&from);
  }
  if (s->count == VIEWS_MAX && !strcmp(s->recorded[0].head.scene, s->recorded[1].head.scene))
    liquid_share(&s->scale[0], &s->scale[1]);
  return code;
}

static int pack(session *s, replay_settings settings) {
  int code = s->recorded[0].head.fluid ? measure(s, settings.every) : CODE_OK;
  for (int k = 0; k < s->count && !code; k++) {
    settings.scale = &s->scale[k];
    code = replay_make(&s->recorded[k], &settings, &s->packed[k]);
  }
  return code;
}

static void report(const session *s, int quiet) {
  json_t *object = message_object();
  if (object) {
    json_t *list = json_array();
    for (int k = 0; k < s->count; k++) {
      const replay *r = &s->packed[k];
      json_t *about = json_pack("{s:o,s:I,s:I,s:I,s:I}", "recording",
                                json_text(s->recorded[k].path), "frames", (json_int_t)r->frames,
                                "bodies", (json_int_t)r->bodies, "steps", (json_int_t)r->steps,
                                "unsolved", (json_int_t)r->unsolved);
      if (s->recorded[k].head.fluid) {
        json_object_set_new(about, "particles", json_integer(r->particles));
        json_object_set_new(about, "recorded", json_integer(r->recorded));
        json_object_set_new(about, "shown", json_integer(r->kept));
      } else {
        json_object_set_new(about, "contacts", json_integer(r->contacts));
      }
      json_array_append_new(list, about);
    }
    json_object_set_new(object, "page", json_text(s->path));
    json_object_set_new(object, "bytes", json_integer((json_int_t)s->bytes));
    json_object_set_new(object, "recordings", list);
    return;
  }
  if (quiet || !strcmp(s->path, "-")) return;   // the page is on the standard output
  for (int k = 0; k < s->count; k++) {
    const replay *r = &s->packed[k];
    text_buffer frames, bodies, steps;
    char shown[96] = "";
    if (r->recorded < r->particles)
      text_append(shown, sizeof shown, ", %lld recorded", (long long)r->recorded);
    if (r->kept < r->recorded)
      text_append(shown, sizeof shown, " (up to %lld in the page)", (long long)r->kept);
    report_line("recording", "%s: %s%s, %s, %s, %lld not solved", s->recorded[k].path,
                s->recorded[k].head.fluid
                    ? text_count(r->particles, "particle", "particles", &bodies)
                    : text_count(r->bodies, "body", "bodies", &bodies), shown,
                text_count(r->frames, "frame", "frames", &frames),
                text_count(r->steps, "step", "steps", &steps), (long long)r->unsolved);
  }
  report_line("page", "%s, %.1f MB; open it in a browser", s->path, 1e-6*(double)s->bytes);
}

static int run(const arguments *args) {
  static session s;
  replay_settings settings = {.every = 1, .contacts = argument(args, "no-contacts") == NULL};
  if (player_page_length == 0)
    return fail(CODE_COMPONENT, "this perp was built without the player: %s; a build needs a "
                                "network once, and esbuild and curl (Debian: apt-get install "
                                "esbuild curl) or npm", player_missing);
  int code = settings_whole(args, "every", 1, 1000000, &settings.every);
  if (!code) code = settings_whole(args, "particles", 1, 100000000, &settings.particles);
  if (!code) code = settings_whole(args, "cells", 1, 100000000, &settings.cells);
  if (!code) code = choose_path(&s, args);
  if (!code) code = read_recordings(&s, args);
  if (!code) code = pack(&s, settings);
  if (!code) code = write_page(&s);
  if (!code) report(&s, argument(args, "quiet") != NULL);
  for (int k = 0; k < s.count; k++) {
    replay_free(&s.packed[k]);
    recording_close(&s.recorded[k]);
  }
  return code;
}

static const option_row rows[] = {
    {"output", 'o', "FILE", OPTION_FILE,
     "the page (default: the name of the recording with .html); - is the standard output"},
    {"every", 0, "N", OPTION_TEXT,
     "take only every N-th frame, for a smaller page (default 1)"},
    {"no-contacts", 0, NULL, OPTION_FLAG,
     "leave out contacts and their forces, for a smaller page"},
    {"particles", 0, "N", OPTION_TEXT,
     "liquids: at most N particles per frame (default: as many as fit into 50 MB, in three "
     "dimensions into 35 MB)"},
    {"cells", 0, "N", OPTION_TEXT,
     "liquids in three dimensions: at most N cells per frame; if there are more, cells are merged "
     "into blocks (default: 48 million in all frames)"},
    OPTION_JSON,
    OPTION_QUIET,
    {0}};

extern const command command_view;
const command command_view = {
  .name = "view",
  .title = "write a recording as an HTML page that plays it",
  .synopsis = {"A.perp [B.perp] [-o FILE.html] [OPTION]..."},
  .description =
    "Writes one HTML file that contains the recording and a player. It opens with a double click "
    "in any current browser, on phones too, and needs no network and no other file. The player "
    "shows the bodies in motion, contact forces as arrows, and energy, contacts, residual and "
    "iterations over time. Click on a step to see how its residual fell. For a liquid it shows the "
    "particles, the surface or the cells with their pressure (in three dimensions a slice of "
    "them), and where the liquid separates from walls. Steps that were not solved are red. Two "
    "recordings play side by side with one clock. The key ? lists the keys.\n\n"
    "Positions are rounded to 1/65535 of the scene's size or finer, so the file is small: about 10 "
    "bytes per body and frame. Without WebGL the player draws no light and shadow, and says so.",
  .options = rows,
  .operands_min = 1,
  .operands_max = VIEWS_MAX,
  .operands_help = "a recording, such as a.perp,",
  .examples = {
    {"perp view spheres.perp -o spheres.html", "a recording as a page"},
    {"perp view smooth.perp rough.perp -o both.html", "two, side by side"},
    {"perp view hopper.perp --every 4 --no-contacts", "a smaller page of a large recording"},
    {"perp view slip.perp separating.perp", "a liquid with two kinds of walls"},
  },
  .run = run,
};
