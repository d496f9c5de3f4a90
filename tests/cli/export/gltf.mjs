// gltf.mjs: what the validator of Khronos and the loader of three.js say about exported scenes.
//
//   node gltf.mjs PERP RECORD_SAMPLE FOLDER VALIDATOR_MODULES PLAYER_MODULES
//
// Exit status 77: the validator could not be fetched.
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const [perp, sample, folder, modules, player] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const fetched = spawnSync(join(here, '../../../viewer/fetch.sh'), [modules, 'curl', here],
                          {encoding: 'utf8'});
if (fetched.status !== 0) {
  console.log(`the validator is not here: ${fetched.stdout}${fetched.stderr}`);
  process.exit(77);
}
const validator = createRequire(join(modules, 'node_modules/'))('gltf-validator');

const three = join(player, 'node_modules/three');
const loader = existsSync(three) && {
  ...await import(pathToFileURL(join(three, 'build/three.module.js'))),
  ...await import(pathToFileURL(join(three, 'examples/jsm/loaders/GLTFLoader.js')))};

let failures = 0;
function check(name, good, why = '') {
  console.log(`${good ? 'ok' : 'not ok'} - ${name}`);
  if (!good) { failures++; console.log(`#   ${why}`); }
}

async function validate(name, bytes) {
  const {issues} = await validator.validateBytes(bytes, {maxIssues: 10});
  check(`${name}: no errors, no warnings`, issues.numErrors + issues.numWarnings === 0,
        JSON.stringify(issues.messages));
}

// Rows of the table, each [frame, time, body, x, y, z, qw, qx, qy, qz, ...].
const table = path => readFileSync(path, 'utf8').trim().split('\n').slice(1)
  .map(line => line.split(',').map(Number));

// The loader's scene at the times of the frames, and half-way between two: bodies go straight.
async function load(name, bytes, rows) {
  const {GLTFLoader, AnimationMixer, Vector3, Quaternion} = loader;
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(0), '');
  const stage = gltf.scene.children[0], mixer = new AnimationMixer(gltf.scene);
  const nodes = await Promise.all(
    gltf.parser.json.nodes.map((_, k) => gltf.parser.getDependency('node', k)));
  check(`${name}: three.js has a camera and a stage`, gltf.cameras.length === 1 && stage);
  if (gltf.animations.length === 0) return;
  mixer.clipAction(gltf.animations[0]).play();
  const state = new Map(rows.map(row => [`${row[0]} ${row[2]}`, row])), last = rows.at(-1)[0];
  let worst = 0, turned = 0;
  for (const [frame, time, body, x, y, z, ...q] of rows) {
    if (frame % 3 || frame === last) continue;
    const next = state.get(`${frame + 1} ${body}`);
    for (const part of [0, 0.5]) {
      mixer.setTime(time + part*(next[1] - time));
      const place = new Vector3(x, y, z).lerp(new Vector3(next[3], next[4], next[5]), part);
      const turn = new Quaternion(q[1], q[2], q[3], q[0]).normalize()
        .slerp(new Quaternion(next[7], next[8], next[9], next[6]).normalize(), part);
      worst = Math.max(worst, nodes[body].position.distanceTo(place));
      turned = Math.max(turned, nodes[body].quaternion.angleTo(turn));
    }
  }
  check(`${name}: three.js moves the bodies as recorded`, worst < 1e-4 && turned < 2e-3,
        `off by ${worst} and ${turned} radians`);
}

rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
process.chdir(folder);
execFileSync(sample, ['bowl.perp', '20']);
const scenes = {disc: 'box --balls 12 --steps 30', none: 'box --balls 0 --steps 2',
                cards: 'card-house --steps 12', hopper: 'hopper --spheres 60 --steps 6',
                wedge: 'wedge --steps 9', heavy: 'heavy-on-light --steps 4'};
for (const [name, words] of Object.entries(scenes))
  execFileSync(perp, ['run', ...words.split(' '), '-o', `${name}.perp`, '-q']);
for (const name of ['bowl', ...Object.keys(scenes)]) {
  execFileSync(perp, ['export', `${name}.perp`, '-o', `${name}.glb`, '-q']);
  const bytes = new Uint8Array(readFileSync(`${name}.glb`));
  await validate(name, bytes);
  if (!loader) continue;
  execFileSync(perp, ['export', `${name}.perp`, '-o', `${name}.csv`, '-q']);
  await load(name, bytes, table(`${name}.csv`));
}
execFileSync(perp, 'export bowl.perp -o one.glb --frame 3 --detail 64 -q'.split(' '));
await validate('one frame, in detail', new Uint8Array(readFileSync('one.glb')));

// The validator is one that can say no.
const broken = new Uint8Array(readFileSync('bowl.glb'));
const text = new TextDecoder('latin1').decode(broken);
broken[text.indexOf('"VEC4"') + 4] = '3'.charCodeAt(0);
const {issues} = await validator.validateBytes(broken);
check('a broken file is noticed', issues.numErrors > 0);
process.exit(failures ? 1 : 0);
