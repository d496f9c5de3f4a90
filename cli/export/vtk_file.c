// vtk_file.c: XML files of VTK: a head that declares the arrays, their numbers, and collections.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "vtk_file.h"

static const struct { const char *name; int bytes; } types[] = {
    [FLOAT32] = {"Float32", 4}, [FLOAT64] = {"Float64", 8}, [INT32] = {"Int32", 4},
    [UINT8] = {"UInt8", 1}};

static int64_t bytes_of(const vtk_array *a, int64_t count) {
  return count*a->components*types[a->type].bytes;
}

static void put_start(byte_file *out, const char *type, const char *about) {
  byte_file_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <%s%s>\n",
                 type, type, about);
}

// ------------------------------------------------------------------------------------------ a file

static void declare(vtk_file *f, const vtk_array *a, int64_t count, const char *more) {
  byte_file *out = &f->out;
  f->array[f->arrays] = a;
  f->count[f->arrays++] = count;
  byte_file_text(out, "        <DataArray type=\"%s\" Name=\"%s\"", types[a->type].name, a->name);
  if (a->components > 1) byte_file_text(out, " NumberOfComponents=\"%d\"", a->components);
  byte_file_text(out, "%s format=\"appended\" offset=\"%lld\"/>\n", more, (long long)f->offset);
  f->offset += 8 + bytes_of(a, count);
}

static void put_time(const vtk_piece *p, byte_file *out) {
  byte_file_f64(out, export_time(p->job));
}

int vtk_begin(vtk_file *f, const char *path, const char *type, const char *about) {
  static const vtk_array time = {"TimeValue", FLOAT64, 1, put_time};
  f->arrays = 0, f->offset = 0;
  const int code = byte_file_open(&f->out, path);
  if (code) return code;
  put_start(&f->out, type, about);
  byte_file_text(&f->out, "    <FieldData>\n");
  declare(f, &time, 1, " NumberOfTuples=\"1\"");
  byte_file_text(&f->out, "    </FieldData>\n");
  return CODE_OK;
}

void vtk_declare(vtk_file *f, const vtk_array *a, int64_t count) { declare(f, a, count, ""); }

int vtk_end(vtk_file *f, const vtk_piece *p, const char *type) {
  byte_file *out = &f->out;
  byte_file_text(out, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", type);
  for (int k = 0; k < f->arrays; k++) {
    byte_file_u64(out, (uint64_t)bytes_of(f->array[k], f->count[k]));
    f->array[k]->write(p, out);
  }
  byte_file_text(out, "\n  </AppendedData>\n</VTKFile>\n");
  return byte_file_close(out, p->job);
}

// ------------------------------------------------------------------------------ points, triangles

static void put_ends(const vtk_piece *p, byte_file *out) {   // where each cell's corners end
  const int64_t cells = p->corners ? p->triangles : p->points, each = p->corners ? 3 : 1;
  for (int64_t k = 1; k <= cells; k++) byte_file_u32(out, (uint32_t)(each*k));
}

static void put_own_corners(const vtk_piece *p, byte_file *out) {   // each point is a cell
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, (uint32_t)k);
}

int vtk_write_points(const vtk_piece *p, const char *path, const vtk_array *arrays) {
  static const vtk_array ends = {"offsets", INT32, 1, put_ends};
  const vtk_array corners = {"connectivity", INT32, 1, p->corners ? p->corners : put_own_corners};
  const int64_t verts = p->corners ? 0 : p->points, cells = p->corners ? p->triangles : p->points;
  const char *kind = p->corners ? "Polys" : "Verts";
  vtk_file file;
  byte_file *out = &file.out;
  const int code = vtk_begin(&file, path, "PolyData", "");
  if (code) return code;
  byte_file_text(out, "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" "
                 "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
                 (long long)p->points, (long long)verts, (long long)(cells - verts));
  byte_file_text(out, "      <PointData%s>\n",
                 p->corners ? " Normals=\"Normals\" Vectors=\"velocity\"" : "");
  for (const vtk_array *a = arrays + 1; a->name; a++) vtk_declare(&file, a, p->points);
  byte_file_text(out, "      </PointData>\n      <Points>\n");
  vtk_declare(&file, arrays, p->points);
  byte_file_text(out, "      </Points>\n      <%s>\n", kind);
  vtk_declare(&file, &corners, p->corners ? 3*cells : cells);
  vtk_declare(&file, &ends, cells);
  byte_file_text(out, "      </%s>\n", kind);
  return vtk_end(&file, p, "PolyData");
}

// ------------------------------------------------------------------------------------- collections

static int write_collection(export_job *job, const char *path, const char *folder,
                            const vtk_series *of) {
  byte_file file;
  const int code = byte_file_open(&file, path);
  text_buffer time;
  if (code) return code;
  put_start(&file, "Collection", "");
  for (int64_t k = 0; k < job->frames; k++) {
    const int64_t frame = job->first + k*job->stride;
    byte_file_number_text((double)frame*drawing_interval(&job->drawing), &time);
    byte_file_text(&file, "    <DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"", time.text);
    for (const char *c = folder; *c; c++) {
      const char *safe = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
      if (safe) byte_file_text(&file, "%s", safe);
      else byte_file_bytes(&file, c, 1);
    }
    byte_file_text(&file, "/%s_%04lld.%s\"/>\n", of->name, (long long)frame, of->ending);
  }
  byte_file_text(&file, "  </Collection>\n</VTKFile>\n");
  return byte_file_close(&file, job);
}

int vtk_write_series(export_job *job, const vtk_series *series, int count, const void *from) {
  char folder[4096], path[4200];
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
    for (int s = 0; s < count && !code; s++) {
      snprintf(path, sizeof path, "%s/%s_%04lld.%s", folder, series[s].name, frame,
               series[s].ending);
      code = series[s].write(job, from, path);
    }
    if (!code) export_progress(job);
  }
  const char *name = slash ? folder + (slash + 1 - job->path) : folder;
  for (int s = count - 1; s >= 0 && !code; s--) {   // the one that the user named comes last
    snprintf(path, sizeof path, "%.*s_%s.pvd", (int)stem, job->path, series[s].name);
    code = write_collection(job, s ? path : job->path, name, &series[s]);
  }
  return code;
}
