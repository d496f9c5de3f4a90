// view.js: one recording on the page: its picture, the text on it, and its caption.
import {Paint} from './colours.js';
import {kindOf} from './kinds.js';
import {count, element, short} from './text.js';
import * as words from './words.js';

export class View {
  constructor(parent, recording, useWebGL) {
    this.recording = recording;
    this.fluid = Boolean(recording.solids);
    this.paint = this.fluid ? null : new Paint(recording);
    this.box = element('div', 'view');
    const {head} = recording, header = element('header');
    const walls = head.walls ? `${head.walls} walls: ` : '';
    this.title = element('h1', '', `${walls}${head.title || head.scene}`);
    this.state = element('p');
    this.verdict = element('p');
    header.append(this.title, this.state, this.verdict);
    this.legend = element('div', 'legend');
    this.box.append(header, this.legend);
    parent.append(this.box);
    const [Solid, Plain] = kindOf(recording).scenes;
    if (useWebGL) this.#open(Solid, false);
    if (!this.scene) this.#open(Plain, true);
  }

  // A canvas and what draws on it. A browser may promise WebGL and not keep it: then there is no
  // scene.
  #open(Scene, last) {
    const canvas = element('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', this.title.textContent);
    try {
      this.scene = new Scene(canvas, this.recording, this.paint);
    } catch (error) {
      if (last) throw error;
      return;
    }
    this.solid = !last;
    this.canvas = canvas;
    this.box.prepend(canvas);
  }

  retheme(colours) { this.scene.retheme(colours); }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.box;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const key = `${width} ${height} ${ratio}`;
    if (key === this.size || !width || !height) return;
    this.size = key;
    this.scene.resize(width, height, ratio);
  }

  draw(time, {mode, marks, show, cut}, camera) {
    const {recording} = this, {frame, blend} = recording.at(time);
    this.resize();
    const sight = camera.frame(recording, this.box.clientWidth || 1, this.box.clientHeight || 1);
    this.scene.draw({frame, blend, mode, marks, show, cut}, sight);
    this.#describe(time, frame, {mode, marks, show});
    this.#explain(mode, marks, show);
    return frame;
  }

  #describe(time, frame, shown) {
    const {recording} = this, row = recording.rowAt(time);
    if (row < 0) { this.state.textContent = 'no steps'; return; }
    const {state, verdict} = (this.fluid ? words.liquid : words.bodies)(recording, row, frame, shown);
    const bad = recording.unsolvedAt(time), {step} = recording.columns;
    this.state.textContent = state;
    this.verdict.className = bad.length ? 'bad' : '';
    this.verdict.textContent = !bad.length || bad.includes(row) ? verdict
      : bad.length === 1 ? `NOT SOLVED since the previous frame: step ${step[bad[0]]}`
        : `NOT SOLVED since the previous frame: ${bad.length} steps, the first ${step[bad[0]]}`;
  }

  #explain(mode, marks, show) {
    const key = `${mode} ${marks} ${show}`;
    if (key === this.explained) return;
    this.explained = key;
    this.legend.replaceChildren(...(this.fluid
      ? words.liquidLegend(this.recording, {mode, marks, show})
      : words.bodiesLegend(this.recording, this.paint, mode)));
  }
}

// The command line that makes the recording, to be copied, and how many steps were solved.
export function caption(recording, nextUnsolved) {
  const box = element('div', 'caption'), code = element('code', '', recording.head.command);
  const copy = element('button', '', 'copy');
  copy.type = 'button';
  copy.title = 'Copy the command line';
  copy.addEventListener('click', async () => {
    copy.textContent = await copyText(code) ? 'copied' : 'marked';
    setTimeout(() => { copy.textContent = 'copy'; }, 2500);
  });
  const verdict = element('span', 'verdict');
  const bad = recording.unsolved.length, steps = Math.max(recording.rows - 1, 0);
  if (bad) {
    const next = element('button', '', 'next');
    next.type = 'button';
    next.title = 'Go to the next step that was not solved (n)';
    next.addEventListener('click', () => nextUnsolved(recording));
    verdict.classList.add('bad');
    verdict.append(`${bad} of ${count(steps, 'step')} not solved `, next);
  } else {
    verdict.textContent = `${count(steps, 'step')}, all solved to ${short(recording.tolerance)}`;
  }
  box.append(code, copy, verdict);
  return box;
}

// Pages from disk may not use the clipboard; then the text is marked, and Ctrl-C takes it.
async function copyText(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(node);
    try { return document.execCommand('copy'); } catch { return false; }
  }
}
