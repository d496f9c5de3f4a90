// liquid2d.js: draws a liquid on a 2D canvas, if there is no WebGL. Particles are drawn pixel by
// pixel, in three dimensions with a depth buffer that triangles use too. Solids are paths.
import {LIQUID, isGrid} from './fluid.js';
import {BOX, PLANE, TANK, edgesOf, holds, outline} from './solids.js';
import {Surface} from './surface.js';
import {Surface3D} from './surface3d.js';
import {add, dot, turned} from './vector.js';

export class Liquid2D {
  constructor(canvas, recording) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d', {willReadFrequently: true});
    this.recording = recording;
    this.small = document.createElement('canvas');     // cells or nodes, a pixel each
    if (recording.flat) this.surface = new Surface(recording);
    else if (recording.surface) this.net = new Surface3D(recording);
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

  draw({frame, blend, mode, marks, show, cut}, sight) {
    const {pen, colours, recording, ratio} = this;
    this.sight = sight;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.sky;
    pen.fillRect(0, 0, sight.width, sight.height);
    if (!recording.frames) return;
    const now = recording.moment(frame, blend), palette = recording.palette(mode);
    const bytes = recording.bytes(frame, mode);
    if (!recording.flat) this.#drawFrames(frame, blend);
    const slice = isGrid(show) && recording.fields && !recording.flat ? recording.cut(cut) : null;
    if (slice) this.#drawSlice(now, slice);
    else if (isGrid(show) && recording.fields) this.#drawCells(now);
    else if (show === 'surface' && recording.flat) this.#drawSurface(now, bytes, palette);
    else if (show === 'surface' && this.net) {
      const nearest = recording.nearest(frame, blend);
      this.net.update(recording.frame(nearest), recording.bytes(nearest, mode));
      this.#paint(picture => this.#fillTriangles(picture, palette));
    } else {
      this.#paint(picture => this.#stamp(picture, now, bytes, palette));
    }
    if (recording.flat) this.#drawSolids(frame, blend);
    if (marks) this.#drawSeparating(now, slice);
  }

  // ------------------------------------------------------------------------------------- particles

  // Pixels, with a depth for each in space.
  #paint(draw) {
    const {canvas: {width, height}, pen, recording: {flat}} = this;
    const picture = pen.getImageData(0, 0, width, height);
    const depth = flat ? null : new Float32Array(width*height).fill(Infinity);
    draw({data: picture.data, depth, width, height});
    pen.putImageData(picture, 0, 0);
  }

  #stamp({data, depth, width, height}, now, bytes, palette) {
    const {recording, sight, ratio} = this;
    const {flat, spacing, dotRadius} = recording, [xs, ys, zs] = now.x;
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
  }

  // The triangles of the surface in space, by barycentric coordinates.
  #fillTriangles({data, depth, width, height}, palette) {
    const {net, sight: {eye, right, top, back, focal, distance}, ratio} = this;
    const {position, normal, value, index, vertices, triangles} = net;
    const u = new Float32Array(vertices), v = new Float32Array(vertices);
    const far = new Float32Array(vertices), light = new Float32Array(vertices);
    for (let n = 0; n < vertices; n++) {
      const x = position[3*n] - eye[0], y = position[3*n + 1] - eye[1];
      const z = position[3*n + 2] - eye[2];
      far[n] = -(x*back[0] + y*back[1] + z*back[2]);
      const zoom = ratio*focal/far[n];
      u[n] = width/2 + zoom*(x*right[0] + y*right[1] + z*right[2]);
      v[n] = height/2 - zoom*(x*top[0] + y*top[1] + z*top[2]);
      const side = ([i, j, k]) => (normal[4*n]*i + normal[4*n + 1]*j + normal[4*n + 2]*k)/127;
      const a = side(right), b = side(top), c = side(back);
      light[n] = 0.6 + 0.1*b + 0.2*c + 0.3*Math.max(-0.44*a + 0.78*b + 0.44*c, 0);
    }
    for (let t = 0; t < 3*triangles; t += 3) {
      const a = index[t], b = index[t + 1], c = index[t + 2];
      const area = (u[b] - u[a])*(v[c] - v[a]) - (u[c] - u[a])*(v[b] - v[a]);
      if (!area || Math.min(far[a], far[b], far[c]) < 0.01*distance) continue;
      const left = Math.max(Math.ceil(Math.min(u[a], u[b], u[c]) - 0.5), 0);
      const end = Math.min(Math.max(u[a], u[b], u[c]) - 0.5, width - 1);
      const first = Math.max(Math.ceil(Math.min(v[a], v[b], v[c]) - 0.5), 0);
      const last = Math.min(Math.max(v[a], v[b], v[c]) - 0.5, height - 1);
      for (let j = first; j <= last; j++) for (let i = left; i <= end; i++) {
        const x = i + 0.5, y = j + 0.5;
        const q = ((x - u[a])*(v[c] - v[a]) - (u[c] - u[a])*(y - v[a]))/area;
        const r = ((u[b] - u[a])*(y - v[a]) - (x - u[a])*(v[b] - v[a]))/area, p = 1 - q - r;
        if (p < 0 || q < 0 || r < 0) continue;
        const at = j*width + i, deep = p*far[a] + q*far[b] + r*far[c];
        if (depth[at] <= deep) continue;
        depth[at] = deep;
        const k = 3*Math.round(p*value[a] + q*value[b] + r*value[c]);
        const shine = 255*(p*light[a] + q*light[b] + r*light[c]);
        for (let n = 0; n < 3; n++) data[4*at + n] = shine*palette[k + n];
      }
    }
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

  #rgb(byte, palette) { return [0, 1, 2].map(c => 255*palette[3*byte + c]); }

  #drawCells({type, cellPressure}) {
    const {nx, ny} = this.recording, palette = this.recording.palette('pressure');
    this.#image(nx, ny, data => {
      for (let k = 0; k < nx*ny; k++)
        if (type[k] === LIQUID) data.set([...this.#rgb(cellPressure[k], palette), 255], 4*k);
    }, [0, 0], [nx, ny], false);
  }

  // A slice of a grid in space, cell by cell: they are seen from the side.
  #drawSlice({type, cellPressure}, cut) {
    const {pen, recording, colours} = this, palette = recording.palette('pressure');
    const {width, height, base, across, up} = cut;
    const path = (i, j, u, v) => {
      pen.beginPath();
      for (const [a, b] of [[i, j], [u, j], [u, v], [i, v]]) {
        const [x, y] = this.#project(recording.onCut(cut, a, b));
        pen.lineTo(x, y);
      }
      pen.closePath();
    };
    pen.lineWidth = 0.7;
    for (let j = 0; j < height; j++) for (let i = 0; i < width; i++) {
      const cell = base + i*across + j*up;
      if (type[cell] !== LIQUID) continue;
      path(i, j, i + 1, j + 1);
      pen.fillStyle = pen.strokeStyle = `rgb(${this.#rgb(cellPressure[cell], palette).join(' ')})`;
      pen.fill();
      pen.stroke();                                  // no seams
    }
    path(0, 0, width, height);
    pen.lineWidth = 1;
    pen.strokeStyle = colours.accent;
    pen.stroke();
  }

  #drawSeparating({separating}, cut) {
    const {pen, recording, colours} = this, {nx, ny, flat, spacing: h} = recording;
    pen.fillStyle = pen.strokeStyle = colours.separating;
    for (const cell of separating) {
      if (cut && !recording.isCut(cell, cut)) continue;
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
