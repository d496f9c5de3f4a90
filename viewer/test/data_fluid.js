// data_fluid.js: what the player reads out of a page of a liquid is what the recording was made of.
//
//   node data_fluid.js PERP FOLDER
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Fluid, LIQUID} from '../src/fluid.js';
import {suggested} from '../src/payload.js';
import {Surface} from '../src/surface.js';
import {Surface3D} from '../src/surface3d.js';
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
            // roots have steps of 1/127 of that of the top, in space then of 1/32
            && Math.abs(Math.sqrt(Math.abs(v[c])) - Math.sqrt(Math.abs(H*frame.v[c][p])))
               <= (flat ? 0.51 : 3.01)/127*Math.sqrt(top)));
        assert.ok(like, `frame ${f}: a particle in cell ${key} is none of the formula`);
      }
      for (const c of axes) assert.ok(flat || new Set(frame.v[c]).size <= 65, 'few speeds in space');
      for (const [key, list] of flat ? all : []) assert.equal(cells.get(key).length, list.length);
    }
  });

  await check(`${name}: cells have their type and pressure, and some separate`, () => {
    const [nx, ny, nz] = scene.cells;
    const cells = cellsAt(scene, 6*EVERY*DT), frame = recording.frame(6);
    const [low, high] = recording.data.meta.pressure;
    assert.deepEqual([...frame.separating], [...cells.keys()].filter(i => cells[i].off));
    assert.ok(frame.separating.length > 0);
    assert.equal(frame.type.length, nx*ny*nz);
    for (let i = 0; i < nx*ny*nz; i++) {
      const {type, pressure} = cells[i];
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

const LATE = 22;                                 // the ceiling is not wet everywhere

// The surface in space of frame f.
async function net(name, f, ...options) {
  const {recording} = await read(name, ...options), made = new Surface3D(recording);
  made.update(recording.frame(f), recording.bytes(f, 'speed'));
  return {recording, made, point: n => [0, 1, 2].map(c => made.position[3*n + c])};
}

await check('in space it is where the liquid ends: at its level, and at the sides of the grid',
  async () => {
    const {recording, made, point} = await net('space', LATE);
    assert.ok(made.vertices > 500);
    for (let n = 0; n < made.vertices; n++) {
      const [x, y, z] = point(n), wanted = level(x, LATE*EVERY*DT);
      const side = Math.min(...[x, y, z].map((at, c) => Math.min(at, recording.box[c] - at)));
      const most = side > 0.75*H ? 0.03*H : 0.5*H;   // no edge goes to a node beside a side
      assert.ok(side < 1e-6 || Math.abs(y - wanted) < most, `${x}, ${y}, ${z}: ${wanted}`);
      assert.ok(y < wanted + 0.7*H);
    }
  });

await check('between frames it is that of the nearest', async () => {
  const {recording} = await read('space');
  assert.deepEqual([[3, 0], [3, 0.4], [3, 0.5], [FRAMES - 1, 0.9]].map(
    ([f, blend]) => recording.nearest(f, blend)), [3, 3, 4, FRAMES - 1]);
});

await check('its triangles close it, face outwards and hold the volume', async () => {
  const {recording, made, point} = await net('space', LATE), edges = new Map();
  let volume = 0;
  for (let t = 0; t < made.triangles; t++) {
    const corners = [...made.index.subarray(3*t, 3*t + 3)], [a, b, c] = corners.map(point);
    corners.forEach((m, k) => {
      const n = corners[(k + 1) % 3], key = `${Math.min(m, n)} ${Math.max(m, n)}`;
      edges.set(key, (edges.get(key) ?? 0) + (m < n ? 1 : -1));
    });
    volume += (a[0]*(b[1]*c[2] - b[2]*c[1]) + a[1]*(b[2]*c[0] - b[0]*c[2])
      + a[2]*(b[0]*c[1] - b[1]*c[0]))/6;
  }
  assert.deepEqual([...new Set(edges.values())], [0]);   // as often one way as the other
  const [width, height, depth] = recording.box, parts = 1000;
  let wanted = 0;
  for (let i = 0; i < parts; i++)
    wanted += Math.min(level((i + 0.5)/parts*width, LATE*EVERY*DT), height)*width*depth/parts;
  assert.ok(Math.abs(volume/wanted - 1) < 0.01, `${volume}, ${wanted}`);
});

await check('it has the colours of the particles around', async () => {
  const {recording, made, point} = await net('space', LATE), bytes = recording.bytes(LATE, 'speed');
  const {x: [xs, ys, zs]} = recording.frame(LATE);
  for (let n = 0; n < made.vertices; n += 7) {
    const at = point(n), near = [...bytes].filter((_, p) =>
      Math.hypot(xs[p] - at[0]/H, ys[p] - at[1]/H, zs[p] - at[2]/H) < 1.8);
    assert.ok(made.value[n] >= Math.min(...near) - 1 && made.value[n] <= Math.max(...near) + 1);
  }
});

// Connected pieces of triangles, and whether each edge has two of them, one each way.
function shapeOf(corners) {
  const edges = new Map(), up = [];
  const root = v => { while ((up[v] ??= v) !== v) v = up[v]; return v; };
  corners.forEach((m, k) => {
    const n = corners[k % 3 === 2 ? k - 2 : k + 1], key = `${m} ${n}`;
    edges.set(key, (edges.get(key) ?? 0) + 1);
    up[root(m)] = root(n);
  });
  const closed = [...edges].every(([key, times]) =>
    times === 1 && edges.get(key.split(' ').reverse().join(' ')) === 1);
  return {closed, pieces: up.filter((at, v) => at === v).length};
}

// What `perp export --what surface` says of a frame: places of vertices, corners of triangles.
function exported(name, f) {
  const path = join(folder, `${name}.obj`), words = ['export', fileOf(name), '-o', path, '--what',
    'surface', '--frame', String(f)];
  const {status, stderr} = spawnSync(perp, words, {encoding: 'utf8'});
  assert.equal(status, 0, stderr);
  const lines = readFileSync(path, 'utf8').split('\n').map(line => line.split(' '));
  const of = kind => lines.filter(([first]) => first === kind).map(([, ...rest]) => rest.map(Number));
  return {places: of('v'), corners: of('f').flat().map(v => v - 1)};
}

// Of each of these points the distance to the nearest of others, in widths, if it is below one.
function distancesTo(points, others, width) {
  const boxes = new Map(), of = at => at.map(x => Math.floor(x/width));
  for (const at of others) boxes.set(`${of(at)}`, [...boxes.get(`${of(at)}`) ?? [], at]);
  return points.map(at => {
    let least = 1;
    const [i, j, k] = of(at);
    for (let n = 0; n < 27; n++)
      for (const other of boxes.get(`${[i - 1 + n % 3, j - 1 + Math.floor(n/3) % 3,
                                        k - 1 + Math.floor(n/9)]}`) ?? [])
        least = Math.min(least, Math.hypot(...at.map((x, c) => x - other[c]))/width);
    return least;
  });
}

for (const [name, f] of [['sheet', 5], ['space', LATE]])
  await check(`${name}: one closed piece, with the triangles of the exported mesh`, async () => {
    const {recording, made, point} = await net(name, f), mesh = exported(name, f);
    const corners = [...made.index.subarray(0, 3*made.triangles)];
    assert.deepEqual(shapeOf(corners), {closed: true, pieces: 1});
    assert.deepEqual(shapeOf(mesh.corners), {closed: true, pieces: 1});
    assert.equal(made.vertices, mesh.places.length);
    assert.equal(made.triangles, mesh.corners.length/3);
    assert.equal(made.vertices - made.triangles/2, 2);           // no holes
    // Distances are rounded to 32nds of a width. On edges that are nearly along the surface this
    // moves a vertex farther.
    const places = Array.from({length: made.vertices}, (_, n) => point(n));
    const away = distancesTo(mesh.places, places, recording.width);
    const mean = away.reduce((sum, x) => sum + x, 0)/away.length;
    assert.ok(mean < 1/32 && Math.max(...away) < 0.3, `mean ${mean}, most ${Math.max(...away)}`);
  });

// Nodes whose value a vertex or its normal depends on: the ends of edges that cross the surface, and
// the nodes beside these.
function neededNodes({surface: v}, [nx, ny, nz]) {
  const ends = new Set(), needed = new Set(), line = nx, layer = nx*ny;
  for (let k = 0, node = 0; k < nz; k++) for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++, node++) for (let bits = 1; bits < 8; bits++) {
      if (i + (bits & 1) >= nx || j + (bits >> 1 & 1) >= ny || k + (bits >> 2) >= nz) continue;
      const end = node + (bits & 1) + (bits & 2 ? line : 0) + (bits & 4 ? layer : 0);
      if ((v[node] < 0) !== (v[end] < 0)) ends.add(node).add(end);
    }
  for (const node of ends) for (const step of [0, 1, -1, line, -line, layer, -layer])
    needed.add(node + step);
  return {ends, needed};
}

for (const [name, f] of [['sheet', 5], ['space', LATE]])
  await check(`${name}: nodes that no vertex and no normal depends on cost nothing`, async () => {
    const {recording} = await read(name), frame = recording.frame(f), {nodes: [nx, ny]} = recording;
    const {ends, needed} = neededNodes(frame, recording.nodes);
    let stored = 0, far = 0;
    frame.surface.forEach((value, node) => {
      const i = node % nx, j = Math.floor(node/nx) % ny, k = Math.floor(node/nx/ny);
      const guess = suggested(frame.surface, node, i, j, k, nx, nx*ny);
      if (Math.min(Math.max(guess, -64), 63) === value) return;
      stored++;
      if (!needed.has(node)) far++;              // a sign that was not expected
    });
    assert.ok(far <= 0.05*ends.size && stored <= 1.1*ends.size, `${far}, ${stored} of ${ends.size}`);
  });

await check('in space normals stand on the surface', async () => {
  const {recording, made, point} = await net('space', LATE);
  let sum = 0, count = 0, least = 1;
  for (let n = 0; n < made.vertices; n++) {
    const at = point(n), t = LATE*EVERY*DT, [x] = at;
    if (at.some((p, c) => p < H || p > recording.box[c] - H)) continue;
    const slope = (level(x + 1e-4, t) - level(x - 1e-4, t))/2e-4, size = Math.hypot(slope, 1);
    const normal = made.normal.subarray(4*n, 4*n + 3);
    const cosine = (normal[1] - slope*normal[0])/size/Math.hypot(...normal);
    sum += cosine;
    least = Math.min(least, cosine);
    count++;
  }
  assert.ok(count > 300 && sum/count > 0.998 && least > 0.97, `${count}: ${sum/count}, ${least}`);
});

await check('a drop whose particles are not in the page has the colour of those near', async () => {
  const {made} = await net('sheet', 5, '--particles', '80'), all = (await net('sheet', 5)).made;
  const values = (m, of) => of(...m.value.subarray(0, m.vertices));
  assert.ok(values(all, Math.min) > 0);
  assert.ok(values(made, Math.min) >= values(all, Math.min));
  assert.ok(values(made, Math.max) <= values(all, Math.max));
});

await check('slices have the cells of their layer, across each axis', async () => {
  const {recording, scene} = await read('space'), {cells: n} = scene;
  [[2, 1], [0, 2], [0, 1]].forEach(([u, v], axis) => {
    const layer = 3, cut = recording.cut({axis, part: (layer + 0.5)/n[axis]});
    assert.deepEqual([cut.layer, cut.width, cut.height], [layer, n[u], n[v]]);
    for (const [i, j] of [[0, 0], [2, 5], [n[u] - 1, n[v] - 1]]) {
      const cell = cut.base + i*cut.across + j*cut.up, place = [];
      place[axis] = layer, place[u] = i, place[v] = j;
      assert.equal(cell, (place[2]*n[1] + place[1])*n[0] + place[0]);
      assert.ok(recording.isCut(cell, cut) && !recording.isCut(cell, {...cut, layer: layer + 1}));
      const corner = recording.onCut(cut, i, j);
      assert.ok(corner.every((at, c) => Math.abs(at/H - (c === axis ? layer + 0.5 : place[c])) < 1e-6));
    }
  });
  assert.equal(recording.cut({axis: 0, part: 1}).layer, n[0] - 1);
});

await check('--cells makes blocks of them; the surface is still there', async () => {
  const {recording, made, point} = await net('space', LATE, '--cells', '1000'), {scene} = await read('space');
  assert.equal(recording.block, 2);
  assert.deepEqual(recording.counts, scene.cells.map(n => Math.ceil(n/2)));
  const frame = recording.frame(LATE), cells = cellsAt(scene, LATE*EVERY*DT), [nx, ny] = scene.cells;
  frame.type.forEach((type, b) => {
    const [cx, cy] = recording.counts, at = [b % cx, Math.floor(b/cx) % cy, Math.floor(b/cx/cy)];
    const wet = [0, 1, 2, 3, 4, 5, 6, 7].filter(n => cells[((2*at[2] + (n >> 2))*ny + 2*at[1]
      + (n >> 1 & 1))*nx + 2*at[0] + (n & 1)].type === LIQUID).length;
    assert.equal(type === LIQUID, wet >= 4);
  });
  for (let n = 0; n < made.vertices; n++) {
    const [x, y, z] = point(n);
    if ([x, y, z].some((at, c) => at < 1e-6 || at > recording.box[c] - 1e-6)) continue;
    const beside = [x, y, z].some((at, c) => at < 0.75*H || at > recording.box[c] - 0.75*H);
    assert.ok(Math.abs(y - level(x, LATE*EVERY*DT)) < (beside ? 0.5 : 0.1)*H, `${x}, ${y}, ${z}`);
  }
  assert.equal((await read('pool', '--cells', '10')).recording.block, 1);   // in the plane: all
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

await check('side by side the pressures of both are whole, up to the end they share', async () => {
  const page = join(folder, 'both.html');
  for (const name of ['pool', 'held']) write(name, fileOf(name));
  view(perp, ['pool', 'held'].map(fileOf), page);
  const texts = readFileSync(page, 'utf8').matchAll(/class="recording">([^<]*)<\/script>/g);
  const [pool, held] = await Promise.all([...texts].map(([, text]) => Fluid.from(text)));
  const alone = (await read('held')).recording, [low, high] = held.data.meta.pressure;
  assert.deepEqual(pool.data.meta.pressure, [low, high]);
  assert.ok(high > 1.5*alone.data.meta.pressure[1]);
  const cells = cellsAt(SCENES.held, 6*EVERY*DT), frame = held.frame(6);
  cells.forEach(({type, pressure}, i) => {
    const wanted = Math.min(Math.max(pressure, low), high);
    if (type === LIQUID)
      assert.ok(Math.abs(held.pressureOf(frame.cellPressure[i]) - wanted) < (high - low)/250);
  });
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
  assert.match(few.stdout, /2\d{3}\s+particles\s+\(up to \d+ in the page\)/);
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
