// sample.js: recordings of motions that a formula gives, written after docs/recording.md alone.
//
//   node sample.js NAME FILE       shapes | discs | far | cut | empty
import {writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {crc32Of, deflate} from './zip.js';

const COLUMNS = ['step', 'time', 'contacts', 'rows', 'islands', 'asleep', 'unsolved', 'status',
  'residual', 'iterations', 'factorizations', 'kinetic', 'potential', 'dissipated', 'penetration',
  'unprojected', 'px', 'py', 'pz', 'lx', 'ly', 'lz'];
const SPHERE = 0, BOX = 1, PLANE = 2, HOLLOW = 3;
export const UNSOLVED = [20, 21, 53];        // steps

// ------------------------------------------------------------------------------------------ scenes
//
// A body that moves has at(t), turn(t) (w first) and speed(t).

const about = (axis, angle) => [Math.cos(angle/2), ...axis.map(x => x*Math.sin(angle/2))];
const fixed = (shape, extent, offset = 0, position = [0, 0, 0]) =>
  ({shape, extent, offset, position, group: 0});

function hopping(k, flat) {
  const at = t => [-2.4 + 0.8*k, 0.3 + 1.4*Math.sin(2*t + k)**2, flat ? 0 : -1 + 0.2*k];
  return {shape: SPHERE, extent: [0.3, 0, 0], group: 1 + k % 2, at,
          turn: t => about([0, 0, 1], 3*t + k), velocity: t => [0, 1.4*2*Math.sin(4*t + 2*k), 0]};
}

function spinning(k, flat) {
  const axis = flat ? [0, 0, 1] : [Math.SQRT1_2, Math.SQRT1_2, 0];
  return {shape: BOX, extent: [0.45, 0.25, 0.2], group: 3,
          at: () => [-1.8 + 1.3*k, 2.6, flat ? 0 : 0.6],
          turn: t => about(axis, 2*t + k), velocity: () => [0, 0, 0]};
}

// Flies far away: positions need more than two bytes.
function leaving() {
  return {shape: SPHERE, extent: [0.3, 0, 0], group: 1, at: t => [3000*t, 1, 0],
          turn: () => [1, 0, 0, 0], velocity: () => [3000, 0, 0]};
}

export const numbers = n => [...Array(n).keys()];
const hoppers = flat => numbers(7).map(k => hopping(k, flat));
const spinners = flat => numbers(4).map(k => spinning(k, flat));
const floor = fixed(PLANE, [0, 1, 0]);

export const SCENES = {
  shapes: {
    title: 'every <shape> & "more"', view: {center: [0, 1.5, 0], radius: 3.4},
    bodies: [floor, fixed(PLANE, [0, 0, -1], -2), fixed(HOLLOW, [0.9, 0, 0], 0, [2.6, 2.7, 0]),
             fixed(BOX, [0.5, 0.3, 0.5], 0, [2.9, 0.3, 0]),
             fixed(SPHERE, [0.35, 0, 0], 0, [-2.9, 0.35, 0.6]),
             ...hoppers(false), ...spinners(false)]},
  discs: {
    title: 'discs', dimension: 2, view: {center: [0.2, 1.9, 0], radius: 2.6},
    bodies: [floor, fixed(PLANE, [1, 0, 0], -3), fixed(PLANE, [-1, 0, 0], -3.4),
             fixed(HOLLOW, [0.6, 0, 0], 0, [2.5, 3.2, 0]), ...hoppers(true), ...spinners(true)]},
  far: {title: 'one that leaves', bodies: [floor, ...hoppers(false), leaving()]},
  cut: {title: 'one without an end', bodies: [floor, ...hoppers(false)], cut: true},
  empty: {title: 'nothing', bodies: [], frames: 3},
};

export const DT = 1/60, EVERY = 2, FRAMES = 40;
const SPAN = 16;

export const movers = scene => scene.bodies.filter(body => body.at);

// The contacts of a step: each hopping sphere touches the floor, body 0, which gets the impulse.
export function contacts(scene, step) {
  if (!step) return [];
  const spheres = movers(scene).filter(body => body.shape === SPHERE);
  return spheres.map((body, k) => {
    const [x, , z] = body.at(step*DT), size = (k + 1)*(1.2 + Math.sin(step/9));
    return {a: 0, b: scene.bodies.indexOf(body), flags: UNSOLVED.includes(step) ? 1 : 0,
            point: [x, 0, z], normal: [0, -1, 0], gap: -1e-5, impulse: [0.6*size, -0.8*size, 0]};
  });
}

export function row(scene, step) {
  const bad = UNSOLVED.includes(step), count = contacts(scene, step).length;
  return {step, time: step*DT, contacts: count, rows: 5*count, islands: count,
          unsolved: bad ? 2 : 0, status: bad ? 2 : 1,
          residual: !count ? 0 : bad ? 1e-3 : 10**(-9 - step % 3),
          iterations: count ? 3 + step % 5 : 0, penetration: 1e-5,
          kinetic: 5 + 4*Math.sin(step/10), potential: 8 - 4*Math.sin(step/10)};
}

// The trace of a step: log10 of the residual falls by 2.5 an iteration, or by a quarter.
export function trace(scene, step) {
  const {iterations, unsolved} = row(scene, step);
  return iterations ? numbers(iterations + 1).map(k => [k, unsolved ? -0.25*k : -2.5*k]) : [];
}

// ------------------------------------------------------------------------------------------- bytes

export const words = list => Buffer.from(Uint32Array.from(list).buffer);
const bits = x => Buffer.from(Float32Array.of(x).buffer).readUInt32LE();

// The lowest bytes of all words first.
export function plane(bytes, width) {
  const m = bytes.length/width, out = Buffer.alloc(bytes.length);
  for (let i = 0; i < m; i++) for (let k = 0; k < width; k++) out[k*m + i] = bytes[i*width + k];
  return out;
}

export const plane32 = list => plane(words(list), 4);
export const planeFloat = list => plane(Buffer.from(Float32Array.from(list).buffer), 4);
export const planeDouble = list => plane(Buffer.from(Float64Array.from(list).buffer), 8);

export function differenced(frames) {            // [frame][body]
  let before = frames[0]?.map(() => 0) ?? [];
  return plane32(frames.flatMap(values => {
    const now = values.map(bits), folded = now.map((word, i) => {
      const d = word - before[i] | 0;
      return d >= 0 ? 2*d : -2*d - 1;
    });
    before = now;
    return folded;
  }));
}

function framesChunk(scene, from, to) {
  const moving = movers(scene), times = numbers(to - from).map(f => (from + f)*EVERY*DT);
  const touching = numbers(to - from).map(f => contacts(scene, (from + f)*EVERY));
  const all = touching.flat();
  const vector = name => [0, 1, 2].map(c => planeFloat(all.map(x => x[name][c])));
  const part = (of, c) => differenced(times.map(t => moving.map(body => of(body, t)[c])));
  return Buffer.concat([words([to - from, moving.length, all.length, 0]),
    ...[0, 1, 2].map(c => part((body, t) => body.at(t), c)),
    ...[0, 1, 2, 3].map(c => part((body, t) => body.turn(t), c)),
    ...[0, 1, 2].map(c => part((body, t) => body.velocity(t), c)),
    ...[0, 1, 2].map(c => part(() => [0, 0, 0], c)),
    words(touching.map(list => list.length)),
    ...['a', 'b', 'flags'].map(name => plane32(all.map(x => x[name]))),
    ...vector('point'), ...vector('normal'), planeFloat(all.map(x => x.gap)),
    ...vector('impulse')]);
}

function stepsChunk(scene, from, to) {
  const steps = numbers(to - from).map(k => from + k);
  const traces = steps.map(step => trace(scene, step)), points = traces.flat();
  return Buffer.concat([words([steps.length, COLUMNS.length, points.length, 0]),
    ...COLUMNS.map(name => planeDouble(steps.map(step => row(scene, step)[name] ?? 0))),
    words(traces.map(t => t.length)), plane32(points.map(p => p[0])),
    planeFloat(points.map(p => p[1]))]);
}

function header(name, scene, frames) {
  const {bodies} = scene, list = of => bodies.map(of);
  return {
    perp: 1, kind: 'contact', scene: name, title: scene.title,
    command: `perp run ${name} --seed 7 --title 'a "quoted" one'`, arguments: [name],
    version: '0.0.0', seed: '7', parameters: {}, method: 'auto', model: 'friction', tol: 1e-8,
    dimension: scene.dimension ?? 3, dt: DT, steps: (frames - 1)*EVERY, every: EVERY, span: SPAN,
    gravity: [0, -9.81, 0], view: scene.view ?? {center: [0, 1, 0], radius: 3.2},
    materials: ['stuff'], groups: ['ground', 'odd', 'even', 'box'], columns: COLUMNS,
    bodies: {
      shape: list(b => b.shape), extent: list(b => b.extent), offset: list(b => b.offset ?? 0),
      mass: list(b => b.at ? 1 : 0), static: list(b => b.at ? 0 : 1), material: list(() => 0),
      group: list(b => b.group), position: list(b => b.at ? b.at(0) : b.position),
      orientation: list(b => b.at ? b.turn(0) : [1, 0, 0, 0])}};
}

// A file of chunks; `end` writes LAST.
export class Chunks {
  constructor() { this.parts = [Buffer.from('PERPREC1')]; this.index = []; }

  add(type, plain, first, count) {
    const stored = deflate(plain), sizes = words([stored.length, plain.length, first, count]);
    const head = Buffer.concat([Buffer.from(type), sizes]);
    this.index.push([type, this.parts.reduce((sum, p) => sum + p.length, 0), first, count]);
    this.parts.push(head, words([crc32Of(Buffer.concat([head, stored]))]), stored);
  }

  end(about) {
    const last = {complete: true, reason: 'finished', ...about, chunks: this.index.slice()};
    this.add('LAST', Buffer.from(JSON.stringify(last)), 0, 0);
  }

  save(path) { writeFileSync(path, Buffer.concat(this.parts)); }
}

export function write(name, path) {
  const scene = SCENES[name], total = scene.frames ?? FRAMES, file = new Chunks();
  file.add('HEAD', Buffer.from(JSON.stringify(header(name, scene, total))), 0, 0);
  let rows = 0;
  for (let f = 0; f < total; f += SPAN) {
    const to = Math.min(f + SPAN, total), end = (to - 1)*EVERY + 1;
    file.add('FRAM', framesChunk(scene, f, to), f*EVERY, to - f);
    file.add('STEP', stepsChunk(scene, rows, end), rows, end - rows);
    rows = end;
  }
  const unsolved = UNSOLVED.filter(step => step < rows).length;
  if (!scene.cut) file.end({frames: total, steps: rows - 1, unsolved, residual: 1e-3});
  file.save(path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, path] = process.argv.slice(2);
  if (!SCENES[name] || !path) {
    console.error(`usage: node sample.js ${Object.keys(SCENES).join('|')} FILE`);
    process.exit(2);
  }
  write(name, path);
}
