// render.c: perp render: a recording as a video, as pictures, or as one picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "drawing.h"
#include "interrupt.h"
#include "numbered.h"
#include "progress.h"
#include "render_caption.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"
#include "video.h"

enum {
  SIDE_PIXELS_MIN = 64, SIDE_PIXELS_MAX = 7680,   // of a picture
  FRAMES_MAX = 10000000,       // of a video
  PARTS_MAX = 2,               // recordings side by side
  SEAM_PIXELS = 2              // between them
};
typedef enum output_kind { OUTPUT_PICTURE, OUTPUT_PICTURES, OUTPUT_VIDEO } output_kind;

typedef struct part {          // a recording, and its place in the picture
  drawing drawing;
  render *render;
  render_camera view;
  int32_t left, width;
  int64_t row;                 // of the picture before, or -1
} part;

typedef struct session {
  const arguments *args;
  const char *path;
  output_kind kind;
  int32_t size[2];             // pixels
  int64_t supersample, threads;
  double fps, speed;
  double camera[3];            // azimuth, elevation, zoom
  drawing_colour colour;
  drawing_show show;
  int contacts, caption, separating;
  part part[PARTS_MAX];
  int parts;
  unsigned char *pixel;        // of all parts, if there are more than one
  video *video;
  int64_t total, done;
} session;

// ---------------------------------------------------------------------------------------- options

static int read_size(session *s) {
  const char *text = argument(s->args, "size");
  const int code = settings_size(s->args, "size", "1280x720", SIDE_PIXELS_MIN, SIDE_PIXELS_MAX,
                                 s->size);
  if (!code && text && s->kind == OUTPUT_VIDEO && (s->size[0] % 2 || s->size[1] % 2))
    return fail(CODE_USAGE, "--size = %s: the sides of a video are even", text);
  return code;
}

static int read_camera(session *s) {
  static const char *const names[] = {"azimuth", "elevation", "zoom"};
  static const double low[] = {-360, -89, 0.1}, high[] = {360, 89, 100};
  const char *text = argument(s->args, "camera"), *at = text;
  if (!text) return CODE_OK;
  int k = 0;
  for (; k < 3; k++) {
    char *end;
    s->camera[k] = strtod(at, &end);
    if (end == at || (*end && *end != ',')) break;
    if (!(s->camera[k] >= low[k] && s->camera[k] <= high[k]))
      return fail(CODE_USAGE, "--camera = %s: %s = %g is outside [%g, %g]", text, names[k],
                  s->camera[k], low[k], high[k]);
    at = *end ? end + 1 : end;
    if (!*end) return k > 0 ? CODE_OK : fail(CODE_USAGE, "--camera = %s has no elevation", text);
  }
  return fail(CODE_USAGE, "--camera = %s is not of the form AZIMUTH,ELEVATION[,ZOOM]", text);
}

static int read_output(session *s) {
  s->path = argument(s->args, "output");
  if (!s->path)
    return fail(CODE_USAGE, "the name of the file is missing; give -o a.mp4, -o a.png or "
                            "-o frames_%%04d.png");
  const char *dot = strrchr(s->path, '.');
  const int count = numbered_places(s->path);
  if (dot && !strcmp(dot, ".mp4")) s->kind = OUTPUT_VIDEO;
  else if (dot && !strcmp(dot, ".png")) s->kind = count ? OUTPUT_PICTURES : OUTPUT_PICTURE;
  else
    return fail(CODE_USAGE, "--output = %s: the name must end in .mp4 or .png", s->path);
  if (count > (s->kind == OUTPUT_PICTURES))
    return fail(CODE_USAGE, "--output = %s has %d places for a number", s->path, count);
  if (s->kind != OUTPUT_PICTURE && argument(s->args, "frame"))
    return fail(CODE_USAGE, "--frame is for one picture, such as -o a.png");
  if (s->kind == OUTPUT_PICTURE && (argument(s->args, "fps") || argument(s->args, "speed")))
    return fail(CODE_USAGE, "--fps and --speed are for videos and for pictures %%04d.png");
  return CODE_OK;
}

static int read_options(session *s) {
  const arguments *args = s->args;
  int32_t colour = DRAWING_GROUP, show = DRAWING_PARTICLES;
  int code = read_output(s);
  if (!code) code = read_size(s);
  if (!code) code = read_camera(s);
  if (!code) code = settings_number(args, "fps", 1, 240, &s->fps);
  if (!code) code = settings_number(args, "speed", 0.001, 1000, &s->speed);
  if (!code) code = settings_whole(args, "supersample", 1, 16, &s->supersample);
  if (!code) code = settings_whole(args, "threads", 1, 64, &s->threads);
  if (!code) code = settings_choice(args, "colour", &colour);
  if (!code) code = settings_choice(args, "show", &show);
  s->colour = (drawing_colour)colour;
  s->show = (drawing_show)show;
  s->contacts = argument(args, "contacts") != NULL;
  s->separating = argument(args, "separating") != NULL;
  s->caption = argument(args, "no-caption") == NULL;
  return code;
}

// What is asked for must be in the recording.
static int check_liquid(session *s, const drawing *from) {
  const recording_head *head = &from->recording.head;
  const uint32_t fields = head->liquid.fields;
  if (!argument(s->args, "colour")) s->colour = DRAWING_SPEED;
  if (!argument(s->args, "show"))
    s->show = head->dimension == 3 ? DRAWING_SURFACE : DRAWING_PARTICLES;
  if (s->colour != DRAWING_SPEED && s->colour != DRAWING_PRESSURE)
    return fail(CODE_USAGE, "--colour = %s is not for a liquid: speed or pressure",
                argument(s->args, "colour"));
  if (s->contacts) return fail(CODE_USAGE, "--contacts is not for a liquid");
  if (s->show == DRAWING_GRID && head->dimension == 3)
    return fail(CODE_USAGE, "--show = grid is for scenes in the plane; perp export writes the grid "
                            "for ParaView");
  const uint32_t needed = (s->separating || s->show == DRAWING_GRID ? RECORD_TYPES_OF_CELLS : 0) |
                          (s->show == DRAWING_GRID || s->colour == DRAWING_PRESSURE
                               ? RECORD_PRESSURE : 0);
  if ((fields & needed) != needed)
    return fail(CODE_INPUT, "%s has no %s: 'perp run --fields all' records them",
                from->recording.path, fields & RECORD_PRESSURE ? "types of cells" : "pressures");
  return CODE_OK;
}

static int check_bodies(const session *s) {
  if (argument(s->args, "show")) return fail(CODE_USAGE, "--show is for liquids");
  if (s->separating) return fail(CODE_USAGE, "--separating is for liquids");
  if (s->colour == DRAWING_PRESSURE)
    return fail(CODE_USAGE, "--colour = pressure is for liquids: group, speed or impulse");
  return CODE_OK;
}

// ---------------------------------------------------------------------------------------- drawing

static render_page page_of(const session *s, const part *p) {
  return (render_page){.width = p->width, .height = s->size[1], .separating = s->separating,
                       .colour = s->show == DRAWING_GRID ? DRAWING_PRESSURE : s->colour};
}

static int draw_part(session *s, part *p, double place) {
  drawing *from = &p->drawing;
  const int code = drawing_at(from, place, s->colour);
  if (code) return code;
  if (render_draw(p->render, &from->scene, &p->view)) return fail(CODE_IO, "out of memory");
  if (s->contacts) render_forces(p->render, from, &p->view);
  if (s->separating) render_separating(p->render, from, &p->view);
  if (s->caption) {   // steps between pictures, and between frames, have no picture of their own
    const int64_t row = drawing_row(from), before = row - from->recording.head.every;
    const int64_t since = p->row >= 0 && p->row < before ? p->row : before;
    render_page page = page_of(s, p);
    for (int k = 0; k < s->parts; k++) {   // at one height in all parts
      const render_page other = page_of(s, &s->part[k]);
      page.lifted = page.lifted || render_lifts(&s->part[k].drawing, &other);
    }
    render_caption(p->render, from, since, &page);
    p->row = row;
    render_legend(p->render, from, &page);
  }
  return CODE_OK;
}

// Each recording at the same time; one that is shorter stays at its end.
static int draw(session *s, double seconds) {
  for (int k = 0; k < s->parts; k++) {
    const int code = draw_part(s, &s->part[k], seconds/drawing_interval(&s->part[k].drawing));
    if (code) return code;
  }
  return CODE_OK;
}

static const unsigned char *pixels(session *s) {
  if (s->parts == 1) return render_pixels(s->part[0].render);
  const size_t wide = 3*(size_t)s->size[0];
  for (int k = 0; k < s->parts; k++) {
    const part *p = &s->part[k];
    const unsigned char *from = render_pixels(p->render);
    const size_t line = 3*(size_t)p->width;
    for (size_t y = 0; y < (size_t)s->size[1]; y++)
      memcpy(s->pixel + y*wide + 3*(size_t)p->left, from + y*line, line);
  }
  return s->pixel;
}

static int write_picture(session *s, const char *path) {
  char message[512] = "";
  size_t length = 0;
  unsigned char *png = render_png(pixels(s), s->size[0], s->size[1], &length);
  if (!png) return fail(CODE_IO, "out of memory for %s", path);
  const int code = file_save(path, png, length, message, sizeof message);
  free(png);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static int write_numbered(session *s, int64_t number) {
  char path[4200];
  if (!numbered_path(s->path, number, path, sizeof path))
    return fail(CODE_USAGE, "the name of the file is too long");
  return write_picture(s, path);
}

static int draw_all(session *s) {
  const double start = progress_now(), step = s->speed/s->fps;
  progress live = progress_begin(s->args, NULL);
  int code = CODE_OK;
  while (!code && s->done < s->total) {
    if (interrupt_seen()) {
      code = CODE_INTERRUPTED;
      break;
    }
    code = draw(s, (double)s->done*step);
    if (!code && s->kind == OUTPUT_VIDEO) code = video_frame(s->video, pixels(s));
    else if (!code) code = write_numbered(s, s->done);
    if (!code) progress_count(&live, "frames", ++s->done, s->total, progress_now() - start);
  }
  progress_clear();
  return code;
}

static int draw_one(session *s) {
  const drawing *longest = &s->part[0].drawing;
  for (int k = 1; k < s->parts; k++)
    if (s->part[k].drawing.recording.frames > longest->recording.frames)
      longest = &s->part[k].drawing;
  int64_t frame = longest->recording.frames - 1;
  int code = settings_whole(s->args, "frame", 0, frame, &frame);
  if (code) return code;
  s->total = 1;
  code = draw(s, (double)frame*drawing_interval(longest));
  if (code) return code;
  if (interrupt_seen()) return CODE_INTERRUPTED;
  s->done = 1;
  return write_picture(s, s->path);
}

static void report(const session *s, double seconds) {
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "output", json_text(s->path));
    json_object_set_new(object, "frames", json_integer(s->done));
    json_object_set_new(object, "width", json_integer(s->size[0]));
    json_object_set_new(object, "height", json_integer(s->size[1]));
    json_object_set_new(object, "seconds", json_number(seconds));
    return;
  }
  if (argument(s->args, "quiet")) return;
  text_buffer time, count;
  char text[128] = "";
  text_append(text, sizeof text, "%s of %d x %d",
              text_count(s->done, "frame", "frames", &count), (int)s->size[0], (int)s->size[1]);
  if (s->kind != OUTPUT_PICTURE)
    text_append(text, sizeof text, ", %.3g s at %g a second", (double)s->done/s->fps, s->fps);
  report_line(s->kind == OUTPUT_VIDEO ? "video" : s->done == 1 ? "picture" : "pictures", "%s: %s",
              s->path, text);
  report_line("time", "%s, %.3g frames a second", text_seconds(seconds, &time),
              (double)s->done/fmax(seconds, 1e-9));
}

static int open_parts(session *s) {
  int code = CODE_OK;
  for (int k = 0; k < s->args->operands && !code; k++) {
    drawing *from = &s->part[k].drawing;
    s->part[k].row = -1;
    code = drawing_open(s->args->operand[k], s->contacts || s->colour != DRAWING_GROUP, from);
    if (code) return code;
    s->parts++;
    const recording_head *head = &from->recording.head, *one = &s->part[0].drawing.recording.head;
    if (head->fluid != one->fluid || head->dimension != one->dimension)
      return fail(CODE_INPUT, "%s and %s: a picture shows two scenes in the plane or two in space, "
                              "of bodies or of liquids", s->part[0].drawing.recording.path,
                  from->recording.path);
    code = head->fluid ? check_liquid(s, from) : check_bodies(s);
    from->show = s->show;
    if (!code && head->fluid) code = liquid_measure(&from->liquid, 1, &from->scale);
  }
  if (!code && s->parts == 2) drawing_share(&s->part[0].drawing, &s->part[1].drawing);
  return code;
}

// Side by side, with a seam between them.
static int create_parts(session *s) {
  const int32_t width = (s->size[0] - SEAM_PIXELS*(s->parts - 1))/s->parts;
  for (int k = 0; k < s->parts; k++) {
    part *p = &s->part[k];
    p->left = k*(width + SEAM_PIXELS);
    p->width = k + 1 < s->parts ? width : s->size[0] - p->left;
    const drawing *from = &p->drawing;
    p->view = render_fit(&from->scene, p->width, s->size[1], s->camera[0], s->camera[1],
                         s->camera[2], from->item, from->items);
    p->render = render_create(p->width, s->size[1], (int32_t)s->supersample, (int32_t)s->threads);
    if (!p->render) return fail(CODE_IO, "out of memory for a picture of this size");
  }
  if (s->parts == 1) return CODE_OK;
  const size_t bytes = 3*(size_t)s->size[0]*(size_t)s->size[1];
  s->pixel = malloc(bytes);
  if (!s->pixel) return fail(CODE_IO, "out of memory for a picture of this size");
  memset(s->pixel, 255, bytes);
  return CODE_OK;
}

static int begin(session *s) {
  char message[512] = "";
  int code = s->kind == OUTPUT_VIDEO ? video_check(s->path) : CODE_OK;
  if (!code) code = open_parts(s);
  if (code) return code;
  if (s->kind == OUTPUT_PICTURE) code = file_check(s->path, message, sizeof message);
  if (code) return fail(code, "%s", message);
  double seconds = 0.0;
  for (int k = 0; k < s->parts; k++) {
    const drawing *from = &s->part[k].drawing;
    seconds = fmax(seconds, (double)(from->recording.frames - 1)*drawing_interval(from));
  }
  const double frames = floor(seconds*s->fps/s->speed + 1e-9) + 1.0;
  if (s->kind != OUTPUT_PICTURE && !(frames <= FRAMES_MAX))
    return fail(CODE_USAGE, "%.3g frames are too many; raise --speed or lower --fps", frames);
  s->total = (int64_t)frames;
  code = create_parts(s);
  if (!code && s->kind == OUTPUT_VIDEO)
    code = video_open(s->path, s->size[0], s->size[1], s->fps, &s->video);
  return code;
}

static int run(const arguments *args) {
  session s = {.args = args, .size = {1280, 720}, .fps = 30, .speed = 1,
               .supersample = 3, .camera = {52, 18, 1},
               .threads = settings_threads()};
  int code = read_options(&s);
  if (code) return code;
  interrupt_listen(INTERRUPT_CTRL_C);
  code = begin(&s);
  const double start = progress_now();
  if (!code) code = s.kind == OUTPUT_PICTURE ? draw_one(&s) : draw_all(&s);
  if (!code && s.video) {
    code = video_close(s.video);
    s.video = NULL;
  }
  video_abandon(s.video);
  if (!code) report(&s, progress_now() - start);
  if (code == CODE_INTERRUPTED)
    fail(code, "interrupted after %lld of %lld frames; %s", (long long)s.done, (long long)s.total,
         s.kind == OUTPUT_PICTURES ? "their pictures were written" : "nothing was written");
  for (int k = 0; k < PARTS_MAX; k++) {
    render_destroy(s.part[k].render);
    if (s.part[k].drawing.recording.json) drawing_close(&s.part[k].drawing);
  }
  free(s.pixel);
  return code;
}

static const option_row rows[] = {
    {"output", 'o', "FILE", OPTION_FILE, "a.mp4, a.png, or frames_%04d.png for numbered pictures"},
    {"size", 0, "WxH", OPTION_TEXT, "size in pixels, sides in [64, 7680] (default 1280x720)"},
    {"frame", 0, "N", OPTION_TEXT,
     "which frame of the recording a picture shows (default the last)"},
    {"fps", 0, "N", OPTION_TEXT, "frames per second of a video (in [1, 240], default 30)"},
    {"speed", 0, "X", OPTION_TEXT,
     "seconds of the scene per second of video (in [0.001, 1000], default 1)"},
    {"camera", 0, "A,E[,Z]", OPTION_TEXT,
     "direction of view: azimuth and elevation in degrees, and a zoom factor (default 52,18,1)"},
    {"colour", 0, "group|speed|impulse|pressure", OPTION_CHOICE,
     "the quantity shown by colours: group, speed or impulse of bodies (default group), speed or "
     "pressure of a liquid (default speed)"},
    {"contacts", 0, NULL, OPTION_FLAG, "draw the impulses at the contacts as arrows"},
    {"show", 0, "particles|surface|grid", OPTION_CHOICE,
     "liquids: draw the particles (default in the plane), the surface (default in three "
     "dimensions), or in the plane the cells with their pressure"},
    {"separating", 0, NULL, OPTION_FLAG, "liquids: mark the cells where the liquid leaves a wall"},
    {"no-caption", 0, NULL, OPTION_FLAG, "no text on the picture"},
    {"supersample", 0, "N", OPTION_TEXT,
     "take N x N samples per pixel at edges (in [1, 16], default 3)"},
    {"threads", 0, "N", OPTION_TEXT,
     "number of threads (in [1, 64], default all processors); the picture does not depend on it"},
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

extern const command command_render;
const command command_render = {
  .name = "render",
  .title = "draw a recording as a video or as pictures",
  .synopsis = {"FILE [FILE] -o a.mp4 [OPTION]...", "FILE [FILE] -o a.png [--frame N] [OPTION]...",
               "FILE [FILE] -o frames_%04d.png [OPTION]..."},
  .description =
    "Draws a recording of 'perp run' in software, without a browser or a graphics card. Scenes in "
    "three dimensions have shading and shadows; scenes in the plane are drawn flat. The camera is "
    "placed automatically. The caption has the scene, the time, the number of contacts and the "
    "residual of the step. It is red if the step, or a step since the last picture, was not "
    "solved. Two recordings are drawn side by side, with one clock and one colour scale.\n\n"
    "ffmpeg makes the videos. The same recording gives the same bytes, with any number of threads. "
    "Ctrl-C or a full disk leaves no partial file behind.",
  .options = rows,
  .operands_min = 1,
  .operands_max = PARTS_MAX,
  .operand_kind = OPERAND_FILE,
  .operands_help = "a recording, such as a.perp,",
  .examples = {
    {"perp render a.perp -o a.mp4", "a video in real time"},
    {"perp render a.perp -o a.png --frame 100 --contacts", "one picture, with forces"},
    {"perp render a.perp -o slow.mp4 --speed 0.5 --size 640x360 --camera 20,30,1.5",
     "at half speed, small, and closer"},
    {"perp render slip.perp separating.perp -o both.mp4 --show surface", "two recordings of a "
                                                                         "liquid, side by side"},
  },
  .run = run,
};
