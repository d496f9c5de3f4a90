// stage.js: what the tests in a real browser share: pages of sample recordings, the browser, and
// questions to a page. The arguments are PERP FOLDER [webgl|plain] [--update].
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser} from './browser.js';
import {check, skip, view} from './check.js';
import {readPng} from './zip.js';

const perp = process.argv[2];
export const folder = process.argv[3], kind = process.argv[4] ?? 'webgl', webgl = kind === 'webgl';
export const update = process.argv.includes('--update');

const program = process.env.PERP_CHROMIUM || 'chromium';
if (spawnSync(program, ['--version']).status !== 0) skip(`${program} is not here`);
mkdirSync(folder, {recursive: true});

// The address of a page with these sample recordings; write(scene, file) writes one.
export function make(write, name, ...scenes) {
  const files = scenes.map(scene => join(folder, `${scene}.perp`));
  scenes.forEach((scene, i) => write(scene, files[i]));
  return pathToFileURL(resolve(view(perp, files, join(folder, `${name}.html`)).page)).href;
}

export async function open() {
  const browser = await Browser.open({program, webgl});
  const page = await browser.page();
  console.log(`# ${browser.version}, ${webgl ? 'with' : 'without'} WebGL`);
  const find = selector => `document.querySelector(${JSON.stringify(selector)})`;
  return {
    browser, page, find,
    picture: async () => readPng(await page.screenshot()),
    root: name => page.run(`document.documentElement.dataset.${name}`),
    text: selector => page.run(`${find(selector)}.textContent`)
  };
}

// The last checks of a test: what the page has complained about and asked for.
export async function checkSilence(page) {
  await check('the console is silent', () => { assert.deepEqual(page.complaints, []); });

  await check('nothing was asked of any network', () => {
    const own = /^(file:.*\.html(#.*)?|data:.*|blob:.*|about:blank)$/;
    assert.deepEqual(page.requests.filter(url => !own.test(url)), []);
  });
}
