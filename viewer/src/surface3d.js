// surface3d.js: the surface of a liquid in space as triangles, from the distances of its cells.
//
// Surface nets (Gibson, "Constrained elastic surface nets", 1998): nodes are the centres of cells. A
// cube of eight nodes that are not all on one side has a vertex, the mean of the places where its
// edges cross the surface; an edge that does is a quad between the four cubes around it. A layer of
// nodes beyond the sides of the grid mirrors the liquid with the other sign, and vertices between are
// put on the sides, so that it ends there, with sharp edges.
//
// Colours are the mean of the particles around. Those that are outside of the surface, drops that
// are smaller than a cell, are the spray.
export const UNIT = 64;                          // of a distance: cells of the page

const SPRAY = 0.3;                               // cells beyond the surface

export class Surface3D {
  constructor({counts, block, box, spacing}) {
    Object.assign(this, {counts, block, box, spacing});
    const [a, b, c] = this.nodes = counts.map(n => n + 2);
    this.step = [1, a, a*b];
    const all = a*b*c;
    [this.field, this.sum, this.weight] = Array.from({length: 3}, () => new Float32Array(all));
    this.inside = new Uint8Array(all);
    this.cube = new Int32Array(all);             // its vertex, or -1; named by its lowest node
    this.vertices = this.triangles = 0;
    this.#room(1024);
    this.index = new Uint32Array(6*1024);
  }

  #room(count) {
    const grown = (Type, size, old) => {
      const out = new Type(size*count);
      if (old) out.set(old);
      return out;
    };
    this.position = grown(Float32Array, 3, this.position);
    this.normal = grown(Int8Array, 4, this.normal);
    this.value = grown(Uint8Array, 1, this.value);
    this.limit = count;
  }

  // `now` is the frame to show, with the bytes of its particles; where it is on the way to `next`,
  // by the part `blend`, so are the distances.
  update(now, bytes, next = null, blend = 0) {
    this.#load(now.surface, next?.surface ?? now.surface, blend);
    this.#splash(now, bytes);
    this.#addVertices();
    this.#addTriangles();
  }

  #load(from, to, blend) {
    const {counts: [nx, ny, nz], nodes: [a, b, c], field, inside} = this;
    for (let k = 0, at = 0; k < c; k++) for (let j = 0; j < b; j++) {
      const row = (clamp(k - 1, nz)*ny + clamp(j - 1, ny))*nx;
      const rim = k === 0 || j === 0 || k > nz || j > ny;
      for (let i = 0; i < a; i++, at++) {
        const cell = row + clamp(i - 1, nx);
        const d = (from[cell] + blend*(to[cell] - from[cell]))/UNIT;
        const value = rim || i === 0 || i > nx ? Math.abs(d) : d;
        field[at] = value;
        inside[at] = value < 0 ? 1 : 0;
      }
    }
  }

  // Each particle is shared by the eight nodes around it.
  #splash({count, x: [xs, ys, zs]}, bytes) {
    const {sum, weight, step: [, sy, sz], counts: [nx, ny, nz]} = this, shrink = 1/this.block;
    sum.fill(0);
    weight.fill(0);
    for (let p = 0; p < count; p++) {
      const x = Math.min(Math.max(shrink*xs[p] + 0.5, 0), nx + 0.999);
      const y = Math.min(Math.max(shrink*ys[p] + 0.5, 0), ny + 0.999);
      const z = Math.min(Math.max(shrink*zs[p] + 0.5, 0), nz + 0.999);
      const i = x | 0, j = y | 0, k = z | 0, u = x - i, v = y - j, w = z - k, byte = bytes[p];
      const at = i + j*sy + k*sz;
      for (let n = 0; n < 8; n++) {
        const part = (n & 1 ? u : 1 - u)*(n & 2 ? v : 1 - v)*(n & 4 ? w : 1 - w);
        const to = at + (n & 1) + (n & 2 ? sy : 0) + (n & 4 ? sz : 0);
        sum[to] += part*byte;
        weight[to] += part;
      }
    }
  }

  #addVertices() {
    const {nodes: [a, b, c], step: [, sy, sz], inside, cube} = this;
    this.vertices = 0;
    for (let k = 0; k + 1 < c; k++) for (let j = 0; j + 1 < b; j++) {
      let at = j*sy + k*sz;
      for (let i = 0; i + 1 < a; i++, at++) {
        const count = inside[at] + inside[at + 1] + inside[at + sy] + inside[at + sy + 1]
          + inside[at + sz] + inside[at + sz + 1] + inside[at + sy + sz] + inside[at + sy + sz + 1];
        cube[at] = count === 0 || count === 8 ? -1 : this.#addVertex(at, i, j, k);
      }
    }
  }

  #addVertex(at, i, j, k) {
    const {field, sum, weight, step: [, sy, sz], box, spacing, block} = this;
    if (this.vertices === this.limit) this.#room(2*this.limit);
    for (let n = 0; n < 8; n++) CORNER[n] = field[at + (n & 1) + (n & 2 ? sy : 0) + (n & 4 ? sz : 0)];
    let x = 0, y = 0, z = 0, crossings = 0;
    for (let e = 0; e < 24; e += 2) {
      const m = EDGE[e], n = EDGE[e + 1], f = CORNER[m], g = CORNER[n];
      if (f < 0 === g < 0) continue;
      const part = f/(f - g), low = 1 - part;
      x += low*(m & 1) + part*(n & 1);
      y += low*(m >> 1 & 1) + part*(n >> 1 & 1);
      z += low*(m >> 2) + part*(n >> 2);
      crossings++;
    }
    x = onSide(i, this.nodes[0]) ? 0.5 : x/crossings;
    y = onSide(j, this.nodes[1]) ? 0.5 : y/crossings;
    z = onSide(k, this.nodes[2]) ? 0.5 : z/crossings;
    // the slope of the field there, by linear interpolation
    let nx = 0, ny = 0, nz = 0, byte = 0, of = 0;
    for (let n = 0; n < 8; n++) {
      const f = CORNER[n], u = n & 1 ? x : 1 - x, v = n & 2 ? y : 1 - y, w = n & 4 ? z : 1 - z;
      nx += (n & 1 ? f : -f)*v*w;
      ny += (n & 2 ? f : -f)*u*w;
      nz += (n & 4 ? f : -f)*u*v;
      const node = at + (n & 1) + (n & 2 ? sy : 0) + (n & 4 ? sz : 0);
      byte += sum[node];
      of += weight[node];
    }
    const to = this.vertices++, size = 127/(Math.sqrt(nx*nx + ny*ny + nz*nz) || 1);
    const h = spacing*block;
    this.position[3*to] = Math.min((i + x - 0.5)*h, box[0]);   // the last block may stick out
    this.position[3*to + 1] = Math.min((j + y - 0.5)*h, box[1]);
    this.position[3*to + 2] = Math.min((k + z - 0.5)*h, box[2]);
    this.normal[4*to] = size*nx;
    this.normal[4*to + 1] = size*ny;
    this.normal[4*to + 2] = size*nz;
    this.value[to] = of > 0 ? byte/of + 0.5 : 0;
    return to;
  }

  #addTriangles() {
    const {nodes: [a, b, c], step, inside} = this;
    if (this.index.length < 36*this.vertices) this.index = new Uint32Array(48*this.vertices);
    this.triangles = 0;
    for (let k = 0; k < c; k++) for (let j = 0; j < b; j++) {
      let at = j*step[1] + k*step[2];
      for (let i = 0; i < a; i++, at++) {
        const here = inside[at];
        if (i + 1 < a && j && k && here !== inside[at + 1]) this.#addQuad(at, step[1], step[2], here);
        if (j + 1 < b && i && k && here !== inside[at + step[1]])
          this.#addQuad(at, step[2], 1, here);
        if (k + 1 < c && i && j && here !== inside[at + step[2]])
          this.#addQuad(at, 1, step[1], here);
      }
    }
  }

  // The four cubes around an edge from node `at`; u and v are the other axes, in the order in which
  // the quad faces along the edge. It is cut along its shorter diagonal.
  #addQuad(at, u, v, outwards) {
    const {cube, position: x, index} = this;
    const p = cube[at - u - v], q = cube[at - v], r = cube[at], s = cube[at - u];
    const square = (m, n) => (x[3*m] - x[3*n])**2 + (x[3*m + 1] - x[3*n + 1])**2
      + (x[3*m + 2] - x[3*n + 2])**2;
    const cut = square(p, r) <= square(q, s);
    const e = cut ? p : q, f = cut ? q : r, g = cut ? r : s, h = cut ? s : p;
    let to = 3*this.triangles;
    index[to++] = e;
    index[to++] = outwards ? f : g;
    index[to++] = outwards ? g : f;
    index[to++] = e;
    index[to++] = outwards ? g : h;
    index[to++] = outwards ? h : g;
    this.triangles += 2;
  }

  // Which particles are outside of it: their numbers. At the sides of the grid nothing is.
  spray({count, x: [xs, ys, zs]}) {
    const {field, step: [, sy, sz], counts: [nx, ny, nz]} = this, shrink = 1/this.block;
    const out = [];
    for (let p = 0; p < count; p++) {
      const x = Math.min(Math.max(shrink*xs[p] + 0.5, 1), nx - 1e-3);
      const y = Math.min(Math.max(shrink*ys[p] + 0.5, 1), ny - 1e-3);
      const z = Math.min(Math.max(shrink*zs[p] + 0.5, 1), nz - 1e-3);
      const i = x | 0, j = y | 0, k = z | 0, u = x - i, v = y - j, w = z - k;
      let d = 0;
      for (let n = 0; n < 8; n++)
        d += (n & 1 ? u : 1 - u)*(n & 2 ? v : 1 - v)*(n & 4 ? w : 1 - w)
          *field[i + (n & 1) + (j + (n >> 1 & 1))*sy + (k + (n >> 2))*sz];
      if (d > SPRAY) out.push(p);
    }
    return out;
  }
}

const onSide = (i, nodes) => i === 0 || i === nodes - 2;
const clamp = (i, n) => i < 0 ? 0 : i < n ? i : n - 1;
const CORNER = new Float32Array(8);
// pairs of corners; bit 0, 1, 2 of a corner: its side along x, y, z
const EDGE = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7);
