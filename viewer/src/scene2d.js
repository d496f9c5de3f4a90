// scene2d.js: draws bodies on a 2D canvas, if there is no WebGL: everything but light and shadow.
// Bodies are sorted by their distance and drawn from the back.
import {BOX, HOLLOW, PLANE, SPHERE} from './recording.js';
import {across, add, cross, dot, scale, turned} from './vector.js';

const FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map(i => [i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1]);

const EDGE = 0.02;              // the line of a plane in 2D, in radii of the view

export class Scene2D {
  constructor(canvas, recording, paint) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
    this.recording = recording;
    this.paint = paint;
    this.radius = recording.view.radius;
    this.still = recording.bodies.filter(body => !body.moving);
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.round(width*ratio);
    this.canvas.height = Math.round(height*ratio);
  }

  retheme(colours) { this.colours = colours; }

  // Pixels, the distance along the sight, and pixels per metre there; null behind the eye.
  #project(point) {
    const {sight} = this, from = add(point, sight.eye, -1), depth = -dot(from, sight.back);
    if (depth < 0.01*sight.distance) return null;
    const zoom = sight.focal/depth;
    return {x: sight.width/2 + zoom*dot(from, sight.right),
            y: sight.height/2 - zoom*dot(from, sight.top), depth, zoom};
  }

  draw({frame, blend, mode, marks: forces}, sight) {
    const {pen, colours} = this;
    this.sight = sight;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colours.sky;
    pen.fillRect(0, 0, sight.width, sight.height);
    const planes = this.still.filter(body => body.shape === PLANE);
    for (const plane of planes) this.#drawPlane(plane);
    if (this.recording.flat) for (const plane of planes) this.#drawSolid(plane);
    for (const body of this.still) if (body.shape === HOLLOW) this.#drawShell(body);
    const things = this.#collect(frame, blend, mode);
    things.sort((a, b) => b.depth - a.depth);
    for (const thing of things) thing.draw();
    if (forces && this.recording.frames) this.#drawForces(frame);
  }

  #collect(frame, blend, mode) {
    const {recording} = this, things = [], rgb = this.paint.update(mode, frame);
    const list = (body, at, turn, colour) => {
      if (body.shape === SPHERE) {
        const center = this.#project(at);
        const draw = () => this.#drawBall(body, center, turn, colour);
        if (center) things.push({depth: center.depth, draw});
      } else if (body.shape === BOX) {
        this.#listFaces(things, body, at, turn, colour);
      }
    };
    for (const body of this.still) {
      const [w, x, y, z] = body.orientation;
      list(body, body.position, [x, y, z, w], this.colours.ground);
    }
    const exact = frame + blend;
    if (recording.frames) recording.moving.forEach((body, k) => {
      const colour = `rgb(${[0, 1, 2].map(c => Math.round(255*rgb[3*k + c])).join(' ')})`;
      const at = recording.place(k, exact, [0, 0, 0]);
      list(body, at, recording.turn(k, exact, [0, 0, 0, 1]), colour);
    });
    return things;
  }

  // A disc with a spot of light, and a mark that shows how it turns.
  #drawBall(body, {x, y, zoom}, turn, colour) {
    const {pen, sight} = this, r = zoom*body.extent[0];
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, r, 0, 7);
    pen.fill();
    if (r < 2) return;
    if (!this.recording.flat) {
      const light = pen.createRadialGradient(x - 0.35*r, y - 0.45*r, 0.1*r, x, y, r);
      light.addColorStop(0, 'rgb(255 255 255 / 0.45)');
      light.addColorStop(0.45, 'rgb(255 255 255 / 0)');
      light.addColorStop(1, 'rgb(0 0 0 / 0.4)');
      pen.fillStyle = light;
      pen.fill();
    }
    pen.lineWidth = Math.max(1, 0.05*r);
    pen.strokeStyle = 'rgb(0 0 0 / 0.45)';
    pen.stroke();
    const spoke = turned([1, 0, 0], turn);
    if (dot(spoke, sight.back) < -0.05) return;            // the mark is behind
    pen.beginPath();
    if (this.recording.flat) pen.moveTo(x, y);
    else pen.moveTo(x + 0.6*r*dot(spoke, sight.right), y - 0.6*r*dot(spoke, sight.top));
    pen.lineTo(x + 0.9*r*dot(spoke, sight.right), y - 0.9*r*dot(spoke, sight.top));
    pen.stroke();
  }

  #listFaces(things, body, at, turn, colour) {
    const {extent} = body;
    const corners = CORNERS.map(c => add(at, turned(c.map((x, i) => x*extent[i]), turn)));
    const pixels = corners.map(corner => this.#project(corner));
    if (pixels.includes(null)) return;
    for (const face of FACES) {
      const [a, b, c, d] = face.map(i => pixels[i]);
      // of glass one sees both sides
      if ((b.x - a.x)*(c.y - a.y) - (b.y - a.y)*(c.x - a.x) >= 0 && !body.glass) continue;
      const ends = face.map(i => corners[i]);
      const normal = cross(add(ends[1], ends[0], -1), add(ends[2], ends[0], -1));
      const shade = 0.5*Math.abs(dot(normal, this.recording.up))/(Math.hypot(...normal) || 1);
      const dark = this.recording.flat ? 0 : 0.35*(1 - 2*shade);
      const draw = () => {
        this.pen.globalAlpha = body.glass ? 0.2 : 1;
        this.#drawFace([a, b, c, d], colour, dark);
        this.pen.globalAlpha = 1;
      };
      things.push({depth: (a.depth + b.depth + c.depth + d.depth)/4, draw});
    }
  }

  #drawFace(corners, colour, dark) {
    const {pen} = this;
    pen.beginPath();
    for (const {x, y} of corners) pen.lineTo(x, y);
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
    pen.fillStyle = `rgb(0 0 0 / ${dark})`;
    pen.fill();
    pen.strokeStyle = 'rgb(0 0 0 / 0.4)';
    pen.lineWidth = 1;
    pen.stroke();
  }

  #line(from, to) {
    const {pen} = this, a = this.#project(from), b = this.#project(to);
    if (!a || !b) return;
    pen.beginPath();
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
    pen.stroke();
  }

  // In 3D the lines of a floor; other walls show their outline. In 2D the line itself.
  #drawPlane({extent: normal, offset}) {
    const {pen, recording: {view, up, flat}} = this, r = view.radius;
    const foot = add(view.center, normal, offset - dot(view.center, normal));
    pen.strokeStyle = this.colours.shell;
    if (flat) {
      const along = [-normal[1], normal[0], 0], half = EDGE*r/2, middle = add(foot, normal, -half);
      pen.lineWidth = 2*half*this.sight.focal/this.sight.distance;
      return this.#line(add(middle, along, -30*r), add(middle, along, 30*r));
    }
    const floor = dot(normal, up) > 0.5;
    if (!floor && dot(normal, this.sight.back) < 0) return;
    const east = floor ? cross(across(up), normal) : across(normal), north = cross(normal, east);
    const reach = floor ? 1.5*r : 1.3*r, steps = floor ? 9 : 1;
    pen.lineWidth = 1;
    pen.globalAlpha = floor ? 0.5 : 0.35;
    for (let i = -steps; i <= steps; i += floor ? 1 : 2) {
      const shift = i*reach/steps;
      for (const [one, other] of [[east, north], [north, east]]) {
        const middle = add(foot, one, shift);
        this.#line(add(middle, other, -reach), add(middle, other, reach));
      }
    }
    pen.globalAlpha = 1;
  }

  // What is solid behind the line of a plane; it covers the lines of others.
  #drawSolid({extent: normal, offset}) {
    const {pen, recording: {view}} = this, r = view.radius, along = [-normal[1], normal[0], 0];
    const foot = add(view.center, normal, offset - dot(view.center, normal) - EDGE*r);
    const deep = add(foot, normal, -30*r);
    pen.beginPath();
    for (const [from, way] of [[foot, -30], [foot, 30], [deep, 30], [deep, -30]]) {
      const {x, y} = this.#project(add(from, along, way*r));
      pen.lineTo(x, y);
    }
    pen.fillStyle = this.colours.solid;
    pen.fill();
  }

  #drawShell({extent, position}) {
    const {pen, sight} = this, center = this.#project(position);
    if (!center) return;
    // the outline of a ball in perspective is a little larger than its radius
    const seen = extent[0]/Math.hypot(...add(position, sight.eye, -1));
    const larger = this.recording.flat ? 1 : 1/Math.sqrt(Math.max(1 - seen*seen, 0.01));
    const r = larger*center.zoom*extent[0];
    pen.beginPath();
    pen.arc(center.x, center.y, r, 0, 7);
    pen.strokeStyle = pen.fillStyle = this.colours.shell;
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = 0.9;
    pen.lineWidth = 2;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #drawForces(frame) {
    const {recording, pen, colours} = this, contact = {point: [0, 0, 0], direction: [0, 0, 0]};
    const unit = 0.24*this.radius;
    pen.lineWidth = 2;
    for (let i = recording.first[frame]; i < recording.first[frame + 1]; i++) {
      recording.push(i, contact);
      const length = unit*Math.min(contact.size/recording.typicalImpulse, 2);
      if (length < 0.004*this.radius) continue;
      const from = this.#project(contact.point);
      const to = this.#project(add(contact.point, scale(contact.direction, length)));
      if (from && to) this.#arrow(from, to, contact.certified ? colours.force : colours.bad);
    }
  }

  #arrow(from, to, colour) {
    const {pen} = this, dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy);
    if (length < 1) return;
    const tip = Math.min(8, 0.5*length), ux = dx/length, uy = dy/length;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x - tip*ux, to.y - tip*uy);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(to.x, to.y);
    pen.lineTo(to.x - tip*ux - 0.5*tip*uy, to.y - tip*uy + 0.5*tip*ux);
    pen.lineTo(to.x - tip*ux + 0.5*tip*uy, to.y - tip*uy - 0.5*tip*ux);
    pen.fill();
  }
}
