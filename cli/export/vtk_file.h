// vtk_file.h: XML files of VTK for ParaView: points or triangles (.vtp), a grid (.vti), and a
// collection that names the files of all frames with their times (.pvd).
//
// Numbers are appended raw: <AppendedData> holds, after an underscore, for each array the number of
// its bytes as UInt64 and then the bytes; `offset` counts from behind the underscore.
#pragma once

#include "body_mesh.h"
#include "export.h"

typedef enum vtk_type { FLOAT32, FLOAT64, INT32, UINT8 } vtk_type;

typedef struct vtk_piece {     // what the arrays of a file read
  export_job *job;
  const mesh_set *set;         // of bodies that are drawn as triangles; NULL: points
  const record_touch *touch;   // of contacts
  int64_t points, triangles;
  void (*corners)(const struct vtk_piece *p, byte_file *out);   // of the triangles; NULL: points
} vtk_piece;

typedef struct vtk_array {
  const char *name;
  vtk_type type;
  int components;
  void (*write)(const vtk_piece *p, byte_file *out);
} vtk_array;

enum { VTK_ARRAYS = 16 };
typedef struct vtk_file {      // the arrays in the order of the file, and their lengths
  byte_file out;
  const vtk_array *array[VTK_ARRAYS];
  int64_t count[VTK_ARRAYS];   // tuples
  int arrays;
  int64_t offset;
} vtk_file;

// Begins a file and writes its time. type: PolyData, ImageData; about: attributes of that element.
int vtk_begin(vtk_file *f, const char *path, const char *type, const char *about);
void vtk_declare(vtk_file *f, const vtk_array *a, int64_t count);
int vtk_end(vtk_file *f, const vtk_piece *p, const char *type);   // writes the numbers, closes it

// A .vtp file. The first of the arrays is the points' positions; an array without a name ends them.
int vtk_write_points(const vtk_piece *p, const char *path, const vtk_array *arrays);

// A series has a file for each frame: FOLDER/NAME_0000.ENDING and so on.
typedef struct vtk_series {
  const char *name, *ending;
  int (*write)(export_job *job, const void *from, const char *path);
} vtk_series;

// The series of all frames, and their collections. job->path is a.pvd, the collection of the first
// series; the folder is a, and the collections of the others are a_NAME.pvd.
int vtk_write_series(export_job *job, const vtk_series *series, int count, const void *from);
