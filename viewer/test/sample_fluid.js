// sample_fluid.js: recordings of liquids that a formula gives, written after docs/recording.md alone.
//
//   node sample_fluid.js NAME FILE       pool | held | bare | space | calm | sheet
//
// A pool whose surface is a wave, in a grid with a disc that moves in it, a box and a hollow disc
// around a part of it. `held` is the same scene, faster, and hangs at a ceiling: below a line its
// pressure is negative. `sheet` is a tilted layer of single particles, which no cell is full of.
import {fileURLToPath} from 'node:url';
import {Chunks, differenced, numbers, plane32, planeDouble, plane, words} from './sample.js';

const COLUMNS = ['step', 'time', 'substeps', 'liquid', 'complementary', 'separating', 'components',
  'particles', 'added', 'removed', 'solved', 'unsolved', 'status', 'residual', 'newton', 'inner',
  'divergence', 'courant', 'volume', 'poured', 'kinetic', 'potential', 'px', 'py', 'pz'];
const FINE = 64, SPAN = 8;
export const DT = 1/60, EVERY = 2, FRAMES = 24, UNSOLVED = [5, 12];

export const SCENES = {
  pool: {title: 'a pool', cells: [40, 30, 1], speed: 1, fields: true},
  held: {title: 'a pool that is held', cells: [40, 30, 1], speed: 2, fields: true, held: true,
         scene: 'pool'},
  bare: {title: 'a pool without fields', cells: [40, 30, 1], speed: 1, method: 'pgs'},
  space: {title: 'a pool in space', cells: [18, 18, 12], speed: 1, fields: true},
  calm: {title: 'a calm pool in space', cells: [18, 18, 12], speed: 0.4, fields: true,
         scene: 'space'},
  sheet: {title: 'a sheet', cells: [16, 16, 16], speed: 1, fields: true, sheet: true},
};
export const H = 0.05;
const DISC = 0.12;

export const dimension = ({cells}) => cells[2] > 1 ? 3 : 2;
export const discAt = t => [0.6 + 0.2*Math.sin(2*t), 0.5, 0];
const solidAt = (scene, x, y, t) => dimension(scene) === 2
  && Math.hypot(x - discAt(t)[0], y - discAt(t)[1]) < DISC;

// The surface above x at time t; what is below is liquid.
export const level = (x, t) => 0.8 + 0.15*Math.sin(2*x + 3*t);
export const pressure = ({held}, y) => 1000*(0.9 - y) - (held ? 400 : 0);
export const leaves = ({cells}, i, j) => i === 0 && j > 12 && j < 15;   // separating cells

export const velocity = ({speed}, [x, y], t) =>
  [speed*(0.2 + x)*Math.cos(3*t), speed*0.5*Math.sin(3*t + 4*y), 0.1*speed];

// Single particles half a cell apart.
const sheetAt = (scene, t) => numbers(24).flatMap(j => numbers(24).map(i => {
  const x = (2 + i/2)*H, z = (2 + j/2)*H, at = [x, 4*H + 0.3*x + 0.1*z + 0.1*t, z];
  return {at, v: velocity(scene, at, t)};
}));

// Two per cell and direction, a little off the middle of their places. In space they are half of
// their distance below the surface, as those of a liquid are.
export function particles(scene, t) {
  if (scene.sheet) return sheetAt(scene, t);
  const {cells} = scene, deep = dimension(scene) === 3, list = [];
  for (const k of numbers(deep ? 2*cells[2] : 1)) for (const j of numbers(2*cells[1]))
    for (const i of numbers(2*cells[0])) {
      const shift = 0.3*Math.sin(7*i + 3*j);
      const x = (i + 0.5 + shift)*H/2, y = (j + 0.5 - shift)*H/2, z = (k + 0.5)*H/2;
      if (y > level(x, t) - (deep ? H/4 : 0) || solidAt(scene, x, y, t)) continue;
      list.push({at: deep ? [x, y, z] : [x, y], v: velocity(scene, [x, y], t)});
    }
  return list;
}

export function row(scene, step) {
  const bad = UNSOLVED.includes(step), volume = 0.5;
  return {step, time: step*DT, substeps: 1, liquid: 700, complementary: 60, separating: 2,
          components: 1, particles: 2600, solved: step ? 1 : 0, unsolved: bad ? 1 : 0,
          status: 1, residual: bad ? 1e-3 : 1e-10, newton: 3 + step % 4, inner: 11 + step % 7,
          divergence: 1e-7, courant: 1.5, volume: volume*(1 + 0.01*Math.sin(step/7)),
          poured: volume, kinetic: 5 + 4*Math.sin(step/10), potential: 8 - 4*Math.sin(step/10),
          px: Math.sin(step/5), py: Math.cos(step/5)};
}

const fold = (d, bits) => { const s = d << 32 - bits >> 32 - bits; return s >= 0 ? 2*s : -2*s - 1; };

function flowChunk(scene, from, to) {
  const times = numbers(to - from).map(f => (from + f)*EVERY*DT), {cells: [nx, ny]} = scene;
  const axes = numbers(dimension(scene)), frames = times.map(t => {
    const list = particles(scene, t);
    const top = list.reduce((most, {v}) => Math.max(most, ...v.map(Math.abs)), 0);
    for (const p of list) {
      p.place = axes.map(c => Math.floor(p.at[c]/H*FINE));
      const [i, j, k = 0] = p.place.map(x => Math.floor(x/FINE));
      p.cell = (k*ny + j)*nx + i;
      p.key = axes.reduceRight((key, c) => key*FINE + p.place[c] % FINE, p.cell);
      p.speed = axes.map(c => Math.sign(p.v[c])*Math.round(127*Math.sqrt(Math.abs(p.v[c])/top)));
    }
    list.sort((a, b) => a.key - b.key);
    return {list, top};
  });
  const along = of => frames.flatMap(({list}) => list.map((p, i) => of(p, list[i - 1])));
  const moving = dimension(scene) === 2;
  const poses = moving ? times.map(t => [...discAt(t), 1, 0, 0, 0]) : [];
  return Buffer.concat([
    words([to - from, moving ? 1 : 0, frames.reduce((n, {list}) => n + list.length, 0),
           dimension(scene), FINE, ...scene.cells]),
    ...numbers(7).map(c => differenced(times.map((_, f) => moving ? [poses[f][c]] : []))),
    words(frames.map(({list}) => list.length)),
    Buffer.from(Float32Array.from(frames, ({top}) => top).buffer),
    plane32(along((p, last) => p.cell - (last?.cell ?? 0))),
    ...axes.map(c => Buffer.from(along(p => p.place[c] % FINE))),
    ...axes.map(c => Buffer.from(along((p, last) => fold(p.speed[c] - (last?.speed[c] ?? 0), 8))))]);
}

// Type and pressure of the cells of a frame, and whether the liquid leaves a wall there.
export function cellsAt(scene, t) {
  const [nx, ny, nz] = scene.cells, list = [];
  for (const k of numbers(nz)) for (const j of numbers(ny)) for (const i of numbers(nx)) {
    const x = (i + 0.5)*H, y = (j + 0.5)*H, solid = solidAt(scene, x, y, t);
    const wet = !scene.sheet && !solid && y < level(x, t), off = wet && leaves(scene, i, j);
    list.push({type: solid ? 0 : wet ? 1 : 2, off, pressure: wet && !off ? pressure(scene, y) : 0,
               distance: scene.sheet ? 1.5 : (y - level(x, t))/H});
  }
  return list;
}

function gridChunk(scene, from, to) {
  const frames = numbers(to - from).map(f => cellsAt(scene, (from + f)*EVERY*DT));
  const units = frames.map(list => Math.max(...list.map(c => Math.abs(c.pressure)), 1)/2047);
  const code = frames.map((list, f) => list.map(c => Math.round(c.pressure/units[f])));
  const stored = code.flatMap(list => list.map((x, i) => fold(x - (list[i - 1] ?? 0), 16)));
  const deep = dimension(scene) === 3, byte = d => Math.round(Math.min(Math.max(64*d, -127), 127));
  return Buffer.concat([words([to - from, ...scene.cells, deep ? 7 : 5, 0, 0, 0]),
    Buffer.from(frames.flatMap(list => list.map(c => c.type + (c.off ? 4 : 0)))),
    Buffer.from(Int8Array.from(deep ? frames.flatMap(list => list.map(c => byte(c.distance))) : [])
      .buffer),
    Buffer.from(Float32Array.from(units).buffer),
    plane(Buffer.from(Uint16Array.from(stored).buffer), 2)]);
}

function stepsChunk(scene, from, to) {
  const steps = numbers(to - from).map(k => from + k);
  return Buffer.concat([words([steps.length, COLUMNS.length, 0, 0]),
    ...COLUMNS.map(name => planeDouble(steps.map(step => row(scene, step)[name] ?? 0))),
    words(steps.map(() => 0))]);
}

function header(name, scene) {
  const flat = dimension(scene) === 2, bodies = [
    {shape: 0, extent: [DISC, 0, 0], moves: true, position: discAt(0)},
    {shape: 1, extent: [0.15, 0.08, 0.1], position: [1.5, 0.3, 0],
     turn: [Math.cos(0.3), 0, 0, Math.sin(0.3)]},
    {shape: 3, extent: [1.1, 0, 0], position: [1, 0.75, 0]},
    {shape: 2, extent: [Math.SQRT1_2, Math.SQRT1_2, 0], offset: 0.2, position: [0, 0, 0]},
  ].filter(b => flat || b.shape === 1), list = of => bodies.map(of);
  const size = scene.cells.map(n => n*H);
  return {
    perp: 1, kind: 'fluid', scene: scene.scene ?? name, title: scene.title,
    command: `perp run ${name}`, arguments: [name], version: '0.0.0', seed: '7', parameters: {},
    method: scene.method ?? 'auto', tol: 1e-8, dimension: dimension(scene), dt: DT,
    steps: (FRAMES - 1)*EVERY,
    every: EVERY, span: SPAN, gravity: [0, -9.81, 0],
    view: {center: size.map((x, c) => flat && c === 2 ? 0 : x/2), radius: Math.hypot(...size)/2},
    materials: ['wall'], groups: ['solid'], columns: COLUMNS, cells: scene.cells, spacing: H,
    density: 1000, walls: scene.held ? 'slip' : 'separating', transfer: 'flip', flip: 0.97,
    keep: 'all', fine: FINE, fields: scene.fields ? ['type', ...(flat ? [] : ['surface']), 'pressure'] : [],
    bodies: {
      shape: list(b => b.shape), extent: list(b => b.extent), offset: list(b => b.offset ?? 0),
      mass: list(() => 0), static: list(b => b.moves ? 0 : 1), material: list(() => 0),
      group: list(() => 0), position: list(b => b.position),
      orientation: list(b => b.turn ?? [1, 0, 0, 0])}};
}

export function write(name, path) {
  const scene = SCENES[name], file = new Chunks();
  file.add('HEAD', Buffer.from(JSON.stringify(header(name, scene))), 0, 0);
  let rows = 0;
  for (let f = 0; f < FRAMES; f += SPAN) {
    const to = Math.min(f + SPAN, FRAMES), end = (to - 1)*EVERY + 1;
    file.add('FLOW', flowChunk(scene, f, to), f*EVERY, to - f);
    if (scene.fields) file.add('GRID', gridChunk(scene, f, to), f*EVERY, to - f);
    file.add('STEP', stepsChunk(scene, rows, end), rows, end - rows);
    rows = end;
  }
  file.end({frames: FRAMES, steps: rows - 1, unsolved: UNSOLVED.length, residual: 1e-3});
  file.save(path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, path] = process.argv.slice(2);
  if (!SCENES[name] || !path) {
    console.error(`usage: node sample_fluid.js ${Object.keys(SCENES).join('|')} FILE`);
    process.exit(2);
  }
  write(name, path);
}
