// solids.js: the solids around a liquid as outlines, for both renderers.
import {BOX, HOLLOW, PLANE, SPHERE} from './recording.js';
import {add, dot, scale, turned} from './vector.js';

export {BOX, HOLLOW, PLANE, SPHERE};
export const TANK = 4;                           // all but the inside of a box
export const holds = ({shape}) => shape === HOLLOW || shape === TANK;   // the liquid is inside

// The twelve edges of a box from the origin, as pairs of points.
export function edgesOf(size) {
  return [0, 1, 2].flatMap(c => [[0, 0], [0, 1], [1, 0], [1, 1]].map(([s, t]) => {
    const from = [0, 0, 0], to = [0, 0, 0];
    from[(c + 1) % 3] = to[(c + 1) % 3] = s*size[(c + 1) % 3];
    from[(c + 2) % 3] = to[(c + 2) % 3] = t*size[(c + 2) % 3];
    to[c] = size[c];
    return [from, to];
  }));
}

// The outline of a solid in the plane, as points.
export function outline({shape, extent, offset}, {position, orientation}, box) {
  const [x, y] = position, square = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  if (shape === SPHERE || shape === HOLLOW) {
    return Array.from({length: 128}, (_, k) =>
      [x + extent[0]*Math.cos(k*Math.PI/64), y + extent[0]*Math.sin(k*Math.PI/64)]);
  }
  if (shape === PLANE) {                         // a large square behind it
    const far = 9*Math.hypot(...box), middle = [box[0]/2, box[1]/2, 0];
    const along = [-extent[1], extent[0], 0];
    const foot = add(middle, extent, offset - dot(middle, extent));
    return square.map(([s, t]) => add(add(foot, extent, far*(s - 1)), along, far*t));
  }
  return square.map(([s, t]) => add(position, turned([s*extent[0], t*extent[1], 0], orientation)));
}

// Where a plane is nearest to the middle of the box.
export function footOf({extent, offset}, box) {
  const middle = scale(box, 0.5);
  return add(middle, extent, offset - dot(middle, extent));
}
