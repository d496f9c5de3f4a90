// export_liquid_vtk.c: a liquid for ParaView: a frame's particles as .vtp and its grid as .vti, all
// frames as .pvd. A plugin turns the .vti into .vdb.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtk_file.h"

// --------------------------------------------------------------------------------------- particles

static void put_places(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  for (uint32_t p = 0; p < job->drawing.wet.count; p++)
    for (int c = 0; c < 3; c++) byte_file_f32(out, export_place(job, c, p));
}

static void put_velocities(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  for (uint32_t p = 0; p < job->drawing.wet.count; p++)
    for (int c = 0; c < 3; c++) byte_file_f32(out, export_velocity(job, c, p));
}

static void put_pressures(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  for (uint32_t p = 0; p < job->drawing.wet.count; p++) byte_file_f32(out, export_pressure(job, p));
}

static const vtk_array particle_data[] = {{"Points", FLOAT32, 3, put_places},
                                          {"velocity", FLOAT32, 3, put_velocities},
                                          {"pressure", FLOAT32, 1, put_pressures}, {0}};
static const vtk_array dry_particle_data[] = {{"Points", FLOAT32, 3, put_places},
                                              {"velocity", FLOAT32, 3, put_velocities}, {0}};

// ------------------------------------------------------------------------------------------- cells

static void put_types(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  for (size_t i = 0; i < export_cells(job); i++)
    byte_file_u8(out, job->drawing.wet.type[i] & RECORD_CELL_TYPE);
}

static void put_separating(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  for (size_t i = 0; i < export_cells(job); i++)
    byte_file_u8(out, (job->drawing.wet.type[i] & RECORD_CELL_SEPARATING) != 0);
}

static void put_surface(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  const double unit = job->drawing.recording.head.liquid.spacing/RECORD_SURFACE_UNIT;
  for (size_t i = 0; i < export_cells(job); i++) byte_file_f32(out,
                                                               unit*job->drawing.wet.surface[i]);
}

static void put_cell_pressures(const vtk_piece *of, byte_file *out) {
  const export_job *job = of->job;
  const liquid_frame *frame = &job->drawing.wet;
  for (size_t i = 0; i < export_cells(job); i++) byte_file_f32(out, frame->unit*frame->pressure[i]);
}

static const struct { uint32_t field; vtk_array array; } cell_arrays[] = {
    {RECORD_PRESSURE, {"pressure", FLOAT32, 1, put_cell_pressures}},
    {RECORD_TYPES_OF_CELLS, {"type", UINT8, 1, put_types}},
    {RECORD_TYPES_OF_CELLS, {"separating", UINT8, 1, put_separating}},
    {RECORD_SURFACE, {"surface", FLOAT32, 1, put_surface}}};

// ------------------------------------------------------------------------------------------ a file

static int write_particles(export_job *job, const char *path) {
  const vtk_piece p = {.job = job, .points = job->drawing.wet.count};
  return vtk_write_points(&p, path, job->drawing.wet.pressure ? particle_data : dry_particle_data);
}

static int write_grid(export_job *job, const char *path) {
  const recording_fluid *grid = &job->drawing.recording.head.liquid;
  const int flat = job->drawing.recording.head.dimension == 2;
  char extent[64], about[512];
  text_buffer h;
  vtk_file file;
  byte_file *out = &file.out;
  snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", (int)grid->cells[0], (int)grid->cells[1],
           flat ? 0 : (int)grid->cells[2]);
  byte_file_number_text(grid->spacing, &h);
  snprintf(about, sizeof about, " WholeExtent=\"%s\" Origin=\"0 0 0\" Spacing=\"%s %s %s\"", extent,
           h.text, h.text, h.text);
  const int code = vtk_begin(&file, path, "ImageData", about);
  if (code) return code;
  byte_file_text(out, "    <Piece Extent=\"%s\">\n      <CellData>\n", extent);
  for (size_t k = 0; k < sizeof cell_arrays/sizeof *cell_arrays; k++)
    if (grid->fields & cell_arrays[k].field)
      vtk_declare(&file, &cell_arrays[k].array, (int64_t)export_cells(job));
  byte_file_text(out, "      </CellData>\n");
  return vtk_end(&file, &(vtk_piece){.job = job}, "ImageData");
}

int export_vti(export_job *job) {
  if (!job->drawing.recording.head.liquid.fields) return export_fields(job, RECORD_PRESSURE);
  if (argument(job->args, "what") && job->what != EXPORT_CELLS)
    return fail(CODE_USAGE, "--what = %s is not for .vti: it has cells",
                argument(job->args, "what"));
  return write_grid(job, job->path);
}

int export_liquid_vtp(export_job *job) {
  if (job->what != EXPORT_PARTICLES)
    return fail(CODE_USAGE, "--what = %s is not for .vtp: it has particles; .vti has cells",
                argument(job->args, "what"));
  return write_particles(job, job->path);
}

static int write_series_particles(export_job *job, const void *from, const char *path) {
  (void)from;
  return write_particles(job, path);
}

static int write_series_grid(export_job *job, const void *from, const char *path) {
  (void)from;
  return write_grid(job, path);
}

int export_liquid_pvd(export_job *job) {
  static const vtk_series series[] = {{"particles", "vtp", write_series_particles},
                                      {"grid", "vti", write_series_grid}};
  return vtk_write_series(job, series, job->drawing.recording.head.liquid.fields ? 2 : 1, NULL);
}

// ----------------------------------------------------------------------------------------- OpenVDB

// The plugin is a program: perp-vdb GRID.vti OUT.vdb. A name with a dash in front would be an
// option.
static int run_plugin(const char *grid, const char *out) {
  char from[4200], to[4200];
  snprintf(from, sizeof from, "%s%s", *grid == '-' ? "./" : "", grid);
  snprintf(to, sizeof to, "%s%s", *out == '-' ? "./" : "", out);
  const pid_t child = fork();
  if (child < 0) return fail(CODE_IO, "perp-vdb: %s", strerror(errno));
  if (child == 0) {
    execlp("perp-vdb", "perp-vdb", from, to, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CODE_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return fail(CODE_COMPONENT, "--to vdb needs the plugin perp-vdb, a program that is called as "
                                "'perp-vdb GRID.vti OUT.vdb'; docs/export.md has one for OpenVDB's "
                                "Python module (Debian: apt-get install python3-openvdb)");
  return fail(CODE_COMPONENT, "perp-vdb %s %s failed", from, to);
}

int export_vdb(export_job *job) {
  char path[sizeof job->path + 16];
  const uint32_t fields = RECORD_TYPES_OF_CELLS | RECORD_PRESSURE;
  if (!strcmp(job->path, "-")) return fail(CODE_USAGE, "a .vdb is a file; -o a.vdb names it");
  int code = export_fields(job, fields);
  if (code) return code;
  snprintf(path, sizeof path, "%s.vti", job->path);
  const int64_t files = job->files, bytes = job->bytes;
  code = write_grid(job, path);
  job->files = files, job->bytes = bytes;   // it does not stay
  if (!code) code = run_plugin(path, job->path);
  unlink(path);
  struct stat about;
  if (!code && stat(job->path, &about) != 0)
    code = fail(CODE_COMPONENT, "perp-vdb made no %s", job->path);
  if (!code) job->files++, job->bytes += (int64_t)about.st_size;
  return code;
}
