// main.js: the player: reads what is in the page, keeps clock, pictures, charts and bar together.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {Camera} from './camera.js';
import {Charts} from './charts.js';
import {Clock, SPEEDS} from './clock.js';
import {theme} from './colours.js';
import {keys, listen} from './keys.js';
import {kindOf, open} from './kinds.js';
import {Scene3D} from './scene3d.js';
import {element, seconds} from './text.js';
import {Timeline} from './timeline.js';
import {View, caption} from './view.js';

const byId = id => document.getElementById(id);
const root = document.documentElement;

class Player {
  constructor(recordings, wish) {
    this.recordings = recordings;
    const changed = () => this.redraw();
    const [main] = recordings;
    this.kind = kindOf(main);
    this.shows = this.kind.shows(main);
    this.modes = this.kind.modes.filter(mode => mode !== 'pressure' || main.fields);
    [this.mode] = this.modes;
    [this.show] = this.shows;
    this.marks = false;
    this.cut = {axis: 2, part: 0.5};         // where a slice is, of its axis' length
    const duration = Math.max(...recordings.map(r => r.duration));
    this.clock = new Clock(duration, main.dt*main.every, changed);
    this.camera = new Camera(main.flat, changed);
    const asked = wish.has('nowebgl'), webgl = !asked && Scene3D.supported();
    this.views = recordings.map(recording => new View(byId('views'), recording, webgl));
    root.dataset.renderer = this.views.every(view => view.solid) ? 'webgl' : 'canvas';
    const reason = asked ? 'WebGL is turned off' : 'This browser has no WebGL';
    if (root.dataset.renderer === 'canvas') notice(`${reason}, so there is no light and shadow.`);
    byId('views').classList.toggle('two', recordings.length > 1);
    for (const view of this.views) {
      this.camera.listen(view.canvas);
      view.canvas.addEventListener('webglcontextrestored', changed);
    }
    this.charts = new Charts(byId('charts'), recordings, time => this.jump(time));
    this.timeline = new Timeline(byId('timeline'), recordings, this.clock);
    this.#wireBar();
    byId('captions').append(...recordings.map(r => caption(r, which => this.nextUnsolved(which))));
    for (const recording of recordings) if (recording.notice) notice(recording.notice);
    listen(this);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.retheme());
    const observer = new ResizeObserver(changed);
    for (const view of this.views) observer.observe(view.box);
    addEventListener('hashchange', () => this.obey(wishes()));
    this.retheme();
    this.obey(wish);
  }

  #wireBar() {
    byId('play').addEventListener('click', () => this.clock.toggle());
    byId('speed').append(...SPEEDS.map(speed => new Option(`${speed}×`, speed)));
    byId('speed').addEventListener('change', ({target}) => {
      this.clock.speed = Number(target.value);
      this.redraw();
    });
    byId('knobs').addEventListener('change', ({target}) => {
      if (!target.matches(':focus-visible')) target.blur();   // the mouse: the keys are free again
    });
    for (const [id, list] of [['mode', this.modes], ['show', this.shows]]) {
      byId(id).append(...list.map(name => new Option(name, name)));
      byId(id).addEventListener('change', ({target}) => {
        this[id] = target.value;
        this.redraw();
      });
    }
    byId('show').closest('label').hidden = this.shows.length < 2;
    byId('across').append(...['x', 'y', 'z'].map((name, axis) => new Option(name, axis)));
    byId('across').addEventListener('change', ({target}) => this.cutAt(Number(target.value)));
    byId('layer').addEventListener('input', ({target}) => this.#cutLayer(Number(target.value)));
    const box = byId('marks'), {marks, marksText} = this.kind;
    box.addEventListener('change', () => this.toggleMarks());
    box.nextSibling.textContent = ` ${marks}`;
    box.closest('label').title = `${marksText[0].toUpperCase()}${marksText.slice(1)} (f)`;
    byId('help-open').addEventListener('click', () => this.help());
    byId('help').querySelector('dl').append(...keys(this).flatMap(([, name, text]) => {
      const key = element('dt');
      key.append(element('kbd', '', name));
      return [key, element('dd', '', text)];
    }));
  }

  // #frame=N&noui&nowebgl&forces&colour=speed, of liquids &show=surface&separating, and in space
  // &show=slice&across=x&layer=N: for tests, and for links to a moment.
  obey(wish) {
    root.toggleAttribute('data-noui', wish.has('noui'));
    const wished = (list, name) => list.includes(wish.get(name)) ? wish.get(name) : list[0];
    this.mode = wished(this.modes, 'colour');
    this.show = wished(this.shows, 'show');
    this.marks = wish.has(this.kind.marks);
    if (this.shows.includes('slice')) {
      this.cut = {axis: Math.max('xyz'.indexOf(wish.get('across') || 'z'), 0), part: 0.5};
      if (wish.has('layer')) this.#cutLayer(Number(wish.get('layer')) - 1 || 0);
    }
    const frame = Number(wish.get('frame') ?? NaN);
    if (Number.isFinite(frame)) this.clock.hold(this.recordings[0].timeOf(frame));
    this.redraw();
  }

  retheme() {
    const colours = theme();
    for (const part of [...this.views, this.charts, this.timeline]) part.retheme(colours);
    this.redraw();
  }

  // The next of `modes` or `shows`.
  turn(name) {
    const list = this[`${name}s`];
    this[name] = list[(list.indexOf(this[name]) + 1) % list.length];
    this.redraw();
  }

  // The slice across an axis, through its middle.
  cutAt(axis) { this.cut = {axis, part: 0.5}; this.redraw(); }

  get #layers() { return this.recordings[0].head.cells[this.cut.axis]; }
  get #layer() { return Math.min(Math.floor(this.cut.part*this.#layers), this.#layers - 1); }

  #cutLayer(layer) {
    const last = this.#layers - 1;
    this.cut = {...this.cut, part: (Math.min(Math.max(layer, 0), last) + 0.5)/this.#layers};
    this.redraw();
  }

  moveCut(by) { this.#cutLayer(this.#layer + by*this.recordings[0].block); }

  toggleMarks() { this.marks = !this.marks; this.redraw(); }
  help() { byId('help').showModal(); }

  // To the step nearest to a time.
  jump(time) {
    const [{dt}] = this.recordings;
    this.clock.hold(Math.round(time/dt)*dt);
  }

  nextUnsolved(which) {
    const list = which ? [which] : this.recordings;
    const times = list.flatMap(r => r.unsolved.map(row => r.timeOfRow(row))).sort((a, b) => a - b);
    if (times.length) this.jump(times.find(t => t > this.clock.time + 1e-6) ?? times[0]);
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(stamp => this.#draw(stamp));
  }

  #draw(stamp) {
    this.pending = false;
    const {clock, mode, marks, show, cut} = this;
    clock.advance(stamp);
    const [frame] = this.views.map(view =>
      view.draw(clock.time, {mode, marks, show, cut}, this.camera));
    this.charts.show(clock.time);
    this.timeline.draw();
    const [now, end] = [clock.time, clock.duration].map(time => seconds(time, clock.duration));
    byId('time').textContent = `${now} / ${end}`;
    byId('speed').value = clock.speed;
    byId('mode').value = mode;
    byId('show').value = show;
    byId('marks').checked = marks;
    byId('cut').hidden = show !== 'slice';
    if (show === 'slice') this.#showCut();
    byId('play').setAttribute('aria-label', clock.running ? 'Pause' : 'Play');
    root.toggleAttribute('data-playing', clock.running);
    Object.assign(root.dataset, {frame, mode, [this.kind.marks]: marks, ready: ''});
    if (show) root.dataset.show = show;
    if (clock.running) this.redraw();
  }

  #showCut() {
    const slider = byId('layer'), last = this.#layers - 1;
    byId('across').value = this.cut.axis;
    Object.assign(slider, {min: 0, max: last, step: 1, value: this.#layer});
    byId('layers').textContent = `${this.#layer + 1} of ${last + 1}`;
    Object.assign(root.dataset, {across: 'xyz'[this.cut.axis], layer: this.#layer + 1});
  }
}

function notice(text) {
  const bar = byId('notice'), line = bar.querySelector('span');
  line.textContent = line.textContent ? `${line.textContent} ${text}` : text;
  bar.hidden = false;
  bar.querySelector('button').onclick = () => { bar.hidden = true; };
}

const wishes = () => new URLSearchParams(location.hash.slice(1));

async function start() {
  try {
    if (typeof DecompressionStream === 'undefined')
      throw new Error('this browser is too old; Chrome 80, Firefox 113 and Safari 16.4 work');
    const packed = [...document.querySelectorAll('script.recording')];
    const recordings = await Promise.all(packed.map(script => open(script.textContent)));
    for (const script of packed) script.remove();
    kindOf(recordings[0]).Recording.compare(recordings);
    new Player(recordings, wishes());
  } catch (error) {
    notice(`The recording cannot be shown: ${error.message}.`);
    root.dataset.failed = error.message;
  }
}

start();
