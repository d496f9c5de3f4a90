// payload.js: a recording as `perp view` packs it into the page, and its bytes as typed arrays.
//
// A payload is base64 of a zlib stream. Unpacked: the length of a JSON text (u32, little-endian),
// the text, then planes: of m words of k bytes first the lowest bytes of all words, then the next
// ones. docs/player.md lists the planes; cli/page/replay.c writes them.

// The bytes behind a <script class="recording">.
export async function unpack(base64) {
  const text = atob(base64.trim()), stored = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) stored[i] = text.charCodeAt(i);
  const stream = new Blob([stored]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads planes one after the other.
class Planes {
  constructor(bytes, at) { this.bytes = bytes; this.at = at; }

  // m words of `size` bytes into `out`.
  words(out, size) {
    const m = out.length, {bytes, at} = this;
    if (at + m*size > bytes.length) throw new Error(`the recording ends at byte ${bytes.length}`);
    for (let i = 0; i < m; i++) {
      let word = 0;
      for (let k = size - 1; k >= 0; k--) word = word << 8 | bytes[at + k*m + i];
      out[i] = word;
    }
    this.at += m*size;
    return out;
  }

  bytesOf(m) { return this.words(new Uint8Array(m), 1); }
  counts(m) { return this.words(new Uint32Array(m), 4); }
  floats(m) { return new Float32Array(this.words(new Uint32Array(m), 4).buffer); }
  array(m, size) { return size === 2 ? new Uint16Array(m) : new Uint32Array(m); }

  // Differences to the word before.
  chain(m, size) {
    const out = this.words(this.array(m, size), size);
    for (let i = 0, sum = 0; i < m; i++) {
      sum += unfold(out[i]);
      out[i] = sum;
    }
    return out;
  }

  // Differences between frames, `order` 1, or to the straight line through two frames, `order` 2.
  motion(frames, bodies, size, order) {
    const out = this.words(this.array(frames*bodies, size), size);
    for (let i = 0; i < out.length; i++) {
      const last = i >= bodies ? out[i - bodies] : 0;
      const before = order === 2 && i >= 2*bodies ? out[i - 2*bodies] : last;
      out[i] = 2*last - before + unfold(out[i]);   // typed arrays wrap as the writer did
    }
    if (size === 3) for (let i = 0; i < out.length; i++) out[i] &= 0xffffff;
    return out;
  }
}

// 0, 1, 2, 3, 4 ... are 0, -1, 1, -2, 2 ...
function unfold(z) { return z >>> 1 ^ -(z & 1); }

// Everything in the page about one recording, still in the units of the payload.
export function decode(bytes) {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const planes = new Planes(bytes, 4 + length), data = {meta};
  (meta.kind === 'fluid' ? decodeFluid : decodeContact)(data, planes);
  const left = bytes.length - planes.at;
  if (left) throw new Error(`there are ${left} bytes after the last array`);
  return data;
}

function decodeContact(data, planes) {
  const {frames, moving, contacts, size} = data.meta;
  data.position = [0, 1, 2].map(() => planes.motion(frames, moving, size, 2));
  data.quaternion = [0, 1, 2, 3].map(() => planes.motion(frames, moving, 2, 2));
  data.speed = planes.motion(frames, moving, 2, 1);
  data.counts = planes.counts(frames);
  data.a = planes.chain(contacts, 4);
  data.b = planes.chain(contacts, 4);
  data.flags = planes.bytesOf(contacts);
  data.point = [0, 1, 2].map(() => planes.words(planes.array(contacts, size), size));
  data.direction = [planes.bytesOf(contacts), planes.bytesOf(contacts)];
  data.strength = planes.words(new Uint16Array(contacts), 2);
  decodeSteps(data, planes);
}

function decodeSteps(data, planes) {
  const {rows, points, columns} = data.meta;
  data.columns = Object.fromEntries(columns.map(name => [name, planes.floats(rows)]));
  data.traceCounts = planes.bytesOf(rows);
  data.traceIterations = planes.counts(points);
  data.traceResiduals = planes.words(new Uint16Array(points), 2);
}

// Frames stay bytes until they are shown: they are many, and large.
function decodeFluid(data, planes) {
  decodeSteps(data, planes);
  const lengths = planes.counts(data.meta.frames);
  data.frames = Array.from(lengths, length => {
    const from = planes.at;
    planes.at += length;
    return planes.bytes.subarray(from, planes.at);
  });
}

const LOW = -64, HIGH = 63;                // of values for distances from the surface

// What the nodes before node (i, j, k) suggest: where the planes through three of them lead, inside
// the grid the mean of three such planes. As in cli/page/replay_surface.c.
export function suggested(v, node, i, j, k, line, layer) {
  if (i && j && k)
    return Math.floor((2*(v[node - 1] + v[node - line] + v[node - layer]) - v[node - line - 1]
      - v[node - layer - 1] - v[node - layer - line] + 1)/3);
  const one = i ? 1 : j ? line : layer, two = i && j ? line : k ? layer : 0;
  if (!i && !j && !k) return HIGH;
  if (!two || one === two) return v[node - one];
  return v[node - one] + v[node - two] - v[node - one - two];
}

// One frame of a fluid: places in cells, velocities in cells per second, the bytes of pressure for
// colours, the cells, which may be blocks of those that were recorded, and distances from the surface.
export function decodeFrame(bytes, meta) {
  const {dimension, cells: [nx, ny], spacing} = meta.head, {levels, solids, fields, surface} = meta;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true), separating = view.getUint32(4, true);
  const unit = view.getFloat32(8, true)/127**2/spacing;
  const [cx, cy, cz] = pageCells(meta), size = cx*cy*cz;
  let at = 12;
  const float = () => { at += 4; return view.getFloat32(at - 4, true); };
  const number = () => {                   // seven bits a byte, the lowest first
    let value = 0, shift = 0, byte;
    do {
      byte = bytes[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return value;
  };
  const take = n => { at += n; return bytes.subarray(at - n, at); };
  const chained = out => {                 // differences to the byte before
    const from = take(out.length);
    for (let i = 0, sum = 0; i < out.length; i++) out[i] = sum += unfold(from[i]);
    return out;
  };
  const sums = n => {                      // of numbers
    const out = new Uint32Array(n);
    for (let i = 0, sum = 0; i < n; i++) out[i] = sum += number();
    return out;
  };
  const distances = () => {                // runs without a difference, then some with one
    const [width, height, depth] = meta.nodes, layer = width*height;
    const out = new Int8Array(layer*depth);
    let node = 0, same = 0, other = 0;
    for (let k = 0; k < depth; k++) for (let j = 0; j < height; j++)
      for (let i = 0; i < width; i++, node++) {
        if (!same && !other) {
          same = number();
          other = number();
        }
        let d = suggested(out, node, i, j, k, width, layer);
        d = d < LOW ? LOW : d > HIGH ? HIGH : d;
        if (same) same--;
        else {
          d += unfold(bytes[at++]);
          other--;
        }
        out[node] = d;
      }
    return out;
  };
  const axes = [0, 1, 2].slice(0, dimension), poses = Array.from({length: solids});
  const frame = {count, pose: poses.map(() => Array.from({length: 7}, float))};
  frame.separating = sums(separating);
  const cell = sums(count), divide = [1, nx, nx*ny], modulo = [nx, ny, 2**31];
  frame.x = axes.map(c => {                // loops, not callbacks: this runs for each frame shown
    const part = take(count), out = new Float32Array(count), by = divide[c], of = modulo[c];
    for (let p = 0; p < count; p++)
      out[p] = (cell[p]/by >>> 0) % of + (part[p] + 0.5)/levels;
    return out;
  });
  frame.v = axes.map(() => {
    const stored = chained(new Int8Array(count)), out = new Float32Array(count);
    for (let p = 0; p < count; p++) out[p] = unit*stored[p]*Math.abs(stored[p]);   // signed squares
    return out;
  });
  if (fields) {
    frame.pressure = chained(new Uint8Array(count));
    frame.type = take(size);
    frame.cellPressure = chained(new Uint8Array(size));
  }
  if (surface) frame.surface = distances();
  if (at !== bytes.length) throw new Error(`a frame has ${bytes.length} bytes, not ${at}`);
  return frame;
}

// How many cells the page has along each axis.
export const pageCells = ({head: {cells}, block}) => cells.map(n => Math.ceil(n/block));

export {unfold};
