// player_fluid.js: the player of liquids in a real browser:
// node player_fluid.js PERP FOLDER [webgl|plain] [--update]
import assert from 'node:assert/strict';
import {check, finish} from './check.js';
import {colours, compare, distance, share} from './pictures.js';
import {write} from './sample_fluid.js';
import {checkSilence, folder, kind, make, open, update, webgl} from './stage.js';

const WIDTH = 800, HEIGHT = 450;

const pages = {both: make(write, 'both', 'held', 'pool'), pair: make(write, 'pair', 'space', 'calm')};
for (const name of ['pool', 'bare', 'space']) pages[name] = make(write, name, name);
const {browser, page, picture, root, text} = await open();

const colourful = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 60;
const violet = (r, g, b) => r > 1.4*g && b > 1.4*r && b > 90;
const pink = (r, g, b) => r > 180 && g < 110 && b > 90 && b < r;

// A band of rows of a picture.
function rows({width, rgb}, from, to) {
  return {rgb: rgb.subarray(3*width*from, 3*width*to)};
}

try {
  await page.size(WIDTH, HEIGHT);

  for (const address of ['pool#frame=6', 'pool#frame=6&show=surface&colour=pressure',
                         'pool#frame=6&show=grid&separating', 'space#frame=6',
                         'space#frame=22&show=surface', 'space#frame=6&show=slice',
                         'space#frame=6&show=slice&across=x&layer=1&separating',
                         'pair#frame=22&show=surface&colour=pressure',
                         'both#frame=12&colour=pressure']) {
    const [name, hash] = address.split('#');
    await check(`${name}#${hash} looks as it did`, async () => {
      await page.go(`${pages[name]}#${hash}&noui`);
      assert.equal(await root('failed'), undefined);
      const full = await picture();
      assert.ok(colours(full) > 60, `only ${colours(full)} colours`);
      assert.ok(share(full, colourful) > 0.05, `colourful: ${share(full, colourful)}`);
      compare(`${kind}-liquid-${name}-${hash.replace(/[=&]/g, '-')}`, full, {folder, update});
    });
  }

  const small = {ratio: 0.5};
  await page.size(WIDTH, HEIGHT, small);

  await check('liquid is below its surface; all ways to draw it agree where', async () => {
    const parts = [];
    for (const show of ['particles', 'surface', 'grid']) {
      await page.go(`${pages.pool}#frame=6&noui&show=${show}`);
      const full = await picture(), third = Math.floor(full.height/3);
      assert.ok(share(rows(full, 0, third), colourful) < 0.01, show);
      parts.push(share(full, colourful));
    }
    const [dots, surface, grid] = parts;
    assert.ok(surface > 0.15 && Math.abs(grid/surface - 1) < 0.12, `${grid}, ${surface}`);
    assert.ok(dots > 0.7*surface && dots < 1.1*surface, `${dots}, ${surface}`);
  });

  await check('cells that separate are marked, and the legend says so', async () => {
    await page.go(`${pages.pool}#frame=6&noui`);
    const before = share(await picture(), pink);
    await page.go(`${pages.pool}#frame=6&separating`);
    assert.equal(await root('separating'), 'true');
    assert.match(await text('.legend'), /speed 0.*m\/s.*separating from a wall/);
    await page.go(`${pages.pool}#frame=6&noui&separating`);
    assert.ok(before < 1e-4 && share(await picture(), pink) > 3e-4);
  });

  await check('keys change colours, view and marks; controls follow', async () => {
    await page.go(`${pages.pool}#frame=3`);
    for (const mode of ['pressure', 'speed']) {
      await page.key('c');
      assert.equal(await root('mode'), mode);
      assert.equal(await page.run('document.getElementById("mode").value'), mode);
    }
    for (const show of ['surface', 'grid', 'particles']) {
      await page.key('v');
      assert.equal(await root('show'), show);
      assert.equal(await page.run('document.getElementById("show").value'), show);
    }
    await page.key('f');
    assert.equal(await root('separating'), 'true');
    assert.equal(await page.run('document.getElementById("marks").checked'), true);
    await page.key('?');
    assert.match(await text('#help'), /view: particles, surface, grid/);
    assert.match(await text('#help'), /where the liquid leaves a wall/);
    await page.key('?');                                // closes what it opened
    assert.equal(await page.run('document.querySelectorAll("dialog[open]").length'), 0);
    await page.key('ArrowRight');
    assert.equal(await root('frame'), '4');
    await page.key('n');
    assert.match(await text('.view header p'), /step 12 /);
    assert.match(await text('.view header p:last-child'),
                 /NOT SOLVED: 1 pressure problem, residual 0.001/);
  });

  await check('it says what the step was, with which walls', async () => {
    await page.go(`${pages.pool}#frame=4`);
    assert.match(await text('.view h1'), /separating walls: a pool/);
    assert.match(await text('.view header p'), /step 8 · 2600 particles · 700 cells · 2 separating/);
    assert.match(await text('.view header p:last-child'),
                 /solved: residual 1e-10, 3 Newton, 12 inner/);
    assert.match(await text('.verdict'), /2 of 46 steps not solved/);
  });

  await check('charts: volume, energy, momentum, iterations, residual, divergence', async () => {
    const titles = await page.run(`Array.from(document.querySelectorAll('.chart'))
      .filter(box => !box.hidden).map(box => box.querySelector('h2').textContent).join()`);
    assert.equal(titles, 'volume drift (%),energy (J),momentum (N s),iterations,residual,'
      + 'divergence (1/s)');
    const said = await page.run(`Array.from(document.querySelectorAll('.chart output'),
      out => out.textContent).join('|')`);
    assert.match(said, /^0\.91\d?\|potential .*\|x .*y .*\|Newton 3inner 12\|1\.0e-10\|1\.0e-7/);
  });

  await check('it plays', async () => {
    await page.go(`${pages.pool}#frame=18&noui&show=surface`);
    const first = await picture();
    await page.key(' ');
    await page.until('document.querySelector("html[data-frame=\'23\']:not([data-playing])")');
    assert.ok(distance(first, await picture()) > 0.5);
  });

  await check('two recordings: one clock, one scale; suction is violet', async () => {
    await page.go(`${pages.both}#frame=6&colour=pressure`);
    const all = selector => page.run(`Array.from(document.querySelectorAll('${selector}'),
      e => e.textContent).join('|')`);
    const [one, two] = (await all('.legend')).split('|');
    assert.equal(one, two);
    assert.match(one, /pressure 0\d+ Pabelow 0, to -3\d\d Pa/);
    assert.match(await all('.view h1'), /^slip walls: .*\|separating walls: /);
    await page.go(`${pages.both}#frame=6&colour=pressure&noui&show=surface`);
    const full = await picture(), side = from => {
      const {width, height, rgb} = full, out = [];
      for (let y = 0; y < height; y++)
        out.push(rgb.subarray(3*(width*y + from), 3*(width*y + from + Math.floor(width/2) - 2)));
      return share({rgb: Buffer.concat(out)}, violet);
    };
    const [held, pool] = [side(0), side(Math.ceil(full.width/2) + 2)];
    assert.ok(held > 0.05 && pool < 0.5*held, `${held}, ${pool}`);
  });

  await check('without fields there is no pressure and no grid, and it says so', async () => {
    await page.go(`${pages.bare}#frame=3&show=grid&colour=pressure&separating`);
    assert.equal(await root('mode'), 'speed');
    assert.equal(await root('show'), 'particles');
    assert.match(await text('.view header p'), /cells were not recorded/);
  });

  await check('sweeps are not called Newton', async () => {
    await page.go(`${pages.bare}#frame=4`);
    assert.match(await text('.view header p:last-child'), /residual .*, \d+ sweeps, \d+ inner/);
    const said = await page.run(`Array.from(document.querySelectorAll('.chart output'),
      out => out.textContent).join('|')`);
    assert.match(said, /\|sweeps \d+inner \d+\|/);
  });

  await check('in space there are particles, surface and slices; all agree where liquid is', async () => {
    await page.go(`${pages.space}#frame=22`);
    const shares = [];
    for (const show of ['particles', 'surface', 'slice']) {
      assert.equal(await root('show'), show);
      assert.equal(await page.run('document.getElementById("cut").hidden'), show !== 'slice');
      await page.go(`${pages.space}#frame=22&noui&show=${show}`);
      shares.push(share(await picture(), colourful));
      await page.go(`${pages.space}#frame=22&show=${show}`);
      await page.key('v');
    }
    const [dots, surface, slice] = shares;
    assert.ok(surface > 0.1 && Math.abs(dots/surface - 1) < 0.2, `${dots}, ${surface}`);
    assert.ok(slice > 0.1*surface && slice < 0.8*surface, `${slice}, ${surface}`);
  });

  await check('the surface follows the frames, and is not that of particles', async () => {
    await page.go(`${pages.space}#frame=20&noui&show=surface`);
    const before = await picture();
    await page.key('ArrowRight');
    const after = await picture();
    assert.ok(distance(before, after) > 0.1);
    await page.key(' ');
    await page.until('document.querySelector("html[data-frame=\'23\']:not([data-playing])")');
    assert.ok(distance(after, await picture()) > 0.1);
  });

  await check('keys, slider and links move the slice', async () => {
    const value = id => page.run(`document.getElementById('${id}').value`);
    await page.go(`${pages.space}#frame=6&show=slice`);
    assert.deepEqual([await root('across'), await root('layer')], ['z', '7']);
    assert.equal(await text('#layers'), '7 of 12');
    await page.key(']');
    assert.equal(await root('layer'), '8');
    assert.equal(await value('layer'), '7');            // from 0
    await page.key('[');
    await page.key('[');
    assert.equal(await root('layer'), '6');
    const first = await picture();
    await page.run(`{ const slider = document.getElementById('layer'); slider.value = 0;
      slider.dispatchEvent(new Event('input', {bubbles: true})); }`);
    await page.settle();
    assert.equal(await root('layer'), '1');
    assert.ok(distance(first, await picture()) > 0.5);
    await page.key('[');
    assert.equal(await root('layer'), '1');             // there is no other
    await page.key('x');
    assert.deepEqual([await root('across'), await root('layer')], ['x', '10']);
    assert.equal(await text('#layers'), '10 of 18');
    await page.go(`${pages.space}#frame=6&show=slice&across=y&layer=99`);
    assert.deepEqual([await root('across'), await root('layer')], ['y', '18']);
    await page.key('?');
    assert.match(await text('#help'), /view: particles, surface, slice.*the slice across x, y or z/s);
    await page.key('Escape');
  });

  await check('separating cells are shown in the slice that has them', async () => {
    const marked = async layer => {
      await page.go(`${pages.space}#frame=6&noui&show=slice&across=x&layer=${layer}&separating`);
      return share(await picture(), pink);
    };
    assert.ok(await marked(1) > 1e-3 && await marked(9) < 1e-4);
  });

  await check('two in space: both have surfaces and slices', async () => {
    const halves = async hash => {
      await page.go(`${pages.pair}#frame=22&noui&${hash}`);
      const {width, height, rgb} = await picture(), parts = [0, 1].map(side => {
        const rows = Array.from({length: height}, (_, y) => rgb.subarray(
          3*(width*y + side*Math.ceil(width/2)), 3*(width*y + side*Math.ceil(width/2)
            + Math.floor(width/2))));
        return share({rgb: Buffer.concat(rows)}, colourful);
      });
      return parts;
    };
    for (const hash of ['show=surface', 'show=slice&across=y&layer=3']) {
      const [one, two] = await halves(hash);
      assert.ok(one > 0.03 && Math.abs(one/two - 1) < 0.3, `${hash}: ${one}, ${two}`);
    }
  });

  await check('in space it turns', async () => {
    await page.go(`${pages.space}#frame=6&noui`);
    const first = await picture();
    await page.mouse('mousePressed', 200, 200);
    await page.mouse('mouseMoved', 320, 220);
    await page.mouse('mouseReleased', 320, 220);
    assert.ok(distance(first, await picture()) > 2);
  });

  await check('on a phone and in a narrow window nothing sticks out', async () => {
    const outside = () => page.run(`
      [...document.querySelectorAll('button, select, input, canvas, h1, h2, output')].filter(part => {
        const {left, right, width} = part.getBoundingClientRect();
        return width && (left < -0.5 || right > innerWidth + 0.5);
      }).map(part => part.id || part.outerHTML.slice(0, 60))`);
    for (const [wide, high, mobile] of [[390, 844, true], [900, 600, false]]) {
      await page.size(wide, high, {mobile, ratio: 1});
      for (const hash of ['both#frame=6', 'pair#frame=6&show=slice&separating']) {
        const [name, moment] = hash.split('#');
        await page.go(`${pages[name]}#${moment}`);
        assert.deepEqual(await outside(), [], `${hash} at ${wide}`);
      }
    }
  });

  await check('on a phone the texts of two pictures are small', async () => {
    await page.size(390, 844, {mobile: true, ratio: 1});
    await page.go(`${pages.both}#frame=7&colour=pressure`);
    const parts = await page.run(`[...document.querySelectorAll('.view')].map(view =>
      ['header', '.legend'].map(name => view.querySelector(name).getBoundingClientRect().height)
        .reduce((sum, height) => sum + height)/view.getBoundingClientRect().height)`);
    assert.equal(parts.length, 2);
    assert.ok(parts.every(part => part > 0.05 && part < 0.2), parts.join());
    await page.go(`${pages.both}#frame=6`);             // step 12: that is said in full
    assert.match(await page.run(`[...document.querySelectorAll('.view header p')]
      .filter(p => p.getBoundingClientRect().height > 0).map(p => p.textContent).join('|')`),
                 /NOT SOLVED.*NOT SOLVED/);
  });

  await checkSilence(page);
} finally {
  await browser.close();
}
finish();
