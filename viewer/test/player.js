// player.js: the player in a real browser: node player.js PERP FOLDER [webgl|plain] [--update]
//
// `plain` starts a browser that has no WebGL. Pictures are compared with those in reference/, which
// --update writes anew: look at them before you commit them.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {Browser} from './browser.js';
import {check, finish, skip, view} from './check.js';
import {UNSOLVED, write} from './sample.js';
import {readPng, shrink, writePng} from './zip.js';

const [perp, folder, kind = 'webgl'] = process.argv.slice(2), update = process.argv.includes('--update');
const webgl = kind === 'webgl', references = join(dirname(fileURLToPath(import.meta.url)), 'reference');
const WIDTH = 800, HEIGHT = 450, SMALL = 5;       // pictures are compared at a fifth of their size

const program = process.env.PERP_CHROMIUM || 'chromium';
if (spawnSync(program, ['--version']).status !== 0) skip(`${program} is not here`);
mkdirSync(folder, {recursive: true});

function make(name, ...scenes) {
  const files = scenes.map(scene => join(folder, `${scene}.perp`));
  scenes.forEach((scene, i) => write(scene, files[i]));
  return pathToFileURL(resolve(view(perp, files, join(folder, `${name}.html`)).page)).href;
}

const pages = {shapes: make('shapes', 'shapes'), discs: make('discs', 'discs'), two: make('two', 'shapes', 'far'),
               empty: make('empty', 'empty'), cut: make('cut', 'cut')};
const browser = await Browser.open({program, webgl});
const page = await browser.page();
console.log(`# ${browser.version}, ${webgl ? 'with' : 'without'} WebGL`);

// ---------------------------------------------------------------------------------------- pictures

const picture = async () => readPng(await page.screenshot());

// The mean difference of two pictures, in levels of 255.
function distance(a, b) {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let sum = 0;
  for (let i = 0; i < a.rgb.length; i++) sum += Math.abs(a.rgb[i] - b.rgb[i]);
  return sum/a.rgb.length;
}

// Pixels for which a condition on (r, g, b) holds, as a part of all.
function share({rgb}, holds) {
  let count = 0;
  for (let i = 0; i < rgb.length; i += 3) count += holds(rgb[i], rgb[i + 1], rgb[i + 2]);
  return count/(rgb.length/3);
}

const orange = (r, g, b) => r > 1.25*g && g > 1.3*b, green = (r, g, b) => g > 1.3*r && g > 1.15*b;
const colours = ({rgb}) => new Set(Array.from({length: rgb.length/3}, (_, i) => rgb[3*i] << 16 | rgb[3*i + 1] << 8 | rgb[3*i + 2])).size;

// Pixels in which two pictures differ visibly, as a part of all.
function differing(a, b) {
  let count = 0;
  for (let i = 0; i < a.rgb.length; i += 3)
    count += Math.max(...[0, 1, 2].map(c => Math.abs(a.rgb[i + c] - b.rgb[i + c]))) > 24;
  return count/(a.rgb.length/3);
}

// Other versions of the renderer round otherwise: a level or so on the mean, and at a few edges more.
// A ball that is missing is 0.35 % of these pictures; another frame differs by 5 levels, 6 % of them.
function compare(name, full) {
  const small = shrink(full, SMALL), path = join(references, `${kind}-${name}.png`);
  if (update) { mkdirSync(references, {recursive: true}); writeFileSync(path, writePng(small)); return; }
  assert.ok(existsSync(path), `${path} is missing: run with --update, and look at it`);
  const wanted = readPng(readFileSync(path)), away = distance(small, wanted), part = differing(small, wanted);
  if (away <= 1.5 && part <= 0.0025) return;
  writeFileSync(join(folder, `${kind}-${name}.png`), writePng(small));
  assert.fail(`${name} is ${away.toFixed(2)} levels from ${path}, ${(100*part).toFixed(2)} % of it; what was drawn is in ${folder}`);
}

const root = name => page.run(`document.documentElement.dataset.${name}`);
const text = selector => page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const box = selector => page.run(`(({x, y, width, height}) => ({x, y, width, height}))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
const colour = selector => page.run(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);
const bad = () => page.run(`(() => { const i = document.createElement('i'); i.className = 'bad'; document.body.append(i); const c = getComputedStyle(i).color; i.remove(); return c; })()`);

// ------------------------------------------------------------------------------------------- checks

try {
  await page.size(WIDTH, HEIGHT);

  await check('it uses what the browser has, and says so if that is not WebGL', async () => {
    await page.go(`${pages.shapes}#frame=0`);
    assert.equal(await root('failed'), undefined);
    assert.equal(await root('renderer'), webgl ? 'webgl' : 'canvas');
    assert.equal(await page.run('document.getElementById("notice").hidden'), webgl);
    if (!webgl) assert.match(await text('#notice'), /No WebGL/);
  });

  for (const [name, hash] of [['shapes', 'frame=0'], ['shapes', 'frame=13'], ['shapes', 'frame=39&forces'], ['shapes', 'frame=13&colour=speed'],
                              ['discs', 'frame=13&forces'], ['discs', 'frame=30&colour=impulse'], ['two', 'frame=10']]) {
    await check(`${name}#${hash} looks as it did`, async () => {
      await page.go(`${pages[name]}#${hash}&noui`);
      const full = await picture();
      assert.ok(colours(full) > (name === 'discs' ? 100 : 500), `only ${colours(full)} colours`);
      if (!hash.includes('colour')) {
        assert.ok(share(full, orange) > 0.005, `orange: ${share(full, orange)}`);
        assert.ok(share(full, green) > 0.005, `green: ${share(full, green)}`);
      }
      compare(`${name}-${hash.replace(/[=&]/g, '-')}`, full);
    });
  }

  await check('frames differ, and a frame is drawn alike twice', async () => {
    await page.go(`${pages.shapes}#frame=5&noui`);
    const first = await picture();
    await page.go(`${pages.shapes}#frame=12&noui`);
    assert.ok(distance(first, await picture()) > 0.5);
    await page.go(`${pages.shapes}#frame=5&noui`);
    assert.ok(distance(first, await picture()) < 0.01);
  });

  await check('a new hash in the same page goes to that frame', async () => {
    await page.run('location.hash = "frame=7"');
    await page.until('document.documentElement.dataset.frame === "7"');
  });

  await check('keys step, jump, play, colour, show forces and help', async () => {
    await page.go(`${pages.shapes}#frame=3`);
    const frame = async () => Number(await root('frame'));
    await page.key('ArrowRight');
    assert.equal(await frame(), 4);
    await page.key('ArrowLeft');
    await page.key('ArrowLeft');
    assert.equal(await frame(), 2);
    await page.key('ArrowRight', {shift: true});
    assert.equal(await frame(), 12);
    await page.key('End');
    assert.equal(await frame(), 39);
    await page.key('ArrowRight');
    assert.equal(await frame(), 39);
    await page.key('Home');
    assert.equal(await frame(), 0);
    await page.key('ArrowLeft');
    assert.equal(await frame(), 0);
    for (const mode of ['speed', 'impulse', 'group']) {
      await page.key('c');
      assert.equal(await root('mode'), mode);
    }
    await page.key('f');
    assert.equal(await root('forces'), 'true');
    await page.key('f');
    assert.equal(await root('forces'), 'false');
    await page.key('n');
    assert.match(await text('.view header p'), new RegExp(`step ${UNSOLVED[0]} `));
    await page.key('?');
    assert.equal(await page.run('document.getElementById("help").open'), true);
    assert.match(await text('#help'), /play or pause/);
    await page.key('Escape');
    assert.equal(await page.run('document.getElementById("help").open'), false);
  });

  await check('it plays to the end and stops there; once more starts anew', async () => {
    await page.go(`${pages.shapes}#frame=30`);
    await page.key(' ');
    assert.equal(await page.run('document.documentElement.hasAttribute("data-playing")'), true);
    await page.until('document.documentElement.dataset.frame === "39" && !document.documentElement.hasAttribute("data-playing")');
    await page.key(' ');
    assert.ok(Number(await root('frame')) < 30);
    await page.key(' ');
    assert.equal(await page.run('document.documentElement.hasAttribute("data-playing")'), false);
  });

  await check('steps that are not solved are red in words and on the time line', async () => {
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}`);
    assert.match(await text('.view header p:last-child'), /^NOT SOLVED: 2 islands, residual 1\.0e-3 after 3 iterations$/);
    assert.equal(await colour('.view header p:last-child'), await bad());
    assert.match(await text('.verdict'), /3 of 78 steps not solved/);
    await page.go(`${pages.shapes}#frame=33`);             // the handle hides what is under it
    const reds = await page.run(`(() => {
      const line = document.getElementById('timeline'), {data} = line.getContext('2d').getImageData(0, 0, line.width, line.height), at = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i] > 180 && data[i + 1] < 90 && data[i + 3] > 200) at.add(Math.round(i/4 % line.width/line.width*78));
      return [...at];
    })()`);
    for (const step of UNSOLVED) assert.ok(reds.some(at => Math.abs(at - step) <= 2), `no red near step ${step}: ${reds}`);
    await page.go(`${pages.shapes}#frame=11`);
    assert.match(await text('.view header p:last-child'), /^solved: residual/);
    assert.notEqual(await colour('.view header p:last-child'), await bad());
  });

  await check('the scrub bar goes where it is pressed, and follows the hand', async () => {
    const {x, y, width, height} = await box('#timeline');
    await page.click(x + width/2, y + height/2);
    assert.ok(Math.abs(Number(await root('frame')) - 20) <= 1, `frame ${await root('frame')}`);
    await page.mouse('mousePressed', x + width/2, y + height/2);
    await page.mouse('mouseMoved', x + width + 30, y + height/2);
    await page.mouse('mouseReleased', x + width + 30, y + height/2);
    await page.settle();
    assert.equal(await root('frame'), '39');
  });

  await check('a click in a chart goes to that step and shows its convergence', async () => {
    await page.go(`${pages.shapes}#frame=0`);
    const {x, y, width, height} = await box('.chart:nth-child(4) .u-over');     // iterations
    await page.click(x + width*53/78, y + height/2);
    const step = Number((await text('.chart:last-child h2')).match(/convergence of step (\d+)/)[1]);
    assert.ok(Math.abs(step - 53) <= 1, `step ${step}`);
    assert.match(await text('.view header p'), new RegExp(`step ${step} `));
  });

  await check('dragging turns the scene, the wheel magnifies it, a double click undoes that', async () => {
    await page.go(`${pages.shapes}#frame=13&noui`);
    const first = await picture();
    await page.mouse('mousePressed', 400, 300);
    await page.mouse('mouseMoved', 480, 320);
    await page.mouse('mouseReleased', 480, 320);
    await page.settle();
    const turned = await picture();
    assert.ok(distance(first, turned) > 2);
    await page.mouse('mouseWheel', 400, 300, {deltaX: 0, deltaY: -300, button: 'none', buttons: 0});
    await page.settle();
    const away = distance(turned, await picture()); assert.ok(away > 2, `${away}`);
    for (const clickCount of [1, 2])
      for (const type of ['mousePressed', 'mouseReleased']) await page.mouse(type, 400, 300, {clickCount});
    await page.settle();
    assert.ok(distance(first, await picture()) < 0.01);
  });

  await check('forces are arrows, and red where they are not certified', async () => {
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}&noui`);
    const without = await picture(), red = (r, g, b) => r > 180 && g < 80 && b < 90;
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}&noui&forces`);
    const shown = await picture();
    assert.ok(distance(without, shown) > 0.05, `${distance(without, shown)}`);
    assert.ok(share(shown, red) > share(without, red) + 0.0003, `${share(shown, red)} and ${share(without, red)}`);
  });

  await check('two recordings share a clock, and each has its caption', async () => {
    await page.go(`${pages.two}#frame=10`);
    assert.equal(await page.run('document.querySelectorAll(".view canvas").length'), 2);
    const steps = () => page.run('[...document.querySelectorAll(".view header p:nth-of-type(1)")].map(p => p.textContent.match(/step \\d+/)[0]).join()');
    assert.equal(await steps(), 'step 20,step 20');
    await page.key('ArrowRight');
    assert.equal(await steps(), 'step 22,step 22');
    assert.equal(await page.run('[...document.querySelectorAll(".caption code")].map(c => c.textContent.split(" ")[2]).join()'), 'shapes,far');
  });

  await check('the caption is the command line, and can be copied', async () => {
    await page.go(pages.shapes);
    assert.equal(await text('.caption code'), 'perp run shapes --seed 7 --title \'a "quoted" one\'');
    const {x, y, width, height} = await box('.caption button');
    await page.click(x + width/2, y + height/2);
    await page.until('document.querySelector(".caption button").textContent === "copied"', 3000);
  });

  for (const [name, width, height, mobile] of [['a laptop', 1280, 720, false], ['a phone', 390, 844, true], ['a phone on its side', 844, 390, true]]) {
    await check(`nothing sticks out on ${name}`, async () => {
      await page.size(width, height, {mobile});
      for (const which of ['shapes', 'two']) {
        await page.go(`${pages[which]}#frame=10`);
        const wide = await page.run('document.scrollingElement.scrollWidth');
        assert.ok(wide <= width, `${which} is ${wide} wide`);
        const out = await page.run(`[...document.querySelectorAll('button, select, input, canvas, h1, h2, output')].filter(e => { const r = e.getBoundingClientRect(); return r.width && (r.left < -0.5 || r.right > ${width} + 0.5); }).map(e => e.id || e.outerHTML.slice(0, 60))`);
        assert.deepEqual(out, []);
        if (!mobile) assert.ok(await page.run('document.scrollingElement.scrollHeight') <= height);
        const {height: tall} = await box('.view');
        assert.ok(tall >= (width > height && mobile ? 120 : 190), `the picture is ${tall} high`);
      }
      await page.size(WIDTH, HEIGHT);
    });
  }

  await check('it is dark where the system is, and changes with it', async () => {
    const light = (r, g, b) => r + g + b > 600;
    await page.size(WIDTH, HEIGHT, {dark: true});
    await page.go(`${pages.shapes}#frame=13`);
    assert.ok(share(await picture(), light) < 0.1);
    await page.size(WIDTH, HEIGHT);
    await page.settle();
    assert.ok(share(await picture(), light) > 0.4);
  });

  await check('a recording of nothing and one without an end are shown', async () => {
    await page.go(pages.empty);
    assert.equal(await root('failed'), undefined);
    assert.match(await text('.view header'), /nothing/);
    await page.go(pages.cut);
    assert.match(await text('#notice'), /the end is missing/);
  });

  if (webgl) await check('#nowebgl draws without it, with a notice and all else', async () => {
    await page.go(`${pages.shapes}#frame=13&nowebgl`);
    assert.equal(await root('renderer'), 'canvas');
    assert.match(await text('#notice'), /without WebGL, as asked/);
    await page.key('f');
    assert.equal(await root('forces'), 'true');
    await page.run('document.querySelector("#notice button").click()');
    assert.equal(await page.run('document.getElementById("notice").hidden'), true);
  });

  await check('the console is silent', () => { assert.deepEqual(page.complaints, []); });

  await check('nothing was asked of any network', () => {
    const asked = page.requests.filter(url => !/^(file:.*\.html(#.*)?|data:.*|blob:.*|about:blank)$/.test(url));
    assert.deepEqual(asked, []);
  });
} finally {
  await browser.close();
}
finish();
