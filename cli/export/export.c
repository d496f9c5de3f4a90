// export.c: perp export: a recording for other programs: meshes, animations, tables, arrays.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "interrupt.h"
#include "numbered.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

// The first of a name is the usual one.
static const export_format formats[] = {
    {"ply", ".ply", "points ascii colour detail", 1, 0, export_ply, export_liquid_ply,
     "points ascii colour what"},
    {"obj", ".obj", "", 1, 1, NULL, export_surface_obj, "what"},
    {"vtk", ".pvd", "points detail", 0, 0, export_pvd, export_liquid_pvd, "points"},
    {"vtk", ".vtp", "points detail what", 1, 0, export_vtp, export_liquid_vtp, "points what"},
    {"vtk", ".vti", "", 1, 1, NULL, export_vti, "what"},
    {"glb", ".glb", "detail", 0, 0, export_glb, NULL, ""},
    {"csv", ".csv", "what", 0, 1, export_csv, export_liquid_csv, "what"},
    {"npy", ".npz", "", 0, 1, export_npz, export_npz, ""},
    {"npy", ".npy", "what", 0, 1, export_npy, export_npy, "what"},
    {"vdb", ".vdb", "", 1, 1, NULL, export_vdb, ""},
    {0}};

// ------------------------------------------------------------------------------------------ frames

int export_frame(export_job *job, int64_t index) {
  if (interrupt_seen()) return CODE_INTERRUPTED;
  drawing *from = &job->drawing;
  const int code = drawing_at(from, (double)(job->first + index*job->stride), job->colour);
  if (code || !from->recording.head.fluid) return code;
  const int64_t all = drawing_particles(from);
  if (all > job->scene) job->scene = all;
  if (from->wet.count > job->particles) job->particles = from->wet.count;
  return CODE_OK;
}

double export_time(const export_job *job) {
  return (double)job->drawing.frame*drawing_interval(&job->drawing);
}

const record_touch *export_touches(export_job *job, uint32_t *count) {
  const drawing *from = &job->drawing;
  const int told = from->touches != RECORD_NO_TOUCHES;
  *count = told ? from->touches : 0;
  job->untold += !told;
  return from->touch;
}

void export_state(const export_job *job, int32_t i, double state[RECORD_COMPONENTS]) {
  const drawing *from = &job->drawing;
  const int32_t slot = from->slot[i];
  memset(state, 0, RECORD_COMPONENTS*sizeof *state);
  memcpy(state, from->body[i].position, 3*sizeof *state);
  memcpy(state + 3, from->body[i].orientation, 4*sizeof *state);
  for (int c = 0; c < RECORD_COMPONENTS && slot >= 0; c++)
    state[c] = (double)record_frame(from->now, c, from->within)[slot];
}

double export_radius(const render_body *body) {
  const double *e = body->extent;
  return body->shape == RENDER_BOX ? hypot(hypot(e[0], e[1]), e[2]) : e[0];
}

int export_count_touches(export_job *job, int64_t *count) {
  *count = 0;
  for (int64_t k = 0; k < job->frames; k++) {
    const int code = export_frame(job, k);
    if (code) return code;
    if (job->drawing.touches != RECORD_NO_TOUCHES) *count += job->drawing.touches;
  }
  return CODE_OK;
}

int64_t export_rows(const export_job *job, int64_t *first) {
  const int64_t every = job->drawing.recording.head.every;
  const int64_t rows = job->drawing.statistics.rows;
  int64_t end = job->last*every + 1;
  if (end > rows || job->last == job->drawing.recording.frames - 1) end = rows;
  *first = job->first*every < end ? job->first*every : end;
  return end - *first;
}

void export_progress(export_job *job) {
  progress_count(&job->live, "frames", ++job->done, job->frames, progress_now() - job->start);
}

// ----------------------------------------------------------------------------------------- options

static int takes(const export_format *format, const char *option) {
  return !option || strstr(format->options, option) || strstr(format->wet, option);
}

// The endings of the formats that take this option; of all formats: NULL.
static const char *format_list(const char *option, char *out, size_t size) {
  const export_format *last = NULL;
  *out = 0;
  for (const export_format *f = formats; f->name; f++)
    if (takes(f, option)) last = f;
  for (const export_format *f = formats; f->name; f++)
    if (takes(f, option))
      text_append(out, size, "%s%s", !*out ? "" : f != last ? ", " : " or ", f->ending);
  return out;
}

static int has_ending(const char *path, const char *ending) {
  const size_t length = strlen(path), wanted = strlen(ending);
  return length >= wanted && !strcmp(path + length - wanted, ending);
}

// By --to, by the ending of the name, or by both: of the formats of a name the ending chooses.
static int find_format(export_job *job, const char *path) {
  const char *to = argument(job->args, "to");
  char plain[sizeof job->path], list[256];
  snprintf(plain, sizeof plain, "%s", path ? path : "");
  if (has_ending(plain, ".gz")) plain[strlen(plain) - 3] = 0;
  for (const export_format *f = formats; f->name; f++) {
    if (to && strcmp(to, f->name) != 0) continue;
    if (to && !job->format) job->format = f;
    if (!has_ending(plain, f->ending)) continue;
    job->format = f;
    return CODE_OK;
  }
  if (job->format) return CODE_OK;
  if (!path) return fail(CODE_USAGE, "the name or format of the file is missing; give -o a.ply, "
                                     ".pvd, .glb, .csv or .npz, or --to NAME");
  return fail(CODE_USAGE, "--output = %s: the name must end in %s, or --to must name the format",
              path, format_list(NULL, list, sizeof list));
}

static int check_options(const export_job *job) {
  static const char *const names[] = {"points", "ascii", "what", "colour", "detail"};
  for (size_t k = 0; k < sizeof names/sizeof *names; k++) {
    if (!argument(job->args, names[k]) || takes(job->format, names[k])) continue;
    char list[128];
    return fail(CODE_USAGE, "--%s does not work with %s, only with %s", names[k],
                job->format->ending, format_list(names[k], list, sizeof list));
  }
  if (argument(job->args, "frame") && argument(job->args, "frames"))
    return fail(CODE_USAGE, "--frame and --frames exclude each other");
  return CODE_OK;
}

static int choose_path(export_job *job) {
  const char *given = argument(job->args, "output"), *from = job->args->operand[0];
  int code = find_format(job, given);
  if (code) return code;
  if (!given && !strcmp(from, "-"))
    return fail(CODE_USAGE, "the name of the file is missing; give it with -o, such as -o a%s",
                job->format->ending);
  if (!recording_output(given, from, job->format->ending, job->path, sizeof job->path - 64))
    return fail(CODE_USAGE, "the name of the file is too long");
  if (!strcmp(job->format->ending, ".pvd") && has_ending(job->path, ".gz"))
    return fail(CODE_USAGE, "--output = %s: a .pvd collection cannot be compressed", job->path);
  const int places = numbered_places(job->path);
  if (places > job->format->one)
    return fail(CODE_USAGE, "--output = %s has %d places for a number", job->path, places);
  return CODE_OK;
}

// A whole number in front of `end`; nothing keeps the value.
static int read_part(const char **at, char end, int64_t *value) {
  if (**at == end || !**at) {
    *at += **at == end && end;
    return 1;
  }
  char *stop;
  errno = 0;
  const long long number = strtoll(*at, &stop, 10);
  if (stop == *at || errno || (*stop && *stop != end)) return 0;
  *at = *stop && end ? stop + 1 : stop;
  *value = number;
  return 1;
}

// --frames A:B:S, of which each may be missing; B is the last one.
static int read_frames(export_job *job) {
  const int64_t last = job->drawing.recording.frames - 1;
  const char *one = argument(job->args, "frame"), *many = argument(job->args, "frames"), *at = many;
  const int numbered = numbered_places(job->path) > 0;
  job->last = last;
  job->stride = 1;
  if (!one && !many && job->format->one && !numbered) job->first = last;
  const int code = settings_whole(job->args, "frame", 0, last, &job->first);
  if (code) return code;
  if (one) job->last = job->first;
  if (many) {
    const int colon = strchr(many, ':') != NULL;
    if (!colon || !read_part(&at, ':', &job->first) || !read_part(&at, ':', &job->last) ||
        !read_part(&at, 0, &job->stride) || *at)
      return fail(CODE_USAGE, "--frames = %s is not of the form FIRST:LAST[:STEP]", many);
    if (job->first < 0 || job->last > last || job->first > job->last)
      return fail(CODE_USAGE, "--frames = %s: %lld to %lld is not within [0, %lld]", many,
                  (long long)job->first, (long long)job->last, (long long)last);
    if (job->stride < 1)
      return fail(CODE_USAGE, "--frames = %s: the step %lld is not positive", many,
                  (long long)job->stride);
  }
  job->frames = (job->last - job->first)/job->stride + 1;
  job->last = job->first + (job->frames - 1)*job->stride;
  return CODE_OK;
}

static int read_options(export_job *job) {
  int32_t to, what = EXPORT_BODIES, colour = DRAWING_GROUP;
  int64_t parts = 0;
  int code = settings_choice(job->args, "to", &to);
  if (!code) code = choose_path(job);
  if (!code) code = check_options(job);
  if (!code) code = settings_choice(job->args, "what", &what);
  if (!code) code = settings_choice(job->args, "colour", &colour);
  if (!code) code = settings_whole(job->args, "detail", 1, 64, &parts);
  job->detail = (int32_t)parts;
  job->what = (export_what)what;
  job->colour = job->format && job->format->bare ? DRAWING_NONE : (drawing_colour)colour;
  job->points = argument(job->args, "points") != NULL;
  job->ascii = argument(job->args, "ascii") != NULL;
  return code;
}

// ----------------------------------------------------------------------------------------- writing

static int write_one(export_job *job) {
  if (!job->drawing.recording.head.fluid) return job->format->write(job);
  if (job->what == EXPORT_SURFACE && !strcmp(job->format->name, "ply"))
    return export_surface_ply(job);
  return job->format->liquid(job);
}

// A file per frame: a.ply becomes a_0000.ply, ... if there are many and it has no %04d.
static int write_numbered(export_job *job) {
  char pattern[sizeof job->path];
  snprintf(pattern, sizeof pattern, "%s", job->path);
  const int many = job->frames > 1 || argument(job->args, "frames");
  if (many && !strcmp(pattern, "-"))
    return fail(CODE_USAGE, "the standard output takes one frame; --frame chooses it");
  if (many && !numbered_places(pattern)) {
    char *slash = strrchr(job->path, '/'), *dot = strrchr(job->path, '.');
    const size_t gz = has_ending(job->path, ".gz") ? 3 : 0;
    if (gz) {
      job->path[strlen(job->path) - gz] = 0;
      dot = strrchr(job->path, '.');
    }
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - job->path)
                                                       : strlen(job->path);
    snprintf(pattern, sizeof pattern, "%.*s_%%04d%.200s%s", (int)stem, job->path,
             job->path + stem, gz ? ".gz" : "");
  }
  int code = CODE_OK;
  for (int64_t k = 0; k < job->frames && !code; k++) {
    if (!numbered_path(pattern, job->first + k*job->stride, job->path, sizeof job->path))
      return fail(CODE_USAGE, "the name of the file is too long");
    code = export_frame(job, k);
    if (!code) code = write_one(job);
    if (!code) export_progress(job);
  }
  if (many) snprintf(job->path, sizeof job->path, "%s", pattern);
  return code;
}

// Where many bodies are, each needs few triangles.
static int32_t usual_detail(int32_t bodies) {
  return bodies <= 300 ? 12 : bodies <= 3000 ? 8 : bodies <= 30000 ? 5 : 3;
}

// Meshes have the surface, and nothing else has; it is a mesh in space only.
static int check_surface(export_job *job, const char *what, const char *colour) {
  const recording *file = &job->drawing.recording;
  const char *ending = job->format->ending;
  const int ply = !strcmp(ending, ".ply"), obj = !strcmp(ending, ".obj");
  if (job->what != EXPORT_SURFACE) {
    if (obj || (ply && job->what != EXPORT_PARTICLES))
      return fail(CODE_USAGE, "--what = %s is not for %s of a liquid: %ssurface", what, ending,
                  obj ? "" : "particles or ");
    return CODE_OK;
  }
  if (!obj && !ply)
    return fail(CODE_USAGE, "--what = surface is for .ply and .obj, not for %s", ending);
  if (file->head.dimension != 3)
    return fail(CODE_USAGE, "the surface is a mesh in space, and %s is in the plane; 'perp render "
                "--show surface' draws it", file->path);
  if (colour || job->points)
    return fail(CODE_USAGE, "--%s is not for a surface", colour ? "colour" : "points");
  job->colour = DRAWING_NONE;
  const int code = export_fields(job, RECORD_SURFACE);
  return code ? code : liquid_gap(&job->drawing.liquid, &job->drawing.scale.gap);
}

// What a format takes of bodies it may not take of a liquid, and the other way round.
static int check_kind(export_job *job) {
  const int fluid = job->drawing.recording.head.fluid;
  const export_format *format = job->format;
  const char *what = argument(job->args, "what"), *colour = argument(job->args, "colour");
  if (!strcmp(format->name, "glb") && fluid)
    return fail(CODE_USAGE, "a .glb has bodies that move, and %s is a liquid; .ply and .pvd have "
                            "its particles, and 'perp render' draws it",
                job->drawing.recording.path);
  if (!fluid && !format->write)
    return fail(CODE_USAGE, "%s has the %s of a liquid, and %s has bodies", format->ending,
                !strcmp(format->name, "obj") ? "surface" : "grid", job->drawing.recording.path);
  if (argument(job->args, "detail") && fluid)
    return fail(CODE_USAGE, "--detail is not for a liquid");
  if (what && !strstr(fluid ? format->wet : format->options, "what"))
    return fail(CODE_USAGE, "--what is not for %s of %s", format->ending,
                fluid ? "a liquid" : "bodies");
  if (what && job->what != EXPORT_STEPS && fluid != (job->what >= EXPORT_PARTICLES))
    return fail(CODE_USAGE, "--what = %s is not for %s: %s or steps", what,
                fluid ? "a liquid" : "bodies",
                fluid ? "particles, cells, surface" : "bodies, contacts");
  if (colour && fluid && job->colour != DRAWING_SPEED && job->colour != DRAWING_PRESSURE)
    return fail(CODE_USAGE, "--colour = %s is not for a liquid: speed or pressure", colour);
  if (colour && !fluid && job->colour == DRAWING_PRESSURE)
    return fail(CODE_USAGE, "--colour = pressure is for liquids: group, speed or impulse");
  if (!fluid) return CODE_OK;
  if (!what) job->what = strcmp(format->name, "obj") != 0 ? EXPORT_PARTICLES : EXPORT_SURFACE;
  const int code = check_surface(job, what, colour);
  if (code || job->what == EXPORT_SURFACE) return code;
  if (!colour && !format->bare) job->colour = DRAWING_SPEED;
  if (strcmp(format->name, "ply") != 0) job->colour = DRAWING_NONE;
  if (job->colour == DRAWING_NONE) return CODE_OK;
  if (job->colour == DRAWING_PRESSURE && export_fields(job, RECORD_PRESSURE)) return CODE_INPUT;
  return liquid_measure(&job->drawing.liquid, 1, &job->drawing.scale);
}

static int begin(export_job *job) {
  char message[512] = "";
  int code = drawing_open(job->args->operand[0], argument(job->args, "colour") != NULL,
                          &job->drawing);
  if (!code) code = check_kind(job);
  if (code) return code;
  if (!job->detail) job->detail = usual_detail(job->drawing.recording.head.bodies);
  if (!numbered_places(job->path)) code = file_check(job->path, message, sizeof message);
  if (code) return fail(code, "%s", message);
  return read_frames(job);
}

static void report(const export_job *job, double seconds) {
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "output", json_text(job->path));
    json_object_set_new(object, "format", json_string(job->format->name));
    json_object_set_new(object, "frames", json_integer(job->frames));
    json_object_set_new(object, "bodies", json_integer(job->drawing.recording.head.bodies));
    if (job->scene > 0) {
      json_object_set_new(object, "particles", json_integer(job->scene));
      json_object_set_new(object, "recorded", json_integer(job->particles));
    }
    json_object_set_new(object, "files", json_integer(job->files));
    json_object_set_new(object, "bytes", json_integer(job->bytes));
    if (job->what == EXPORT_SURFACE)
      json_object_set_new(object, "triangles", json_integer(job->triangles));
    if (job->rows) json_object_set_new(object, "rows", json_integer(job->rows));
    json_object_set_new(object, "seconds", json_number(seconds));
    return;
  }
  if (argument(job->args, "quiet") || !strcmp(job->path, "-")) return;
  text_buffer frames, bodies, files, rows, triangles, time;
  char what[96] = "";
  const int fluid = job->drawing.recording.head.fluid;
  if (!fluid)
    text_append(what, sizeof what, ", %s",
                text_count(job->drawing.recording.head.bodies, "body", "bodies", &bodies));
  else if (job->scene > 0)
    text_append(what, sizeof what, ", %s%s", job->frames > 1 ? "up to " : "",
                text_count(job->scene, "particle", "particles", &bodies));
  if (job->particles < job->scene)
    text_append(what, sizeof what, ", %lld recorded", (long long)job->particles);
  report_line("recording", "%s: %s%s", job->drawing.recording.path,
              text_count(job->frames, "frame", "frames", &frames), what);
  if (job->particles < job->scene && job->what == EXPORT_PARTICLES)
    report_line("particles", "near the surface only; 'perp run --keep all' records the rest");
  char more[128] = "";
  if (job->files > 1)
    text_append(more, sizeof more, ", %s", text_count(job->files, "file", "files", &files));
  if (job->what == EXPORT_SURFACE)
    text_append(more, sizeof more, ", %s%s",
                text_count(job->triangles, "triangle", "triangles", &triangles),
                job->files > 1 ? " in the last" : "");
  if (job->rows)
    text_append(more, sizeof more, ", %s", text_count(job->rows, "row", "rows", &rows));
  report_line("output", "%s: %.3g MB%s", job->path, 1e-6*(double)job->bytes, more);
  report_line("time", "%s", text_seconds(seconds, &time));
}

static int run(const arguments *args) {
  static export_job kept;
  export_job *job = &kept;
  job->args = args;
  int code = read_options(job);
  if (code) return code;
  interrupt_listen(INTERRUPT_CTRL_C);
  code = begin(job);
  job->live = progress_begin(args, NULL);
  job->start = progress_now();
  if (!code) code = job->format->one ? write_numbered(job) : write_one(job);
  progress_clear();
  if (!code && job->untold > 0)
    warn("the contacts of %lld frames were not recorded; 'perp run --contacts all' records them",
         (long long)job->untold);
  if (!code) report(job, progress_now() - job->start);
  if (code == CODE_INTERRUPTED && job->files > 0)
    fail(code, "interrupted after %lld of %lld frames; %lld whole files are there",
         (long long)job->done, (long long)job->frames, (long long)job->files);
  else if (code == CODE_INTERRUPTED) fail(code, "interrupted; nothing was written");
  if (job->drawing.recording.json) drawing_close(&job->drawing);
  return code;
}

static const option_row rows[] = {
    {"output", 'o', "FILE", OPTION_FILE,
     "the file to write; its ending chooses the format: .ply, .obj, .pvd, .vtp, .vti, .glb, .csv, "
     ".npz, .npy or .vdb (default: the name of the recording); - is the standard output"},
    {"to", 0, "ply|obj|vtk|glb|csv|npy|vdb", OPTION_CHOICE,
     "the format, if the name of the file does not show it"},
    {"frame", 0, "N", OPTION_TEXT,
     "one frame of the recording (default: the last for .ply, .obj, .vtp, .vti and .vdb, otherwise "
     "all)"},
    {"frames", 0, "A:B:S", OPTION_TEXT,
     "every S-th frame from A to B; A, B and S may be omitted, as in 0:, :100 and ::10"},
    {"what", 0, "bodies|contacts|steps|particles|cells|surface", OPTION_CHOICE,
     ".csv, .npy and .vtp: the table or array to write (default bodies, for a liquid particles). "
     ".ply of a liquid in three dimensions: surface writes a triangle mesh of the surface"},
    {"points", 0, NULL, OPTION_FLAG,
     ".ply, .pvd and .vtp: write one point per body instead of a mesh"},
    {"colour", 0, "group|speed|impulse|pressure", OPTION_CHOICE,
     ".ply: the quantity shown by colours: group, speed or impulse of bodies (default group), "
     "speed or pressure of a liquid (default speed)"},
    {"detail", 0, "N", OPTION_TEXT,
     "a sphere has 8 N^2 triangles (in [1, 64], default 12, fewer with many bodies)"},
    {"ascii", 0, NULL, OPTION_FLAG, ".ply: write numbers as text"},
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

extern const command command_export;
const command command_export = {
  .name = "export",
  .title = "write a recording for other programs: PLY, OBJ, VTK, glTF, CSV, NumPy",
  .synopsis = {"FILE -o a.glb [OPTION]...", "FILE -o a.pvd [--points] [OPTION]...",
               "FILE -o a.ply [--frame N] [OPTION]...",
               "FILE -o a.csv [--what NAME] [OPTION]..."},
  .description =
    "Writes a recording of 'perp run' in the formats of other programs.\n\n"
    "Bodies: glb (glTF 2.0) has the bodies and their motion, for Blender, browsers and viewers. "
    "vtk is a collection for ParaView with times, velocities and contacts. ply has the meshes of "
    "one frame, or one point per body. csv and npy have the numbers.\n\n"
    "Liquids: ply and vtk have the particles with their velocities. ply with --what surface, and "
    "obj, have a closed mesh of the surface (in three dimensions). vtk and npy also have the grid "
    "with pressure, cell types and separating cells. vdb needs a plugin; the message names it.\n\n"
    "A .ply, .obj, .vtp, .vti or .vdb file holds one frame. With --frames, or with a name such as "
    "a_%04d.ply, each frame gets its own file, numbered as in the recording. The same recording "
    "gives the same bytes. Ctrl-C or a full disk leaves no partial file behind.",
  .options = rows,
  .operands_min = 1,
  .operands_max = 1,
  .operand_kind = OPERAND_FILE,
  .operands_help = "a recording, such as a.perp,",
  .examples = {
    {"perp export a.perp -o a.glb", "the scene in motion"},
    {"perp export a.perp -o a.pvd --frames ::10", "every tenth frame, for ParaView"},
    {"perp export dam.perp -o dam_%04d.ply --what surface", "the surface of a liquid, for each frame"},
    {"perp export a.perp -o energy.csv --what steps", "what the solver did in each step"},
  },
  .run = run,
};
