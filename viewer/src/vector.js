// vector.js: the few operations on [x, y, z] that the views need.
export const dot = (a, b) => a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
export const add = (a, b, s = 1) => [a[0] + s*b[0], a[1] + s*b[1], a[2] + s*b[2]];
export const scale = (a, s) => [s*a[0], s*a[1], s*a[2]];
export const cross = (a, b) =>
  [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]];
export const unit = a => scale(a, 1/(Math.hypot(...a) || 1));

// Some unit vector across n.
export const across = n => unit(cross(n, Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));

// v turned by the quaternion x y z w.
export function turned(v, q) {
  const t = scale(cross(q, v), 2);
  return add(add(v, t, q[3]), cross(q, t));
}
