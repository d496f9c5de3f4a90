// camera.c: places the camera so that everything is in the picture, and says where a point appears.
#include <stddef.h>

#include "render.h"
#include "point.h"

static const double view_angle = 0.55;   // radians, along the smaller side of the picture
static const double margin = 1.07;       // size of the view relative to what is to be seen
static const double degree = 0.017453292519943295;

static void store(vec a, double out[3]) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

static render_camera fit_flat(const render_scene *scene, render_camera camera, double zoom) {
  const double shorter = camera.width < camera.height ? camera.width : camera.height;
  camera.flat = 1;
  camera.focal = zoom*0.5*shorter/((margin - 0.03)*(scene->radius > 0.0 ? scene->radius : 1.0));
  for (int c = 0; c < 3; c++) camera.eye[c] = scene->center[c];
  if (scene->liquid) {         // all of its box
    const double *size = scene->liquid->size;
    camera.focal = zoom*fmin(camera.width/size[0], camera.height/size[1])/margin;
    for (int c = 0; c < 2; c++) camera.eye[c] = 0.5*size[c];
  }
  camera.right[0] = camera.top[1] = camera.back[2] = 1.0;
  return camera;
}

// For a ball with centre (x, y, z) in the axes of the picture and radius r to be between the left
// and right side of the view, half an angle h wide, from (a, b) at distance D:
//   |x - a| + r/cos h <= tan h (D - z),  and the same with y - b. All of these are linear.
render_camera render_fit(const render_scene *scene, int32_t width, int32_t height, double azimuth,
                         double elevation, double zoom, const render_item *item, int32_t items) {
  render_camera camera = {.width = width, .height = height};
  if (scene->dimension == 2) return fit_flat(scene, camera, zoom);
  const vec up = vec_of(scene->up), east = across(up), north = cross(up, east);
  const double a = degree*azimuth, e = degree*elevation;
  const vec level = along(times(cos(a), east), sin(a), north);
  const vec back = unit(along(times(cos(e), level), sin(e), up));
  const vec right = unit(cross(up, back)), top = cross(back, right);
  const double half = tan(0.5*view_angle), shorter = width < height ? width : height;
  camera.focal = 0.5*shorter/half;
  const double side[2] = {0.5*width/camera.focal, 0.5*height/camera.focal};   // tan h
  const render_item whole = {.center = {scene->center[0], scene->center[1], scene->center[2]},
                             .radius = scene->radius > 0.0 ? scene->radius : 1.0};
  if (items == 0) item = &whole, items = 1;
  double most[2][2], depth = -INFINITY;   // of +-x + tan h z + r/cos h
  for (int k = 0; k < 4; k++) most[k/2][k % 2] = -INFINITY;
  for (int32_t i = 0; i < items; i++) {
    const vec at = vec_of(item[i].center);
    const double z = dot(at, back), place[2] = {dot(at, right), dot(at, top)};
    for (int c = 0; c < 2; c++) {
      const double reach = side[c]*z + item[i].radius*sqrt(1.0 + side[c]*side[c]);
      most[c][0] = fmax(most[c][0], place[c] + reach);
      most[c][1] = fmax(most[c][1], reach - place[c]);
    }
    depth = fmax(depth, z + item[i].radius);
  }
  double distance = depth, aim[2];
  for (int c = 0; c < 2; c++) {
    aim[c] = 0.5*(most[c][0] - most[c][1]);
    distance = fmax(distance, 0.5*(most[c][0] + most[c][1])/side[c]);
  }
  // The margin and the zoom are measured from the middle of what is to be seen.
  const double middle = dot(vec_of(whole.center), back);
  const double away = fmax(distance - middle, 1e-6*whole.radius)*margin/zoom;
  const vec eye = along(along(times(aim[0], right), aim[1], top), middle + away, back);
  store(eye, camera.eye);
  store(right, camera.right);
  store(top, camera.top);
  store(back, camera.back);
  return camera;
}

int render_project(const render_camera *camera, const double point[3], double pixel[2]) {
  const vec from = minus(vec_of(point), vec_of(camera->eye));
  const double depth = camera->flat ? 1.0 : -dot(from, vec_of(camera->back));
  if (!(depth > 1e-9*norm(from))) return 0;
  const double zoom = camera->focal/depth;
  pixel[0] = 0.5*camera->width + zoom*dot(from, vec_of(camera->right));
  pixel[1] = 0.5*camera->height - zoom*dot(from, vec_of(camera->top));
  return 1;
}
