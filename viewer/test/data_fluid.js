// data_fluid.js: what the player reads out of a page of a liquid is what the recording was made of.
//
//   node data_fluid.js PERP FOLDER
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Fluid, LIQUID} from '../src/fluid.js';
import {Surface} from '../src/surface.js';
import {check, finish, view} from './check.js';
import {DT, EVERY, FRAMES, H, SCENES, UNSOLVED, cellsAt, dimension, discAt, level, particles, row,
        write} from './sample_fluid.js';

const [perp, folder] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});

const packed = text => text.match(/<script [^>]*class="recording">([^<]*)<\/script>/)[1];
const fileOf = name => join(folder, `${name}.perp`);

const known = new Map();

async function read(name, ...options) {
  const key = [name, ...options].join(' ');
  if (!known.has(key)) known.set(key, await make(name, ...options));
  return known.get(key);
}

async function make(name, ...options) {
  const page = join(folder, `${name}.html`);
  write(name, fileOf(name));
  const {stdout} = view(perp, [fileOf(name)], page, ...options);
  const text = readFileSync(page, 'utf8');
  return {recording: await Fluid.from(packed(text)), scene: SCENES[name], text, stdout};
}

// Particles of the recording by cell.
function byCell(frame, axes) {
  const map = new Map();
  for (let p = 0; p < frame.count; p++) {
    const key = axes.map(c => Math.floor(frame.x[c][p])).join();
    map.set(key, [...map.get(key) ?? [], p]);
  }
  return map;
}

for (const name of ['pool', 'space']) {
  const {recording, scene} = await read(name), axes = [0, 1, 2].slice(0, dimension(scene));
  const levels = recording.data.meta.levels;

  await check(`${name}: particles are where the formula puts them, as fast as it says`, () => {
    assert.equal(recording.frames, FRAMES);
    for (const f of [0, 7, FRAMES - 1]) {
      const frame = recording.frame(f), wanted = particles(scene, f*EVERY*DT);
      const cells = byCell(frame, axes), flat = axes.length === 2;
      if (flat) assert.equal(frame.count, wanted.length);
      const all = new Map();
      for (const p of wanted) {
        const key = axes.map(c => Math.floor(p.at[c]/H)).join();
        all.set(key, [...all.get(key) ?? [], p]);
      }
      const top = Math.max(...[0, 1, 2].map(c => wanted.reduce(
        (most, {v}) => Math.max(most, Math.abs(v[c])), 0)));
      for (const [key, list] of cells) for (const p of list) {
        const like = all.get(key)?.find(({at, v}) =>
          axes.every(c => Math.abs(at[c]/H - frame.x[c][p]) <= 0.51/levels
            // roots have steps of 1/127 of that of the top
            && Math.abs(Math.sqrt(Math.abs(v[c])) - Math.sqrt(Math.abs(H*frame.v[c][p])))
               <= 0.51/127*Math.sqrt(top)));
        assert.ok(like, `frame ${f}: a particle in cell ${key} is none of the formula`);
      }
      for (const [key, list] of flat ? all : []) assert.equal(cells.get(key).length, list.length);
    }
  });

  await check(`${name}: cells have their type and pressure, and some separate`, () => {
    const [nx, ny, nz] = scene.cells, from = nx*ny*Math.floor(nz/2);
    const cells = cellsAt(scene, 6*EVERY*DT), frame = recording.frame(6);
    const [low, high] = recording.data.meta.pressure;
    assert.deepEqual([...frame.separating], [...cells.keys()].filter(i => cells[i].off));
    assert.ok(frame.separating.length > 0);
    for (let i = 0; i < nx*ny; i++) {
      const {type, pressure} = cells[from + i];
      assert.equal(frame.type[i], type);
      if (type !== LIQUID) continue;
      const wanted = Math.min(Math.max(pressure, low), high);    // beyond are a few cells
      assert.ok(Math.abs(recording.pressureOf(frame.cellPressure[i]) - wanted) < (high - low)/250);
    }
    assert.ok(high > 800 && high < 1000, `the largest pressure is ${high}`);
  });

  await check(`${name}: every row is there`, () => {
    assert.equal(recording.rows, (FRAMES - 1)*EVERY + 1);
    assert.deepEqual(recording.unsolved, UNSOLVED);
    for (let step = 0; step < recording.rows; step++)
      for (const [column, values] of Object.entries(recording.columns)) {
        const value = row(scene, step)[column] ?? 0;
        assert.ok(Math.abs(values[step] - value) <= 1e-6*Math.abs(value), `${column} of ${step}`);
      }
  });
}

await check('a solid that moves is where the formula puts it, between frames too', async () => {
  const {recording} = await read('pool'), [disc, box] = recording.solids;
  assert.equal(disc.slot, 0);
  assert.equal(box.slot, -1);
  const place = (f, blend) => recording.pose(0, f, blend).position[0];
  for (const f of [0, 11]) assert.ok(Math.abs(place(f, 0) - discAt(f*EVERY*DT)[0]) < 1e-6);
  assert.ok(Math.abs(place(11, 0.5) - (place(11, 0) + place(12, 0))/2) < 1e-9);
});

await check('between frames particles go on as fast as they are', async () => {
  const {recording} = await read('pool'), from = recording.frame(4), on = recording.moment(4, 0.25);
  const time = 0.25*EVERY*DT;
  for (const p of [0, 100, 2000]) for (const c of [0, 1])
    assert.ok(Math.abs(on.x[c][p] - from.x[c][p] - time*from.v[c][p]) < 1e-4);
});

await check('the surface is where the liquid ends', async () => {
  const {recording} = await read('pool'), surface = new Surface(recording);
  surface.update(recording.frame(3), recording.bytes(3, 'speed'));
  for (let i = 8; i < surface.width - 8; i++) {
    let top = 0;
    for (let j = 0; j < surface.height; j++) if (surface.field[j*surface.width + i] >= 0) top = j;
    const x = i/surface.per*H, away = top/surface.per*H - level(x, 3*EVERY*DT);
    assert.ok(Math.abs(away) < 1.1*H, `${away} above x = ${x}`);
  }
  let area = 0, polygon = [];
  const close = () => {
    polygon.forEach(([x, y], k) => {
      const [u, v] = polygon[(k + 1) % polygon.length];
      area += (x*v - u*y)/2;
    });
    polygon = [];
  };
  surface.outline(close, (x, y) => polygon.push([x, y]));
  close();
  const inside = surface.field.filter(f => f >= 0).length;
  assert.ok(Math.abs(area/inside - 1) < 0.03, `${area} for ${inside} nodes inside`);
});

await check('colours: slow is blue, fast is red, suction is violet', async () => {
  const {recording} = await read('held');
  const rgb = (mode, byte) => [...recording.palette(mode).slice(3*byte, 3*byte + 3)];
  const [r, , b] = rgb('speed', 0), [s, , c] = rgb('speed', 255);
  assert.ok(b > 1.5*r && s > 1.5*c);
  const [low, high] = recording.data.meta.pressure;
  assert.ok(low < -300 && low > -500, `the most suction is ${low}`);
  const [u, v, w] = rgb('pressure', 0), zero = rgb('pressure', Math.round(-255*low/(high - low)));
  assert.ok(u > 1.5*v && w > 1.5*v, 'violet');
  assert.ok(zero[2] > 2*zero[0], 'no pressure is blue');
});

await check('two recordings of one scene share what colours mean, others do not', async () => {
  const [pool, held, bare] = await Promise.all(
    ['pool', 'held', 'bare'].map(async name => (await make(name)).recording));
  const {fastest, highest} = pool;
  Fluid.compare([pool, bare]);
  assert.deepEqual([pool.fastest, pool.highest], [fastest, highest]);
  Fluid.compare([pool, held]);
  assert.ok(pool.fastest === held.fastest && pool.fastest > 1.5*fastest);
  assert.equal(pool.highest, highest);
  assert.ok(pool.suction === held.suction && held.suction > 300);
});

await check('a recording without fields has particles and no pressure', async () => {
  const {recording} = await read('bare');
  assert.equal(recording.fields, false);
  assert.equal(recording.frame(2).pressure, undefined);
  assert.equal(recording.frame(2).separating.length, 0);
});

await check('--every and --particles make it smaller, and say so', async () => {
  const {recording} = await read('pool', '--every', '4');
  assert.equal(recording.frames, Math.ceil(FRAMES/4));
  assert.ok(Math.abs(recording.timeOf(2) - 8*EVERY*DT) < 1e-12);
  const few = await read('pool', '--particles', '1000');
  assert.ok(few.recording.most <= 1000 && few.recording.most > 800);
  assert.match(few.stdout, /2\d{3}\s+particles \(up to \d+ in the page\)/);
  const {gap} = recording;
  assert.ok(Math.abs(gap - 0.5) < 0.05 && few.recording.gap > 1.5*gap);
});

await check('in space what is inside is left out', async () => {
  const {recording, scene} = await read('space'), frame = recording.frame(0);
  assert.ok(frame.count < 0.5*particles(scene, 0).length);
  const middle = [...frame.x[0].keys()].filter(p => [9, 6, 6].every(
    (at, c) => Math.abs(frame.x[c][p] - at) < 2));
  assert.equal(middle.length, 0);
});

await check('a page has nothing of the header and of the steps that nobody reads', async () => {
  const {recording} = await read('pool'), {head} = recording;
  const source = ['charts', 'fluid', 'timed', 'view', 'words', 'payload'].map(name =>
    readFileSync(new URL(`../src/${name}.js`, import.meta.url), 'utf8')).join();
  for (const name of [...Object.keys(head), ...Object.keys(recording.columns)])
    if (name !== 'groups') assert.match(source, new RegExp(`\\b${name}\\b`), name);
});

await check('bodies and a liquid cannot share a view', async () => {
  const {write: writeBodies} = await import('./sample.js');
  await read('pool');
  writeBodies('discs', fileOf('discs'));
  const words = ['view', fileOf('pool'), fileOf('discs'), '-o', join(folder, 'mixed.html')];
  const {status, stderr} = spawnSync(perp, words, {encoding: 'utf8'});
  assert.equal(status, 3);
  assert.match(stderr, /pool\.perp shows a liquid, .*discs\.perp shows bodies/);
});

finish();
