// export_vtk.h: an XML file of VTK, of bodies (export_vtk.c) or of a liquid (export_liquid_vtk.c).
//
// Numbers are appended raw: <AppendedData> holds, after an underscore, for each array the number of
// its bytes as UInt64 and then the bytes; `offset` counts from behind the underscore.
#pragma once

#include "export.h"
#include "body_mesh.h"

typedef enum vtk_type { FLOAT32, FLOAT64, INT32, UINT8 } vtk_type;

typedef struct piece {         // what is written
  export_job *job;
  const mesh_set *set;         // NULL: points
  const record_touch *touch;   // contacts, not bodies
  int64_t points, cells, corners;   // corners: entries of the connectivity
} piece;

typedef struct vtk_array {
  const char *name;
  vtk_type type;
  int components;
  void (*write)(const piece *p, byte_file *out);
} vtk_array;

enum { VTK_ARRAYS = 16 };
typedef struct vtk_file {      // arrays in the order of the file, and how long they are
  byte_file out;
  const vtk_array *array[VTK_ARRAYS];
  int64_t count[VTK_ARRAYS];   // tuples
  int arrays;
  int64_t offset;
} vtk_file;

// As far as the time. type: PolyData, ImageData; about: attributes of that element
int vtk_begin(vtk_file *f, const char *path, const char *type, const char *about);
void vtk_declare(vtk_file *f, const vtk_array *a, int64_t count);
int vtk_end(vtk_file *f, const piece *p, const char *type);   // the numbers, and the end
