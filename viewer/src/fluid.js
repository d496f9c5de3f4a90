// fluid.js: a recording of a liquid: particles, cells, solids, and the values at the ends of colours.
import {rampColour} from './colours.js';
import {decode, decodeFrame, pageCells, unpack} from './payload.js';
import {Timed} from './timed.js';

export const LIQUID = 1, AIR = 2;                // the type of a cell, as perp_cell
const AXES = [[2, 1], [0, 2], [0, 1]];           // of a picture across x, y, z
const SUCTION = [0.48, 0.16, 0.62];              // pressure below 0: a wall holds the liquid

export class Fluid extends Timed {
  static async from(base64) { return new Fluid(decode(await unpack(base64))); }

  static compare(recordings) {
    super.compare(recordings, [['fastest', 1], ['highest', 1], ['suction', 0]]);
  }

  constructor(data) {
    super(data);
    const {meta} = data, {cells, spacing} = this.head;
    [this.nx, this.ny, this.nz] = cells;
    this.spacing = spacing;
    this.box = cells.map(n => n*spacing);
    this.#readSolids();
    this.most = meta.most;                       // particles of a frame
    this.gap = meta.gap;                         // between particles, in cells
    this.dotRadius = (this.flat ? 0.6 : 0.8)*meta.gap*spacing;
    this.fields = Boolean(meta.fields);
    this.surface = Boolean(meta.surface);        // in space: distances from it are there
    this.nodes = meta.nodes;                     // of these distances, along each axis
    this.width = meta.width;                     // between nodes, in metres
    this.block = meta.block;                     // cells of the grid along the edge of a page's cell
    this.counts = pageCells(meta);
    this.fastest = meta.speed;
    this.highest = meta.pressure[1];
    this.suction = -meta.pressure[0];
    if (this.flat) {                             // all of the grid, and no more
      this.view.center = [this.box[0]/2, this.box[1]/2, 0];
      this.view.half = [this.box[0]/2, this.box[1]/2];
    }
    this.kept = [];
  }

  #readSolids() {
    const {shape, extent, offset, position, orientation} = this.head.bodies;
    let slot = 0;
    this.solids = shape.map((kind, id) => ({
      shape: kind, extent: extent[id], offset: offset[id], position: position[id],
      orientation: orientation[id], slot: this.head.bodies.static[id] ? -1 : slot++}));
  }

  // Frame f, decoded; the last few are kept.
  frame(f) {
    let entry = this.kept.find(one => one.f === f);
    if (!entry) {
      entry = {f, frame: decodeFrame(this.data.frames[f], this.data.meta)};
      this.kept.unshift(entry);
      this.kept.length = Math.min(this.kept.length, 4);
    }
    return entry.frame;
  }

  // What frame f shows on the way to the next one: particles go on as fast as they are.
  moment(f, blend) {
    const frame = this.frame(f), time = blend*this.dt*this.every;
    if (!(time > 0)) return frame;
    const on = frame.x.map((x, c) => {
      const out = new Float32Array(x.length), v = frame.v[c];
      for (let p = 0; p < out.length; p++) out[p] = x[p] + time*v[p];
      return out;
    });
    return {...frame, x: on};
  }

  // The frame that is nearest to a moment between two.
  nearest(f, blend) { return blend >= 0.5 && f + 1 < this.frames ? f + 1 : f; }

  // The bytes of the particles of frame f for colours. That of a speed is the root of its part of
  // the largest, so that slow ones differ, too.
  bytes(f, mode) {
    const frame = this.frame(f);
    if (mode === 'pressure' && frame.pressure) return frame.pressure;
    if (frame.bytes) return frame.bytes;
    const scale = this.spacing/this.fastest, [vx, vy, vz] = frame.v;
    frame.bytes = new Uint8Array(frame.count);
    for (let p = 0; p < frame.count; p++) {
      const w = vz ? vz[p] : 0, speed = Math.sqrt(vx[p]*vx[p] + vy[p]*vy[p] + w*w);
      frame.bytes[p] = Math.round(255*Math.min(Math.sqrt(scale*speed), 1));
    }
    return frame.bytes;
  }

  // Where solid s is at a frame and on the way to the next, with the quaternion as x y z w.
  pose(s, f, blend = 0) {
    const {slot, position, orientation} = this.solids[s];
    if (slot < 0) return {position, orientation: turned(orientation)};
    const from = this.frame(f).pose[slot], last = f + 1 >= this.frames || !(blend > 0);
    const to = last ? from : this.frame(f + 1).pose[slot];
    const same = from.slice(3).reduce((sum, q, c) => sum + q*to[3 + c], 0) < 0 ? -1 : 1;
    const now = from.map((x, c) => x + blend*((c < 3 ? 1 : same)*to[c] - x));
    const size = Math.hypot(...now.slice(3)) || 1;
    return {position: now.slice(0, 3), orientation: turned(now.slice(3).map(q => q/size))};
  }

  // A slice through the cells of the page, across an axis: the part of the way along it is given.
  // Cell (i, j) of width x height is number base + i*across + j*up.
  cut({axis, part}) {
    const {counts, block} = this, strides = [1, counts[0], counts[0]*counts[1]];
    const [u, v] = AXES[axis], layer = Math.min(Math.floor(part*this.head.cells[axis]/block),
                                                counts[axis] - 1);
    return {axis, u, v, layer, width: counts[u], height: counts[v], base: layer*strides[axis],
            across: strides[u], up: strides[v]};
  }

  // Whether a recorded cell is in it.
  isCut(cell, {axis, layer}) {
    const {nx, ny, block} = this;
    const place = axis === 0 ? cell % nx : axis === 1 ? Math.floor(cell/nx) % ny
                                         : Math.floor(cell/(nx*ny));
    return Math.floor(place/block) === layer;
  }

  // A point of it, in metres: (i, j) in cells of the page, in the middle of their layer.
  onCut({axis, u, v, layer}, i, j) {
    const h = this.block*this.spacing, out = [0, 0, 0];
    out[axis] = Math.min((layer + 0.5)*h, this.box[axis]);
    out[u] = Math.min(i*h, this.box[u]);
    out[v] = Math.min(j*h, this.box[v]);
    return out;
  }

  pressureOf(byte) {
    const [low, high] = this.data.meta.pressure;
    return low + byte/255*(high - low);
  }

  // The colours of the 256 bytes of speed or pressure: r g b in [0, 1] of each.
  palette(mode) {
    const out = new Float32Array(3*256), colour = [0, 0, 0];
    for (let byte = 0; byte < 256; byte++) {
      if (mode === 'speed') rampColour(byte/255, colour);
      else this.#pressureColour(this.pressureOf(byte), colour);
      out.set(colour, 3*byte);
    }
    return out;
  }

  #pressureColour(p, out) {
    const noise = 0.006*(this.highest + this.suction);   // a byte and a half: 0 is not suction
    rampColour(Math.max(p, 0)/this.highest, out);
    if (p >= -noise || !this.suction) return;
    const part = 0.4 + 0.6*Math.min(-p/this.suction, 1);
    for (let c = 0; c < 3; c++) out[c] += part*(SUCTION[c] - out[c]);
  }
}

export const isGrid = show => show === 'grid' || show === 'slice';
export const suctionHex = '#7b299e';

// w first to w last
const turned = ([w, x, y, z]) => [x, y, z, w];
