// pictures.js: screenshots as numbers: how far two are apart, which colours they have; and those that
// were committed, which new ones are compared with.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {readPng, shrink, writePng} from './zip.js';

const references = join(dirname(fileURLToPath(import.meta.url)), 'reference');
const SMALL = 5;                                  // pictures are compared at a fifth of their size

// The mean difference of two pictures, in levels of 255.
export function distance(a, b) {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let sum = 0;
  for (let i = 0; i < a.rgb.length; i++) sum += Math.abs(a.rgb[i] - b.rgb[i]);
  return sum/a.rgb.length;
}

// Pixels for which a condition on (r, g, b) holds, as a part of all.
export function share({rgb}, holds) {
  let count = 0;
  for (let i = 0; i < rgb.length; i += 3) count += holds(rgb[i], rgb[i + 1], rgb[i + 2]);
  return count/(rgb.length/3);
}

// How many colours there are.
export function colours({rgb}) {
  const seen = new Set();
  for (let i = 0; i < rgb.length; i += 3) seen.add(rgb.readUIntBE(i, 3));
  return seen.size;
}

// Pixels in which two pictures differ visibly, as a part of all.
export function differing(a, b) {
  let count = 0;
  for (let i = 0; i < a.rgb.length; i += 3)
    count += Math.max(...[0, 1, 2].map(c => Math.abs(a.rgb[i + c] - b.rgb[i + c]))) > 24;
  return count/(a.rgb.length/3);
}

// Other versions of the renderer round otherwise: a level or so on the mean, more at a few edges.
// A ball that is missing is 0.35 % of these pictures; another frame differs by 5 levels, 6 %.
export function compare(name, full, {folder, update}) {
  const small = shrink(full, SMALL), path = join(references, `${name}.png`);
  if (update) {
    mkdirSync(references, {recursive: true});
    writeFileSync(path, writePng(small));
    return;
  }
  assert.ok(existsSync(path), `${path} is missing: run with --update, and look at it`);
  const wanted = readPng(readFileSync(path));
  const away = distance(small, wanted), part = differing(small, wanted);
  if (away <= 1.5 && part <= 0.0025) return;
  writeFileSync(join(folder, `${name}.png`), writePng(small));
  assert.fail(`${name} is ${away.toFixed(2)} levels from ${path}, ${(100*part).toFixed(2)} % of it;`
    + ` what was drawn is in ${folder}`);
}
