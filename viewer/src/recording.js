// recording.js: a recording of bodies in metres and seconds: positions, contacts, statistics.
import {decode, unpack} from './payload.js';
import {Timed} from './timed.js';
import {dot, scale} from './vector.js';

export const SPHERE = 0, BOX = 1, PLANE = 2, HOLLOW = 3;   // as in the header of a recording
const UNKNOWN = 0xffffffff;                                // contacts that were not recorded

export class Recording extends Timed {
  static async from(base64) { return new Recording(decode(await unpack(base64))); }

  static compare(recordings) {
    super.compare(recordings, [['fastest', 1], ['typicalImpulse', 1]]);
  }

  constructor(data) {
    super(data);
    this.fastest = data.speed.some(word => word > 0) ? this.topSpeed : 0;
    this.#readBodies();
    this.#indexContacts();
    for (const body of this.bodies) {     // large and fixed: it would hide what it holds
      body.glass = !this.flat && !body.moving && body.shape === BOX
        && Math.hypot(...body.extent) > 0.45*this.view.radius;
    }
  }

  #readBodies() {
    const {shape, extent, offset, group, position, orientation} = this.head.bodies;
    const still = this.head.bodies.static;
    this.bodies = shape.map((kind, id) => ({
      id, shape: kind, extent: extent[id], offset: offset[id], group: group[id],
      moving: !still[id], position: position[id], orientation: orientation[id],
    }));
    this.moving = this.bodies.filter(body => body.moving);
    this.slot = new Int32Array(this.bodies.length).fill(-1);   // of a body among the moving ones
    this.moving.forEach((body, k) => { this.slot[body.id] = k; });
    this.groups = this.head.groups;
  }

  // Contacts of frame f are first[f] .. first[f + 1] - 1.
  #indexContacts() {
    const {counts, strength} = this.data;
    this.first = new Uint32Array(this.frames + 1);
    for (let f = 0; f < this.frames; f++) {
      this.first[f + 1] = this.first[f] + (this.contactsKnown(f) ? counts[f] : 0);
    }
    const every = Math.ceil(strength.length/20000);            // a sample is enough
    const sample = strength.filter((s, i) => s > 0 && i % every === 0).sort();
    const high = sample[Math.floor(0.97*(sample.length - 1))];
    this.typicalImpulse = sample.length ? this.#impulse(high) : 0;
  }

  #impulse(code) {
    const [low, step] = this.data.meta.strength;
    return code ? 2**(low + (code - 1)*step) : 0;
  }

  // -------------------------------------------------------------------------------------- geometry

  // Centre of moving body k at frame + blend, into out[3].
  place(k, exact, out) {
    const {position, meta} = this.data, {box} = meta, n = this.moving.length;
    const f = Math.floor(exact), blend = exact - f, i = f*n + k;
    for (let c = 0; c < 3; c++) {
      const plane = position[c];
      const word = blend > 0 ? plane[i] + blend*(plane[i + n] - plane[i]) : plane[i];
      out[c] = box[c] + word*box[3 + c];
    }
    return out;
  }

  // Orientation likewise, as x y z w.
  turn(k, exact, out) {
    const planes = this.data.quaternion, n = this.moving.length;
    const f = Math.floor(exact), blend = exact - f, i = f*n + k;
    let norm = 0;
    for (let c = 0; c < 4; c++) {
      const from = signed(planes[c][i]);
      const q = blend > 0 ? from + blend*(signed(planes[c][i + n]) - from) : from;
      out[(c + 3) % 4] = q;
      norm += q*q;
    }
    if (norm > 0) for (let c = 0; c < 4; c++) out[c] /= Math.sqrt(norm);
    else out[3] = 1;
    return out;
  }

  speed(k, frame) { return this.data.speed[frame*this.moving.length + k]*this.data.meta.speed; }
  get topSpeed() { return this.data.meta.speed*65535; }

  // -------------------------------------------------------------------------------------- contacts

  contactsKnown(frame) { return this.data.counts[frame] !== UNKNOWN; }

  // Contact i: its bodies, its point, and the impulse on a.
  contact(i, out) {
    const {a, b, flags, point, direction, strength, meta} = this.data;
    out.a = a[i];
    out.b = b[i];
    out.certified = !(flags[i] & 1);
    for (let c = 0; c < 3; c++) out.point[c] = meta.box[c] + point[c][i]*meta.box[3 + c];
    out.size = this.#impulse(strength[i]);
    unfoldDirection(direction[0][i], direction[1][i], out.direction);
    return out;
  }

  // The same with the impulse on the body that moves; of two that move, on the one that it lifts.
  push(i, out) {
    this.contact(i, out);
    const onA = this.slot[out.a] >= 0, onB = this.slot[out.b] >= 0;
    if (onB && (!onA || dot(out.direction, this.up) < 0)) out.direction = scale(out.direction, -1);
    return out;
  }

  // The impulses that each moving body gets in a frame, added up without their directions.
  impulses(frame, out) {
    const {a, b, strength} = this.data;
    out.fill(0);
    for (let i = this.first[frame]; i < this.first[frame + 1]; i++) {
      const size = this.#impulse(strength[i]);
      if (this.slot[a[i]] >= 0) out[this.slot[a[i]]] += size;
      if (this.slot[b[i]] >= 0) out[this.slot[b[i]]] += size;
    }
    return out;
  }
}

function signed(word) { return word << 16 >> 16; }

// Two bytes on the octahedron |x| + |y| + |z| = 1, whose lower half is folded outwards.
function unfoldDirection(u, v, out) {
  let x = u/127.5 - 1, y = v/127.5 - 1;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y))*(x < 0 ? -1 : 1), (1 - Math.abs(x))*(y < 0 ? -1 : 1)];
  const norm = Math.hypot(x, y, z);
  out[0] = x/norm;
  out[1] = y/norm;
  out[2] = z/norm;
}
