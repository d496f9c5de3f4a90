// main.js: the player: reads what is in the page, keeps clock, pictures, charts and bar together.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {Camera} from './camera.js';
import {Charts} from './charts.js';
import {Clock, SPEEDS} from './clock.js';
import {MODES, theme} from './colours.js';
import {keys, listen} from './keys.js';
import {Recording} from './recording.js';
import {Scene3D} from './scene3d.js';
import {seconds} from './text.js';
import {Timeline} from './timeline.js';
import {View, caption, element} from './view.js';

const byId = id => document.getElementById(id);
const root = document.documentElement;

class Player {
  constructor(recordings, wish) {
    this.recordings = recordings;
    this.mode = MODES[0];
    this.forces = false;
    const changed = () => this.redraw();
    const [main] = recordings;
    const duration = Math.max(...recordings.map(r => r.duration));
    this.clock = new Clock(duration, main.dt*main.every, changed);
    this.camera = new Camera(main.flat, changed);
    const asked = wish.has('nowebgl'), webgl = !asked && Scene3D.supported();
    this.views = recordings.map(recording => new View(byId('views'), recording, webgl));
    root.dataset.renderer = this.views.every(view => view.solid) ? 'webgl' : 'canvas';
    const reason = asked ? 'Drawn without WebGL, as asked' : 'No WebGL in this browser';
    if (root.dataset.renderer === 'canvas') notice(`${reason}: without light and shadow.`);
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
    byId('mode').append(...MODES.map(mode => new Option(mode, mode)));
    byId('mode').addEventListener('change', ({target}) => {
      this.mode = target.value;
      this.redraw();
    });
    byId('forces').addEventListener('change', () => this.toggleForces());
    byId('help-open').addEventListener('click', () => this.help());
    byId('help').querySelector('dl').append(...keys(this).flatMap(([, name, text]) => {
      const key = element('dt');
      key.append(element('kbd', '', name));
      return [key, element('dd', '', text)];
    }));
  }

  // #frame=N&noui&nowebgl&forces&colour=speed: for tests, and for links to a moment.
  obey(wish) {
    root.toggleAttribute('data-noui', wish.has('noui'));
    this.mode = MODES.includes(wish.get('colour')) ? wish.get('colour') : MODES[0];
    this.forces = wish.has('forces');
    const frame = Number(wish.get('frame') ?? NaN);
    if (Number.isFinite(frame)) this.clock.hold(this.recordings[0].timeOf(frame));
    this.redraw();
  }

  retheme() {
    const colours = theme();
    for (const part of [...this.views, this.charts, this.timeline]) part.retheme(colours);
    this.redraw();
  }

  nextMode() { this.mode = MODES[(MODES.indexOf(this.mode) + 1) % MODES.length]; this.redraw(); }
  toggleForces() { this.forces = !this.forces; this.redraw(); }
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
    const {clock, mode, forces} = this;
    clock.advance(stamp);
    const [frame] = this.views.map(view => view.draw(clock.time, {mode, forces}, this.camera));
    this.charts.show(clock.time);
    this.timeline.draw();
    const [now, end] = [clock.time, clock.duration].map(time => seconds(time, clock.duration));
    byId('time').textContent = `${now} / ${end}`;
    byId('speed').value = clock.speed;
    byId('mode').value = mode;
    byId('forces').checked = forces;
    byId('play').setAttribute('aria-label', clock.running ? 'Pause' : 'Play');
    root.toggleAttribute('data-playing', clock.running);
    Object.assign(root.dataset, {frame, mode, forces, ready: ''});
    if (clock.running) this.redraw();
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
      throw new Error('this browser is too old: Chrome 80, Firefox 113 and Safari 16.4 can');
    const packed = [...document.querySelectorAll('script.recording')];
    const recordings = await Promise.all(packed.map(script => Recording.from(script.textContent)));
    for (const script of packed) script.remove();
    Recording.compare(recordings);
    new Player(recordings, wishes());
  } catch (error) {
    notice(`The recording cannot be shown: ${error.message}.`);
    root.dataset.failed = error.message;
  }
}

start();
