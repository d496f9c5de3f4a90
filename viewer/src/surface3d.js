// surface3d.js: the surface of a liquid in space as triangles: those of an exported mesh.
//
// The page has distances from the surface on nodes (cli/page/replay_surface.c). This file makes the
// same triangles as cli/recording/surface_mesh.c, by marching tetrahedra. A cube of eight nodes is
// six tetrahedra around its diagonal; in each the distance is linear, and its zero is a triangle or a
// quad. The surface is closed whatever the distances are: each edge has two triangles.
//
// At the sides of the box there are two more layers of nodes, both on the side itself. The first
// layer repeats the nodes beside it. The second layer is air. The surface between them closes the
// liquid with a flat cap, whose vertices are at the nodes of the first layer.
//
// The surface is that of one frame. The mean of two frames would have holes where a sheet moves by
// more than its thickness.
//
// Colours are the mean of the particles around, on a grid of their own.
const RIM = 2, AIR = 1000;                       // layers at a side; the distance in the second one
const NEAREST = 0.01;                            // to a node, of an edge, as in cli/recording/surface_mesh.c

export class Surface3D {
  constructor({nodes, width, counts, block, box, spacing}) {
    Object.assign(this, {nodes, width, counts, block, box, spacing});
    const [a, b, c] = counts.map(n => n + 2);    // colours: nodes are the centres of cells
    this.step = [1, a, a*b];
    [this.sum, this.weight] = Array.from({length: 2}, () => new Float32Array(a*b*c));
    this.grid = nodes.map(n => n + 2*RIM);
    const layer = this.grid[0]*this.grid[1];
    // of this layer of nodes and of the next: distances, 1 where it is inside, the vertices on the
    // edges upwards by the bits of their axes, and the vertex at the node, if it is on a cap
    [this.below, this.above] = Array.from({length: 2}, () => ({
      distance: new Int16Array(layer), inside: new Uint8Array(layer),
      edge: new Int32Array(8*layer), cap: new Int32Array(layer)}));
    this.places = this.grid.map((n, axis) => Float64Array.from({length: n}, (_, i) =>
      Math.min(Math.max((i - RIM + 0.5)*width, 0), box[axis])));
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

  // Of a frame, with the bytes of its particles.
  update(frame, bytes) {
    const {grid: [a, b, c]} = this;
    this.field = frame.surface;
    this.vertices = this.triangles = 0;
    this.#splash(frame, bytes);
    for (let k = 0; k < c; k++) {
      [this.below, this.above] = [this.above, this.below];
      this.#load(k);
      if (k) for (let j = 0; j + 1 < b; j++) this.#marchRow(a, j, k - 1);
    }
  }

  #load(k) {
    const {grid: [a, b, c], nodes: [nx, ny, nz], field, above: {distance, inside, edge, cap}} = this;
    edge.fill(-1);
    cap.fill(-1);
    for (let j = 0, at = 0; j < b; j++) {
      const row = (clamp(k - RIM, nz)*ny + clamp(j - RIM, ny))*nx;
      const outer = k === 0 || j === 0 || k === c - 1 || j === b - 1;
      for (let i = 0; i < a; i++, at++) {
        const d = outer || i === 0 || i === a - 1 ? AIR
          : 2*field[row + clamp(i - RIM, nx)] + 1;      // 64ths of a node's width
        distance[at] = d;
        inside[at] = d < 0 ? 1 : 0;
      }
    }
  }

  // The cubes from row j of the layer below, which is the k-th.
  #marchRow(a, j, k) {
    const {inside: low} = this.below, {inside: high} = this.above;
    for (let i = 0, at = j*a; i + 1 < a; i++, at++) {
      const corners = low[at] | low[at + 1] << 1 | low[at + a] << 2 | low[at + a + 1] << 3
        | high[at] << 4 | high[at + 1] << 5 | high[at + a] << 6 | high[at + a + 1] << 7;
      if (corners === 0 || corners === 255) continue;
      for (const polygon of POLYGONS[corners]) {
        const size = polygon.length;
        for (let n = 0; n < size; n++)
          FOUND[n] = this.#vertexOn(i, j, k, polygon[n] >> 3, polygon[n] & 7);
        if (size === 3) this.#addTriangle(FOUND[0], FOUND[1], FOUND[2]);
        else this.#addQuad(FOUND[0], FOUND[1], FOUND[2], FOUND[3]);
      }
    }
  }

  // On the edge between two corners of the cube at (i, j, k), the second above the first.
  #vertexOn(i, j, k, low, high) {
    const a = this.grid[0], from = low & 4 ? this.above : this.below;
    const to = high & 4 ? this.above : this.below, bits = low ^ high;
    const start = (j + (low >> 1 & 1))*a + i + (low & 1), end = start + (bits & 1) + (bits & 2 ? a : 0);
    const d = from.distance[start], e = to.distance[end];
    if (d === AIR) return this.#capAt(to, end, i + (high & 1), j + (high >> 1 & 1), k + (high >> 2));
    if (e === AIR) return this.#capAt(from, start, i + (low & 1), j + (low >> 1 & 1), k + (low >> 2));
    const known = from.edge[8*start + bits];
    if (known >= 0) return known;
    const part = Math.min(Math.max(d/(d - e), NEAREST), 1 - NEAREST);
    this.#slope(i + (low & 1), j + (low >> 1 & 1), k + (low >> 2), 1 - part, true);
    this.#slope(i + (high & 1), j + (high >> 1 & 1), k + (high >> 2), part, false);
    const {places: [xs, ys, zs]} = this;
    const along = (list, p, bit) => {
      const x = list[p + (low & bit ? 1 : 0)];
      return x + part*(list[p + (high & bit ? 1 : 0)] - x);
    };
    const made = this.#addVertex(along(xs, i, 1), along(ys, j, 2), along(zs, k, 4));
    return from.edge[8*start + bits] = made;
  }

  // Edges between the two layers of a side have no length: those of a node have one vertex.
  #capAt(layer, node, i, j, k) {
    if (layer.cap[node] >= 0) return layer.cap[node];
    const {grid, places} = this;
    [i, j, k].forEach((p, c) => { SLOPE[c] = p === 1 ? -1 : p === grid[c] - 2 ? 1 : 0; });
    return layer.cap[node] = this.#addVertex(places[0][i], places[1][j], places[2][k]);
  }

  // How the distance grows along x, y and z at a node, times `part`, to SLOPE.
  #slope(i, j, k, part, first) {
    const {field, nodes: [nx, ny, nz]} = this, line = nx, layer = nx*ny;
    const x = clamp(i - RIM, nx), y = clamp(j - RIM, ny), z = clamp(k - RIM, nz);
    const at = z*layer + y*line + x;
    const along = (p, n, step) => {
      const up = p + 1 < n ? step : 0, down = p ? step : 0;
      return up + down ? part*(field[at + up] - field[at - down])*step/(up + down) : 0;
    };
    if (first) SLOPE.fill(0);
    SLOPE[0] += along(x, nx, 1);
    SLOPE[1] += along(y, ny, line);
    SLOPE[2] += along(z, nz, layer);
  }

  #addVertex(x, y, z) {
    const {sum, weight, step: [, sy, sz], counts: [nx, ny, nz]} = this;
    if (this.vertices === this.limit) this.#room(2*this.limit);
    const to = this.vertices++, shrink = 1/(this.spacing*this.block);
    const at = (Math.min(shrink*x + 0.5, nx) | 0) + (Math.min(shrink*y + 0.5, ny) | 0)*sy
      + (Math.min(shrink*z + 0.5, nz) | 0)*sz;
    let byte = 0, of = 0;
    for (let n = 0; n < 8; n++) {
      const node = at + (n & 1) + (n & 2 ? sy : 0) + (n & 4 ? sz : 0);
      byte += sum[node];
      of += weight[node];
    }
    if (!(of > 0)) [byte, of] = this.#colourAround(x*shrink, y*shrink, z*shrink);
    const size = 127/(Math.hypot(SLOPE[0], SLOPE[1], SLOPE[2]) || 1);
    this.position[3*to] = x;
    this.position[3*to + 1] = y;
    this.position[3*to + 2] = z;
    for (let c = 0; c < 3; c++) this.normal[4*to + c] = size*SLOPE[c];
    this.value[to] = of > 0 ? byte/of + 0.5 : 0;
    return to;
  }

  // Where a page has only every n-th particle, a drop may have none. It takes the colour of the
  // particles nearest to it, up to eight cells away.
  #colourAround(x, y, z) {
    const {sum, weight, step: [, sy, sz], counts: [nx, ny, nz]} = this;
    const range = (p, n, r) => [Math.max(Math.floor(p + 0.5) - r, 0),
                                Math.min(Math.floor(p + 1.5) + r, n + 1)];
    let byte = 0, of = 0;
    for (let r = 1; r <= 8 && !(of > 0); r *= 2) {
      const [i0, i1] = range(x, nx, r), [j0, j1] = range(y, ny, r), [k0, k1] = range(z, nz, r);
      for (let k = k0; k <= k1; k++) for (let j = j0; j <= j1; j++) for (let i = i0; i <= i1; i++) {
        byte += sum[i + j*sy + k*sz];
        of += weight[i + j*sy + k*sz];
      }
    }
    return [byte, of];
  }

  // Corners of a cap that are one have no triangle between them.
  #addTriangle(p, q, r) {
    if (p === q || q === r || r === p) return;
    if (this.index.length < 3*this.triangles + 3) {
      const old = this.index;
      this.index = new Uint32Array(2*old.length);
      this.index.set(old);
    }
    const to = 3*this.triangles++;
    this.index[to] = p;
    this.index[to + 1] = q;
    this.index[to + 2] = r;
  }

  #addQuad(p, q, r, s) {                         // cut along its shorter diagonal
    const x = this.position;
    const square = (m, n) => (x[3*m] - x[3*n])**2 + (x[3*m + 1] - x[3*n + 1])**2
      + (x[3*m + 2] - x[3*n + 2])**2;
    const cut = square(p, r) <= square(q, s);
    this.#addTriangle(p, q, cut ? r : s);
    this.#addTriangle(cut ? p : q, r, s);
  }

  // Each particle is shared by the eight nodes of colours around it.
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
}

const clamp = (i, n) => i < 0 ? 0 : i < n ? i : n - 1;
const SLOPE = new Float64Array(3), FOUND = new Int32Array(4);

// The polygons of a tetrahedron, whose corners are on a path upwards. inside: a bit for each; odd:
// the path turns to the left. An edge is 8 times its lower corner, and its upper one.
function polygonOf(corner, inside, odd) {
  const is = [0, 1, 2, 3].filter(p => inside >> p & 1);
  const not = [0, 1, 2, 3].filter(p => !(inside >> p & 1));
  const edge = (p, q) => 8*corner[Math.min(p, q)] + corner[Math.max(p, q)];
  if (is.length === 2) {                         // even but for 0 2 | 1 3 and 1 3 | 0 2
    const [c, d] = not, [a, b] = odd !== (inside === 5 || inside === 10) ? [is[1], is[0]] : is;
    return [edge(a, c), edge(a, d), edge(b, d), edge(b, c)];
  }
  const [one, others] = is.length === 1 ? [is[0], not] : [not[0], is];
  const swap = (odd + one + (is.length === 3)) & 1;
  return [edge(one, others[0]), edge(one, others[1 + swap]), edge(one, others[2 - swap])];
}

// Of a cube, by the bits of its corners that are inside; bit 0, 1, 2 of a corner: its side along
// x, y, z.
const POLYGONS = Array.from({length: 256}, (_, corners) =>
  [[1, 3], [1, 5], [2, 6], [2, 3], [4, 5], [4, 6]].flatMap(([first, second], t) => {
    const path = [0, first, second, 7];
    const inside = path.reduce((bits, corner, p) => bits | (corners >> corner & 1) << p, 0);
    return inside === 0 || inside === 15 ? [] : [polygonOf(path, inside, t % 2 === 1)];
  }));
