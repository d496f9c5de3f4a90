// data.js: what the player reads out of a page is what the recording was made of.
//
//   node data.js PERP FOLDER
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Recording} from '../src/recording.js';
import {check, finish, view} from './check.js';
import {DT, EVERY, FRAMES, SCENES, UNSOLVED, contacts, movers, row, trace, write}
  from './sample.js';

const [perp, folder] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});

const packed = text => text.match(/<script [^>]*class="recording">([^<]*)<\/script>/)[1];

async function read(name, ...options) {
  const file = join(folder, `${name}.perp`), page = join(folder, `${name}.html`);
  write(name, file);
  const {stderr} = view(perp, [file], page, ...options), text = readFileSync(page, 'utf8');
  return {recording: await Recording.from(packed(text)), text, stderr, scene: SCENES[name]};
}

const near = (a, b, tolerance, what) => a.forEach((x, i) =>
  assert.ok(Math.abs(x - b[i]) <= tolerance, `${what}[${i}] = ${x}, not ${b[i]}`));

for (const name of ['shapes', 'discs', 'far']) {
  const {recording, scene} = await read(name), moving = movers(scene);
  const frames = [0, 1, 2, 17, FRAMES - 1];

  await check(`${name}: bodies are where the formula puts them`, () => {
    assert.equal(recording.frames, FRAMES);
    assert.equal(recording.moving.length, moving.length);
    const quantum = Math.max(...recording.data.meta.box.slice(3));
    assert.ok(quantum <= 1e-3*0.3);
    // half a step of the box, and the float32 of the recording
    const tolerance = 0.5*quantum + (name === 'far' ? 2e-4 : 1e-6);
    for (const f of frames) moving.forEach((body, k) =>
      near(recording.place(k, f, [0, 0, 0]), body.at(f*EVERY*DT), tolerance, `${f}, body ${k}`));
  });

  await check(`${name}: they are turned as the formula says`, () => {
    for (const f of frames) moving.forEach((body, k) => {
      const [x, y, z, w] = recording.turn(k, f, [0, 0, 0, 1]), q = body.turn(f*EVERY*DT);
      const match = Math.abs(w*q[0] + x*q[1] + y*q[2] + z*q[3]);
      assert.ok(match > 1 - 1e-8, `frame ${f}, body ${k}: ${match}`);
    });
  });

  await check(`${name}: speeds are right to a part in 65535 of the largest`, () => {
    for (const f of frames) moving.forEach((body, k) => {
      const speed = Math.hypot(...body.velocity(f*EVERY*DT));
      near([recording.speed(k, f)], [speed], recording.topSpeed/65535, `${f}, body ${k}: speed`);
    });
  });

  await check(`${name}: contacts have their bodies, points, flags and impulses`, () => {
    const seen = {point: [0, 0, 0], direction: [0, 0, 0]};
    for (const f of frames) {
      const wanted = contacts(scene, f*EVERY);
      assert.equal(recording.first[f + 1] - recording.first[f], wanted.length);
      wanted.forEach((contact, k) => {
        recording.contact(recording.first[f] + k, seen);
        assert.deepEqual([seen.a, seen.b, seen.certified], [contact.a, contact.b, !contact.flags]);
        near(seen.point, contact.point, 1e-3*0.3, 'point');
        const size = Math.hypot(...contact.impulse);
        assert.ok(Math.abs(seen.size/size - 1) < 1e-3, `impulse ${seen.size}, not ${size}`);
        near(seen.direction, contact.impulse.map(x => x/size), 0.012, 'direction');   // a byte each
      });
    }
  });

  await check(`${name}: every row and every trace is there`, () => {
    assert.equal(recording.rows, (FRAMES - 1)*EVERY + 1);
    assert.deepEqual(recording.unsolved, UNSOLVED);
    for (let step = 0; step < recording.rows; step++) {
      const wanted = row(scene, step);
      for (const [column, values] of Object.entries(recording.columns)) {
        const value = wanted[column] ?? 0;
        near([values[step]], [value], 1e-6*Math.abs(value), column);
      }
      const {iterations, residuals} = recording.convergence(step), points = trace(scene, step);
      assert.deepEqual(iterations, points.map(p => p[0]));
      const logarithms = points.map(p => Math.max(p[1], -17));
      near(residuals.map(Math.log10), logarithms, 0.0051, `trace of step ${step}`);
    }
  });
}

await check('steps between frames that were not solved are known', async () => {
  const {recording} = await read('shapes'), at = step => recording.unsolvedAt(step*DT);
  assert.deepEqual([18, 20, 22, 24, 52, 54].map(at), [[], [20], [21], [], [], [53]]);   // frames
  assert.deepEqual([19, 21, 23, 53].map(at), [[], [21], [], [53]]);
});

await check('a page has nothing of the header and of the steps that nobody reads', async () => {
  const {recording} = await read('shapes'), {head} = recording;
  const source = ['charts', 'recording', 'timed', 'view', 'words'].map(name =>
    readFileSync(new URL(`../src/${name}.js`, import.meta.url), 'utf8')).join();
  for (const name of [...Object.keys(head), ...Object.keys(head.bodies),
                      ...Object.keys(recording.columns)])
    assert.match(source, new RegExp(`\\b${name}\\b`), name);
});

await check('arrows are what the body that moves feels', async () => {
  const {recording, scene} = await read('shapes'), seen = {point: [0, 0, 0], direction: [0, 0, 0]};
  contacts(scene, 10).forEach(({impulse}, k) => {       // that on a, the floor
    recording.push(recording.first[5] + k, seen);
    near(seen.direction, impulse.map(x => -x/Math.hypot(...impulse)), 0.012, 'direction');
  });
});

await check('positions have three bytes where a body leaves, and two otherwise', async () => {
  assert.equal((await read('far')).recording.data.meta.size, 3);
  assert.equal((await read('shapes')).recording.data.meta.size, 2);
});

await check('frames between two are on the way from one to the other', async () => {
  const {recording} = await read('shapes'), middle = recording.place(0, 4.5, [0, 0, 0]);
  const [a, b] = [4, 5].map(f => recording.place(0, f, [0, 0, 0]));
  near(middle, a.map((x, i) => (x + b[i])/2), 1e-9, 'middle');
  const turn = recording.turn(0, 4.5, [0, 0, 0, 1]);
  near([Math.hypot(...turn)], [1], 1e-12, 'norm');
});

await check('--every takes each third frame, and the clock still runs as fast', async () => {
  const {recording, scene} = await read('shapes', '--every', '3');
  assert.equal(recording.frames, Math.ceil(FRAMES/3));
  assert.ok(Math.abs(recording.timeOf(2) - 6*EVERY*DT) < 1e-12);
  near(recording.place(1, 2, [0, 0, 0]), movers(scene)[1].at(6*EVERY*DT), 1e-3*0.3, 'place');
  assert.equal(recording.first[3] - recording.first[2], contacts(scene, 6*EVERY).length);
});

await check('--no-contacts leaves them out and says that they are not known', async () => {
  const {recording} = await read('shapes', '--no-contacts');
  assert.equal(recording.data.a.length, 0);
  assert.equal(recording.contactsKnown(5), false);
});

await check('a recording without bodies and contacts is a page, too', async () => {
  const {recording} = await read('empty');
  assert.equal(recording.moving.length, 0);
  assert.equal(recording.frames, 3);
});

await check('a recording whose end is missing is shown, with a warning and a notice', async () => {
  const {recording, stderr} = await read('cut');
  assert.match(stderr, /warning: .*cut\.perp: the end is missing/);
  assert.match(recording.notice, /end is missing/);
  assert.equal(recording.frames, FRAMES);
});

await check('titles break no page; licences are in it; nothing is from elsewhere', async () => {
  const {text} = await read('shapes');
  assert.ok(text.includes('<title>every &lt;shape&gt; &amp; "more"</title>'));
  assert.match(text, /This page contains three [\d.]+:\s+The MIT License/);
  assert.match(text, /This page contains uplot [\d.]+:\s+The MIT License/);
  assert.equal(text.match(/<script/g).length, text.match(/<\/script>/g).length);
  assert.doesNotMatch(text, /<(script|link|img)[^>]+(src|href)="(?!data:)/);
  assert.match(text, /Content-Security-Policy" content="default-src 'none'/);
});

await check('recordings of one scene share what colours and arrows mean', () => {
  const made = (scene, fastest, typicalImpulse) => ({head: {scene}, fastest, typicalImpulse});
  const scales = (...list) => {
    Recording.compare(list);
    return list.map(({fastest, typicalImpulse}) => [fastest, typicalImpulse]);
  };
  assert.deepEqual(scales(made('a', 0, 0.5), made('a', 0.3, 0.2)), [[0.3, 0.5], [0.3, 0.5]]);
  assert.deepEqual(scales(made('a', 2, 0.5), made('b', 0.3, 7)), [[2, 0.5], [0.3, 7]]);
  assert.deepEqual(scales(made('a', 0, 0)), [[1, 1]]);
});

await check('a recording in the plane and one in space cannot share a view', () => {
  const files = ['discs', 'shapes'].map(name => join(folder, `${name}.perp`));
  const words = ['view', ...files, '-o', join(folder, 'mixed.html')];
  const {status, stderr} = spawnSync(perp, words, {encoding: 'utf8'});
  assert.equal(status, 3);
  assert.match(stderr, /discs\.perp has 2 dimensions, .*shapes\.perp has 3/);
});

finish();
