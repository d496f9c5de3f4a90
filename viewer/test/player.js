// player.js: the player in a real browser: node player.js PERP FOLDER [webgl|plain] [--update]
//
// `plain` starts a browser that has no WebGL. Pictures are compared with those in reference/, which
// --update writes again: look at them before you commit them.
import assert from 'node:assert/strict';
import {check, finish} from './check.js';
import {colours, compare, distance, share} from './pictures.js';
import {UNSOLVED, write} from './sample.js';
import {checkSilence, folder, kind, make, open, update, webgl} from './stage.js';

const WIDTH = 800, HEIGHT = 450;

const pages = {two: make(write, 'two', 'shapes', 'far')};
for (const name of ['shapes', 'discs', 'empty', 'cut']) pages[name] = make(write, name, name);
const {browser, page, picture, root, find, text} = await open();

// ---------------------------------------------------------------------------------------- pictures

const orange = (r, g, b) => r > 1.25*g && g > 1.3*b, green = (r, g, b) => g > 1.3*r && g > 1.15*b;
const red = (r, g, b) => r > 180 && g < 80 && b < 90, light = (r, g, b) => r + g + b > 600;

// -------------------------------------------------------------------------------------- the page

const playing = () => page.run('document.documentElement.hasAttribute("data-playing")');
const box = selector => page.run(`${find(selector)}.getBoundingClientRect().toJSON()`);
const colour = selector => page.run(`getComputedStyle(${find(selector)}).color`);
const hidden = () => page.run('document.getElementById("notice").hidden');
const helping = () => page.run('document.getElementById("help").open');

// The steps, of 78, at which the time line is red.
const redSteps = () => page.run(`(() => {
  const {width, height} = timeline, at = new Set();
  const {data} = timeline.getContext('2d').getImageData(0, 0, width, height);
  for (let i = 0; i < data.length; i += 4)
    if (data[i] > 180 && data[i + 1] < 90 && data[i + 3] > 200)
      at.add(Math.round(i/4 % width/width*78));
  return [...at];
})()`);

// What sticks out to the left or right.
const outside = width => page.run(`
  [...document.querySelectorAll('button, select, input, canvas, h1, h2, output')].filter(part => {
    const {left, right, width} = part.getBoundingClientRect();
    return width && (left < -0.5 || right > ${width} + 0.5);
  }).map(part => part.id || part.outerHTML.slice(0, 60))`);

// ----------------------------------------------------------------------------------------- checks

try {
  await page.size(WIDTH, HEIGHT);

  await check('it uses what the browser has, and says so if that is not WebGL', async () => {
    await page.go(`${pages.shapes}#frame=0`);
    assert.equal(await root('failed'), undefined);
    assert.equal(await root('renderer'), webgl ? 'webgl' : 'canvas');
    assert.equal(await hidden(), webgl);
    if (!webgl) assert.match(await text('#notice'), /This browser has no WebGL, so there is no light and shadow/);
  });

  for (const address of ['shapes#frame=0', 'shapes#frame=13', 'shapes#frame=39&forces',
                         'shapes#frame=13&colour=speed', 'discs#frame=13&forces',
                         'discs#frame=30&colour=impulse', 'two#frame=10']) {
    const [name, hash] = address.split('#');
    await check(`${name}#${hash} looks as it did`, async () => {
      await page.go(`${pages[name]}#${hash}&noui`);
      const full = await picture();
      assert.ok(colours(full) > (name === 'discs' ? 100 : 500), `only ${colours(full)} colours`);
      if (!hash.includes('colour')) {
        assert.ok(share(full, orange) > 0.005, `orange: ${share(full, orange)}`);
        assert.ok(share(full, green) > 0.005, `green: ${share(full, green)}`);
      }
      compare(`${kind}-${name}-${hash.replace(/[=&]/g, '-')}`, full, {folder, update});
    });
  }

  // Software draws every pixel: from here on there are a quarter of them.
  const small = {ratio: 0.5};
  await page.size(WIDTH, HEIGHT, small);

  await check('two recordings share a clock, and each has its caption', async () => {
    await page.go(`${pages.two}#frame=10`);
    assert.equal(await page.run('document.querySelectorAll(".view canvas").length'), 2);
    const all = (selector, pattern) => page.run(`Array.from(
      document.querySelectorAll('${selector}'), e => e.textContent.match(${pattern})[0]).join()`);
    const steps = () => all('.view header p:nth-of-type(1)', /step \d+/);
    assert.equal(await steps(), 'step 20,step 20');
    await page.key('ArrowRight');
    assert.equal(await steps(), 'step 22,step 22');
    assert.equal(await all('.caption code', /run \w+/), 'run shapes,run far');
  });

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
    assert.equal(await helping(), true);
    assert.match(await text('#help'), /play or pause/);
    await page.key('Escape');
    assert.equal(await helping(), false);
  });

  await check('it plays to the end and stops there; playing again starts over', async () => {
    await page.go(`${pages.shapes}#frame=30`);
    await page.key(' ');
    assert.equal(await playing(), true);
    await page.until('document.querySelector("html[data-frame=\'39\']:not([data-playing])")');
    await page.key(' ');
    assert.ok(Number(await root('frame')) < 30);
    await page.key(' ');
    assert.equal(await playing(), false);
  });

  await check('steps that are not solved are red in words and on the time line', async () => {
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}`);
    const verdict = '.view header p:last-child', bad = await colour('.verdict');
    const [r, g, b] = bad.match(/\d+/g).map(Number);
    assert.ok(red(r, g, b), bad);
    assert.equal(await text(verdict), 'NOT SOLVED: 2 islands, residual 0.001, 3 iterations');
    assert.equal(await colour(verdict), bad);
    assert.match(await text('.verdict'), /3 of 78 steps not solved/);
    await page.size(WIDTH, HEIGHT);                        // marks are one pixel wide
    await page.go(`${pages.shapes}#frame=33`);             // the handle hides what is under it
    const reds = await redSteps();
    await page.size(WIDTH, HEIGHT, small);
    for (const step of UNSOLVED)
      assert.ok(reds.some(at => Math.abs(at - step) <= 2), `no red near step ${step}: ${reds}`);
    await page.go(`${pages.shapes}#frame=11`);             // between it and the frame before
    assert.equal(await text(verdict), `NOT SOLVED since the previous frame: step ${UNSOLVED[1]}`);
    assert.equal(await colour(verdict), bad);
    await page.go(`${pages.shapes}#frame=12`);
    assert.match(await text(verdict), /^solved: residual/);
    assert.notEqual(await colour(verdict), bad);
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

  await check('dragging turns, the wheel magnifies, a double click undoes that', async () => {
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
    assert.ok(distance(turned, await picture()) > 2);
    for (const clickCount of [1, 2])
      for (const type of ['mousePressed', 'mouseReleased'])
        await page.mouse(type, 400, 300, {clickCount});
    await page.settle();
    assert.ok(distance(first, await picture()) < 0.01);
  });

  await check('forces are arrows, and red where they are not certified', async () => {
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}&noui`);
    const without = await picture();
    await page.go(`${pages.shapes}#frame=${UNSOLVED[0]/2}&noui&forces`);
    const shown = await picture();
    assert.ok(distance(without, shown) > 0.05);
    assert.ok(share(shown, red) > share(without, red) + 0.0003);
  });

  await check('the caption is the command line, and can be copied', async () => {
    await page.go(pages.shapes);
    const line = 'perp run shapes --seed 7 --title \'a "quoted" one\'';
    assert.equal(await text('.caption code'), line);
    const {x, y, width, height} = await box('.caption button');
    await page.click(x + width/2, y + height/2);
    await page.until(`${find('.caption button')}.textContent === "copied"`, 20000);
    await page.key(' ');                                   // the button has not kept the keys
    assert.equal(await playing(), true);
    await page.key(' ');
  });

  // The layout does not depend on WebGL: with it, one page for each screen will do.
  const screens = [['a laptop', 1280, 720, false, 'shapes'], ['a phone', 390, 844, true, 'two'],
                   ['a phone on its side', 844, 390, true, 'two']];
  for (const [name, width, height, mobile, one] of screens) {
    await check(`nothing sticks out on ${name}`, async () => {
      await page.size(width, height, {...small, mobile});
      for (const which of webgl ? [one] : ['shapes', 'two']) {
        await page.go(`${pages[which]}#frame=10`);
        const wide = await page.run('document.scrollingElement.scrollWidth');
        assert.ok(wide <= width, `${which} is ${wide} wide`);
        assert.deepEqual(await outside(width), []);
        const high = await page.run('document.scrollingElement.scrollHeight');
        if (!mobile) assert.ok(high <= height, `${which} is ${high} high`);
        const {height: tall} = await box('.view');
        assert.ok(tall >= (width > height && mobile ? 120 : 190), `the picture is ${tall} high`);
      }
    });
  }

  await check('it is dark where the system is, and changes with it', async () => {
    await page.size(WIDTH, HEIGHT, {...small, dark: true});
    await page.go(`${pages.two}#frame=13`);
    assert.ok(share(await picture(), light) < 0.1);
    await page.size(WIDTH, HEIGHT, small);
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
    assert.match(await text('#notice'), /WebGL is turned off, so there is no light and shadow/);
    await page.key('f');
    assert.equal(await root('forces'), 'true');
    await page.run('document.querySelector("#notice button").click()');
    assert.equal(await hidden(), true);
  });

  await checkSilence(page);
} finally {
  await browser.close();
}
finish();
