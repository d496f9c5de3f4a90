// liquid2d.js: a liquid on a 2D canvas, where there is no WebGL. Particles are stamped into the
// pixels, in space with a depth for each pixel; solids are paths.
import {LIQUID, isGrid} from './fluid.js';
import {BOX, PLANE, TANK, edgesOf, holds, outline} from './solids.js';
import {Surface} from './surface.js';
import {add, dot, turned} from './vector.js';

export class Liquid2D {
  constructor(canvas, recording) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d', {willReadFrequently: true});
    this.recording = recording;
    this.small = document.createElement('canvas');     // cells or nodes, a pixel each
    if (recording.flat) this.surface = new Surface(recording);
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.round(width*ratio);
    this.canvas.height = Math.round(height*ratio);
  }

  retheme(colours) { this.colours = colours; }

  // Pixels of the page, and pixels per metre there.
  #project(point) {
    const {sight} = this, from = add(point, sight.eye, -1), depth = -dot(from, sight.back);
    const zoom = depth > 0.01*sight.distance ? sight.focal/depth : 0;
    return [sight.width/2 + zoom*dot(from, sight.right),
            sight.height/2 - zoom*dot(from, sight.top), zoom, depth];
  }

  draw({frame, blend, mode, marks, show}, sight) {
    const {pen, colours, recording, ratio} = this;
    this.sight = sight;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.sky;
    pen.fillRect(0, 0, sight.width, sight.height);
    if (!recording.frames) return;
    const now = recording.moment(frame, blend), palette = recording.palette(mode);
    const bytes = recording.bytes(frame, mode);
    if (!recording.flat) this.#drawFrames(frame, blend);
    if (isGrid(show) && recording.fields) this.#drawCells(now);
    else if (show === 'surface' && recording.flat) this.#drawSurface(now, bytes, palette);
    else this.#stamp(now, bytes, palette);
    if (recording.flat) this.#drawSolids(frame, blend);
    if (marks) this.#drawSeparating(now);
  }

  // ------------------------------------------------------------------------------------- particles

  #stamp(now, bytes, palette) {
    const {canvas: {width, height}, recording, sight, pen, ratio} = this;
    const {flat, spacing, dotRadius} = recording, [xs, ys, zs] = now.x;
    const picture = pen.getImageData(0, 0, width, height), {data} = picture;
    const depth = flat ? null : new Float32Array(width*height).fill(Infinity);
    const {eye, right, top, back, focal} = sight;
    for (let p = 0; p < now.count; p++) {
      const x = spacing*xs[p] - eye[0], y = spacing*ys[p] - eye[1];
      const z = (flat ? 0 : spacing*zs[p]) - eye[2];
      const far = -(x*back[0] + y*back[1] + z*back[2]), zoom = ratio*focal/far;
      if (!(far > 0.01*sight.distance)) continue;
      const u = width/2 + zoom*(x*right[0] + y*right[1] + z*right[2]);
      const v = height/2 - zoom*(x*top[0] + y*top[1] + z*top[2]);
      const r = Math.max(zoom*dotRadius, 0.6), k = 3*bytes[p];
      const first = Math.max(Math.floor(v - r), 0), last = Math.min(Math.ceil(v + r), height - 1);
      const left = Math.max(Math.floor(u - r), 0), end = Math.min(Math.ceil(u + r), width - 1);
      for (let j = first; j <= last; j++) {
        for (let i = left; i <= end; i++) {
          const away = Math.hypot(i + 0.5 - u, j + 0.5 - v), cover = Math.min(r + 0.5 - away, 1);
          if (cover <= 0) continue;
          const at = j*width + i;
          let light = 255, alpha = cover;
          if (depth) {
            if (cover < 0.5 || depth[at] <= far) continue;
            depth[at] = far;
            const up = (v - j - 0.5)/r, out = Math.sqrt(Math.max(1 - (away/r)**2, 0));
            light *= 0.55 + 0.3*Math.max(0.5*up + 0.8*out, 0) + 0.15*out;
            alpha = 1;
          }
          for (let c = 0; c < 3; c++)
            data[4*at + c] += alpha*(light*palette[k + c] - data[4*at + c]);
        }
      }
    }
    pen.putImageData(picture, 0, 0);
  }

  // --------------------------------------------------------------------------------------- surface

  // An image of width x height pixels over the cells from `low` to `high`.
  #image(width, height, fill, low, high, smooth) {
    const {small, pen} = this, brush = small.getContext('2d');
    small.width = width;
    small.height = height;
    const picture = brush.createImageData(width, height);
    fill(picture.data);
    brush.putImageData(picture, 0, 0);
    const h = this.recording.spacing;
    const [left, bottom] = this.#project([low[0]*h, low[1]*h, 0]);
    const [right, top] = this.#project([high[0]*h, high[1]*h, 0]);
    pen.imageSmoothingEnabled = smooth;
    pen.save();
    pen.translate(left, bottom);
    pen.scale(1, -1);
    pen.drawImage(small, 0, 0, right - left, bottom - top);
    pen.restore();
  }

  #drawSurface(now, bytes, palette) {
    const {surface, pen, recording: {spacing}} = this, {width, height, per} = surface;
    surface.update(now, bytes);
    pen.save();
    pen.beginPath();
    let move = true;
    surface.outline(() => { move = true; }, (x, y) => {
      const [u, v] = this.#project([x*spacing/per, y*spacing/per, 0]);
      if (move) pen.moveTo(u, v);
      else pen.lineTo(u, v);
      move = false;
    });
    pen.clip();
    const half = 0.5/per;
    this.#image(width, height, data => {
      for (let k = 0; k < width*height; k++) {
        for (let c = 0; c < 3; c++) data[4*k + c] = 255*palette[3*surface.texture[4*k + 1] + c];
        data[4*k + 3] = surface.sum[k] > 0 ? 255 : 0;
      }
    }, [-half, -half], [(width - 0.5)/per, (height - 0.5)/per], true);
    pen.restore();
  }

  // ----------------------------------------------------------------------------------------- cells

  #drawCells({type, cellPressure}) {
    const {nx, ny, flat} = this.recording, palette = this.recording.palette('pressure');
    const rgb = k => [0, 1, 2].map(c => 255*palette[3*cellPressure[k] + c]);
    if (!flat) return this.#drawSlice(k => type[k] === LIQUID && `rgb(${rgb(k).join(' ')})`);
    this.#image(nx, ny, data => {
      for (let k = 0; k < nx*ny; k++) if (type[k] === LIQUID) data.set([...rgb(k), 255], 4*k);
    }, [0, 0], [nx, ny], false);
  }

  // The cells in the middle of a grid in space, one by one: they are seen from the side.
  #drawSlice(colour) {
    const {pen, recording: {nx, ny, nz, spacing: h}} = this;
    pen.lineWidth = 0.7;
    for (let k = 0; k < nx*ny; k++) {
      const fill = colour(k), i = k % nx, j = Math.floor(k/nx);
      if (!fill) continue;
      pen.beginPath();
      for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
        const [x, y] = this.#project([(i + a)*h, (j + b)*h, nz*h/2]);
        pen.lineTo(x, y);
      }
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = fill;
      pen.fill();
      pen.stroke();                                  // no seams
    }
  }

  #drawSeparating({separating}) {
    const {pen, recording: {nx, ny, flat, spacing: h}, colours} = this;
    pen.fillStyle = pen.strokeStyle = colours.separating;
    for (const cell of separating) {
      const i = cell % nx, j = Math.floor(cell/nx) % ny, k = Math.floor(cell/(nx*ny));
      const [x, y, zoom] = this.#project([(i + 0.5)*h, (j + 0.5)*h, flat ? 0 : (k + 0.5)*h]);
      const side = Math.max(0.8*zoom*h, 2);
      pen.globalAlpha = 0.45;
      pen.fillRect(x - side/2, y - side/2, side, side);
      pen.globalAlpha = 1;
      if (side > 5) pen.strokeRect(x - side/2 + 0.5, y - side/2 + 0.5, side - 1, side - 1);
    }
  }

  // ---------------------------------------------------------------------------------------- solids

  #drawSolids(f, blend) {
    const {pen, recording, colours, sight} = this, [w, h] = recording.box;
    const point = (x, y) => this.#project([x, y, 0]);
    pen.fillStyle = colours.solid;
    pen.strokeStyle = colours.shell;
    pen.lineWidth = 1.5;
    recording.solids.forEach((solid, s) => {
      pen.beginPath();
      if (holds(solid)) pen.rect(-9, -9, sight.width + 18, sight.height + 18);
      outline(solid, recording.pose(s, f, blend), recording.box).forEach(([x, y], k) => {
        const [u, v] = point(x, y);
        if (k) pen.lineTo(u, v);
        else pen.moveTo(u, v);
      });
      pen.closePath();
      pen.fill('evenodd');
      pen.stroke();
    });
    const [left, bottom] = point(0, 0), [right, top] = point(w, h);
    pen.beginPath();                                 // what is outside of the grid
    pen.rect(-4, -4, sight.width + 8, sight.height + 8);
    pen.rect(left, top, right - left, bottom - top);
    pen.fill('evenodd');
    pen.strokeRect(left, top, right - left, bottom - top);
  }

  // In space: the edges of the grid and of boxes, the outlines of balls.
  #drawFrames(f, blend) {
    const {pen, recording, colours} = this;
    pen.strokeStyle = colours.shell;
    pen.fillStyle = colours.solid;
    pen.lineWidth = 1;
    const edges = (size, place) => {
      for (const ends of edgesOf(size)) {
        const [[x, y], [u, v]] = ends.map(end => this.#project(place(end)));
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(u, v);
        pen.stroke();
      }
    };
    edges(recording.box, end => end);
    recording.solids.forEach((solid, s) => {
      const {position, orientation} = recording.pose(s, f, blend), {shape, extent} = solid;
      if (shape === BOX || shape === TANK) {
        edges(extent.map(x => 2*x),
              end => add(position, turned(add(end, extent, -1), orientation)));
      } else if (shape !== PLANE) {
        const [x, y, zoom] = this.#project(position);
        pen.beginPath();
        pen.arc(x, y, zoom*extent[0], 0, 7);
        if (!holds(solid)) pen.fill();
        pen.stroke();
      }
    });
  }
}
