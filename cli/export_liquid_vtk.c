// export_liquid_vtk.c: a liquid for ParaView: particles as .vtp, the grid as .vti, and .pvd, which
// names such files with their times. And .vdb, which a plugin makes of a .vti.
//
// Numbers are appended raw, as in export_vtk.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export.h"

typedef struct array {
  const char *name, *type;
  int components, bytes;       // of a number
  void (*write)(const export_job *job, sink *out);
} array;

// --------------------------------------------------------------------------------------- particles

static void put_places(const export_job *job, sink *out) {
  for (uint32_t p = 0; p < job->footage.wet.count; p++)
    for (int c = 0; c < 3; c++) sink_f32(out, export_place(job, c, p));
}

static void put_velocities(const export_job *job, sink *out) {
  for (uint32_t p = 0; p < job->footage.wet.count; p++)
    for (int c = 0; c < 3; c++) sink_f32(out, export_velocity(job, c, p));
}

static void put_pressures(const export_job *job, sink *out) {
  for (uint32_t p = 0; p < job->footage.wet.count; p++) sink_f32(out, export_pressure(job, p));
}

static void put_corners(const export_job *job, sink *out) {   // each point is a cell
  for (uint32_t p = 0; p < job->footage.wet.count; p++) sink_u32(out, p);
}

static void put_ends(const export_job *job, sink *out) {
  for (uint32_t p = 0; p < job->footage.wet.count; p++) sink_u32(out, p + 1);
}

static void put_time(const export_job *job, sink *out) { sink_f64(out, export_time(job)); }

static const array time_array = {"TimeValue", "Float64", 1, 8, put_time};
static const array point_array = {"Points", "Float32", 3, 4, put_places};
static const array corner_array = {"connectivity", "Int32", 1, 4, put_corners};
static const array end_array = {"offsets", "Int32", 1, 4, put_ends};
static const array particle_arrays[] = {{"velocity", "Float32", 3, 4, put_velocities},
                                        {"pressure", "Float32", 1, 4, put_pressures}};

// ------------------------------------------------------------------------------------------- cells

static void put_types(const export_job *job, sink *out) {
  for (size_t i = 0; i < export_cells(job); i++)
    sink_u8(out, job->footage.wet.type[i] & RECORD_CELL_TYPE);
}

static void put_separating(const export_job *job, sink *out) {
  for (size_t i = 0; i < export_cells(job); i++)
    sink_u8(out, (job->footage.wet.type[i] & RECORD_CELL_SEPARATING) != 0);
}

static void put_surface(const export_job *job, sink *out) {
  const double unit = job->footage.recording.head.liquid.spacing/RECORD_SURFACE_UNIT;
  for (size_t i = 0; i < export_cells(job); i++) sink_f32(out, unit*job->footage.wet.surface[i]);
}

static void put_cell_pressures(const export_job *job, sink *out) {
  const liquid_frame *frame = &job->footage.wet;
  for (size_t i = 0; i < export_cells(job); i++) sink_f32(out, frame->unit*frame->pressure[i]);
}

static const struct { uint32_t field; array array; } cell_arrays[] = {
    {RECORD_PRESSURE, {"pressure", "Float32", 1, 4, put_cell_pressures}},
    {RECORD_TYPES_OF_CELLS, {"type", "UInt8", 1, 1, put_types}},
    {RECORD_TYPES_OF_CELLS, {"separating", "UInt8", 1, 1, put_separating}},
    {RECORD_SURFACE, {"surface", "Float32", 1, 4, put_surface}}};

// ------------------------------------------------------------------------------------------ a file

enum { ARRAYS = 8 };
typedef struct layout {        // arrays in the order of the file, and how long they are
  const array *array[ARRAYS];
  int64_t count[ARRAYS];       // tuples
  int arrays;
  int64_t offset;
} layout;

static void declare(layout *l, sink *out, const array *a, int64_t count, const char *more) {
  l->array[l->arrays] = a;
  l->count[l->arrays++] = count;
  sink_text(out, "        <DataArray type=\"%s\" Name=\"%s\"", a->type, a->name);
  if (a->components > 1) sink_text(out, " NumberOfComponents=\"%d\"", a->components);
  sink_text(out, "%s format=\"appended\" offset=\"%lld\"/>\n", more, (long long)l->offset);
  l->offset += 8 + count*a->components*a->bytes;
}

static void begin_file(sink *out, layout *l, const char *type, const char *about) {
  sink_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                 "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <%s%s>\n"
                 "    <FieldData>\n", type, type, about);
  declare(l, out, &time_array, 1, " NumberOfTuples=\"1\"");
  sink_text(out, "    </FieldData>\n");
}

static int end_file(export_job *job, sink *out, const layout *l, const char *type) {
  sink_text(out, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", type);
  for (int k = 0; k < l->arrays; k++) {
    const array *a = l->array[k];
    sink_u64(out, (uint64_t)(l->count[k]*a->components*a->bytes));
    a->write(job, out);
  }
  sink_text(out, "\n  </AppendedData>\n</VTKFile>\n");
  return sink_close(out, job);
}

static int write_particles(export_job *job, const char *path) {
  const int64_t count = job->footage.wet.count;
  layout l = {0};
  sink file, *out = &file;
  const int code = sink_open(out, path);
  if (code) return code;
  begin_file(out, &l, "PolyData", "");
  sink_text(out, "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" "
                 "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n      <PointData>\n",
            (long long)count, (long long)count);
  declare(&l, out, &particle_arrays[0], count, "");
  if (job->footage.wet.pressure) declare(&l, out, &particle_arrays[1], count, "");
  sink_text(out, "      </PointData>\n      <Points>\n");
  declare(&l, out, &point_array, count, "");
  sink_text(out, "      </Points>\n      <Verts>\n");
  declare(&l, out, &corner_array, count, "");
  declare(&l, out, &end_array, count, "");
  sink_text(out, "      </Verts>\n");
  return end_file(job, out, &l, "PolyData");
}

static int write_grid(export_job *job, const char *path) {
  const recording_fluid *grid = &job->footage.recording.head.liquid;
  const int flat = job->footage.recording.head.dimension == 2;
  char extent[64], about[512];
  text_buffer h;
  layout l = {0};
  sink file, *out = &file;
  const int code = sink_open(out, path);
  if (code) return code;
  snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", (int)grid->cells[0], (int)grid->cells[1],
           flat ? 0 : (int)grid->cells[2]);
  sink_number_text(grid->spacing, &h);
  snprintf(about, sizeof about, " WholeExtent=\"%s\" Origin=\"0 0 0\" Spacing=\"%s %s %s\"", extent,
           h.text, h.text, h.text);
  begin_file(out, &l, "ImageData", about);
  sink_text(out, "    <Piece Extent=\"%s\">\n      <CellData>\n", extent);
  for (size_t k = 0; k < sizeof cell_arrays/sizeof *cell_arrays; k++)
    if (grid->fields & cell_arrays[k].field)
      declare(&l, out, &cell_arrays[k].array, (int64_t)export_cells(job), "");
  sink_text(out, "      </CellData>\n");
  return end_file(job, out, &l, "ImageData");
}

int export_vti(export_job *job) {
  if (!job->footage.recording.head.liquid.fields) return export_fields(job, RECORD_PRESSURE);
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

// ------------------------------------------------------------------------------------- collections

// a.pvd and a_grid.pvd name the files a/particles_0000.vtp, a/grid_0000.vti, ...
int export_liquid_pvd(export_job *job) {
  char folder[4096], path[4200];
  const int cells = job->footage.recording.head.liquid.fields != 0;
  if (!strcmp(job->path, "-"))
    return fail(CODE_USAGE, "a collection has many files; -o a.pvd names them");
  const char *ending = strrchr(job->path, '.'), *slash = strrchr(job->path, '/');
  const size_t stem = ending && (!slash || ending > slash + 1) && ending > job->path
                          ? (size_t)(ending - job->path) : strlen(job->path);
  snprintf(folder, sizeof folder, "%.*s", (int)stem, job->path);
  if (!strcmp(folder, job->path)) strcat(folder, "_files");
  int code = CODE_OK;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    code = fail(CODE_IO, "%s: %s", folder, strerror(errno));
  for (int64_t k = 0; k < job->frames && !code; k++) {
    const long long frame = (long long)(job->first + k*job->stride);
    code = export_frame(job, k);
    snprintf(path, sizeof path, "%s/particles_%04lld.vtp", folder, frame);
    if (!code) code = write_particles(job, path);
    snprintf(path, sizeof path, "%s/grid_%04lld.vti", folder, frame);
    if (!code && cells) code = write_grid(job, path);
    if (!code) export_progress(job);
  }
  const char *name = slash ? folder + (slash + 1 - job->path) : folder;
  snprintf(path, sizeof path, "%.*s_grid.pvd", (int)stem, job->path);
  if (!code && cells) code = export_collection(job, path, name, "grid", "vti");
  if (!code) code = export_collection(job, job->path, name, "particles", "vtp");
  return code;
}

// ------------------------------------------------------------------------------------------ OpenVDB

// The plugin is a program: perp-vdb GRID.vti OUT.vdb. A name with a dash in front would be an option.
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
