// camera.js: the eye: where it is, and how mouse, fingers and wheel move it. Both renderers use it,
// and two recordings share one, each with a centre and a radius of its own.
import {across, add, cross, scale, unit} from './vector.js';

const START = {azimuth: 0.9, elevation: 0.32, zoom: 1, pan: [0, 0]};
const FIELD = 0.55;          // of view, radians, the smaller side of the picture
const MARGIN = 1.04;         // around the ball that is worth seeing

export class Camera {
  constructor(flat, changed) {
    this.flat = flat;        // 2D: looks along -z and does not turn
    this.changed = changed;
    this.reset();
  }

  reset() { Object.assign(this, START, {pan: [0, 0]}); this.changed(); }

  // Eye, axes of the picture and size for a view of width x height pixels on a recording.
  frame({up, view: {center, radius, half: box}}, width, height) {
    const {azimuth: a, elevation: e} = this, east = across(up), north = cross(up, east);
    const level = add(scale(east, Math.cos(a)), north, Math.sin(a));
    const back = this.flat ? [0, 0, 1] : unit(add(scale(level, Math.cos(e)), up, Math.sin(e)));
    const right = this.flat ? [1, 0, 0] : unit(cross(up, back));
    const top = cross(back, right);
    // the ball touches the cone of the smaller side
    const half = Math.tan(FIELD/2)*(height <= width ? 1 : height/width);   // of the height
    const focal = height/2/half;
    // or a rectangle, in the plane, touches the sides
    const away = box ? 2*focal*Math.max(box[0]/width, box[1]/height) : radius/Math.sin(FIELD/2);
    const distance = MARGIN*away/this.zoom;
    const target = add(add(center, right, radius*this.pan[0]), top, radius*this.pan[1]);
    return {eye: add(target, back, distance), target, back, right, top, distance,
            focal, width, height, angle: 2*Math.atan(half)};
  }

  turn(dx, dy) {             // in radians
    if (this.flat) return;
    this.azimuth -= dx;
    this.elevation = Math.min(Math.max(this.elevation + dy, -1.5), 1.5);
    this.changed();
  }

  move(dx, dy) {             // in radii
    this.pan = [this.pan[0] - dx/this.zoom, this.pan[1] + dy/this.zoom];
    this.changed();
  }

  magnify(factor) {
    this.zoom = Math.min(Math.max(this.zoom*factor, 0.15), 40);
    this.changed();
  }

  // Drag turns, the other button, shift or two fingers move, wheel and pinch zoom.
  listen(element) {
    const fingers = new Map();
    const shorter = () => Math.min(element.clientWidth, element.clientHeight) || 1;
    element.addEventListener('pointerdown', event => {
      element.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      event.preventDefault();
      element.focus({preventScroll: true});
    });
    element.addEventListener('pointermove', event => {
      const from = fingers.get(event.pointerId);
      if (!from) return;
      const to = [event.clientX, event.clientY], dx = to[0] - from[0], dy = to[1] - from[1];
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const spread = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.magnify(spread(to)/spread(from));
        this.move(dx/shorter(), dy/shorter());      // each finger does half of it
      } else if (this.flat || event.shiftKey || event.buttons & 6) {
        this.move(2*dx/shorter(), 2*dy/shorter());
      } else {
        this.turn(4*dx/shorter(), 4*dy/shorter());
      }
      fingers.set(event.pointerId, to);
    });
    for (const end of ['pointerup', 'pointercancel'])
      element.addEventListener(end, event => fingers.delete(event.pointerId));
    element.addEventListener('contextmenu', event => event.preventDefault());
    element.addEventListener('dblclick', () => this.reset());
    element.addEventListener('wheel', event => {
      event.preventDefault();
      const pixels = event.deltaY*(event.deltaMode ? 30 : 1);
      this.magnify(Math.exp(-0.0015*pixels));
    }, {passive: false});
  }
}
