// view.js: one recording on the page: its picture, the words over it, and its caption.
import {Paint, groupHex, rampGradient} from './colours.js';
import {Scene2D} from './scene2d.js';
import {Scene3D} from './scene3d.js';
import {count, short} from './text.js';

const UNITS = {speed: 'm/s', impulse: 'N s'};

export class View {
  constructor(parent, recording, useWebGL) {
    this.recording = recording;
    this.paint = new Paint(recording);
    this.box = element('div', 'view');
    const {head} = recording, header = element('header');
    this.title = element('h1', '', head.title || head.scene);
    this.state = element('p');
    this.verdict = element('p');
    header.append(this.title, this.state, this.verdict);
    this.legend = element('div', 'legend');
    this.box.append(header, this.legend);
    parent.append(this.box);
    if (useWebGL) this.#open(Scene3D);
    if (!this.scene) this.#open(Scene2D);
  }

  // A canvas and what draws on it. A browser may promise WebGL and not keep it: then there is no
  // scene.
  #open(Scene) {
    const canvas = element('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', this.title.textContent);
    try {
      this.scene = new Scene(canvas, this.recording, this.paint);
    } catch (error) {
      if (Scene === Scene2D) throw error;
      return;
    }
    this.canvas = canvas;
    this.box.prepend(canvas);
  }

  get solid() { return this.scene instanceof Scene3D; }

  retheme(colours) { this.scene.retheme(colours); }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.box;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const key = `${width} ${height} ${ratio}`;
    if (key === this.size || !width || !height) return;
    this.size = key;
    this.scene.resize(width, height, ratio);
  }

  draw(time, {mode, forces}, camera) {
    const {recording} = this, {frame, blend} = recording.at(time);
    this.resize();
    const sight = camera.frame(recording, this.box.clientWidth || 1, this.box.clientHeight || 1);
    this.scene.draw({frame, blend, mode, forces}, sight);
    this.#describe(time, frame, forces || mode === 'impulse');
    this.#explain(mode);
    return frame;
  }

  #describe(time, frame, needsContacts) {
    const {recording} = this, row = recording.rowAt(time);
    if (row < 0) { this.state.textContent = 'no steps'; return; }
    const c = recording.columns, contacts = c.contacts[row], bad = recording.unsolvedAt(time);
    let state = `step ${c.step[row]} · ${count(contacts, 'contact')}`;
    if (c.islands[row] > 1) state += ` · ${c.islands[row]} islands`;
    if (c.asleep[row] > 0) state += ` · ${count(c.asleep[row], 'body', 'bodies')} asleep`;
    const unknown = recording.frames && !recording.contactsKnown(frame);
    if (needsContacts && unknown) state += ' · forces not recorded';
    this.state.textContent = state;
    const residual = short(c.residual[row]), iterations = count(c.iterations[row], 'iteration');
    let verdict = row ? 'nothing touches' : 'the start';
    if (contacts > 0) verdict = 'at rest';
    if (c.rows[row] > 0) verdict = `solved: residual ${residual}, ${iterations}`;
    if (bad.includes(row))
      verdict = `NOT SOLVED: ${count(c.unsolved[row], 'island')}, residual ${residual}, `
        + iterations;
    else if (bad.length === 1) verdict = `NOT SOLVED on the way: step ${c.step[bad[0]]}`;
    else if (bad.length)
      verdict = `NOT SOLVED on the way: ${bad.length} steps from ${c.step[bad[0]]}`;
    this.verdict.className = bad.length ? 'bad' : '';
    this.verdict.textContent = verdict;
  }

  #explain(mode) {
    if (mode === this.explained) return;
    this.explained = mode;
    if (mode !== 'group') {
      const ramp = element('span', 'ramp');
      ramp.style.background = rampGradient;
      const top = `${short(this.paint.top(mode))} ${UNITS[mode]}`;
      this.legend.replaceChildren(`${mode} 0`, ramp, top);
      return;
    }
    const {groups, apart} = this.paint;
    this.legend.replaceChildren(...(apart ? [] : groups.slice(0, 12)).map(group => {
      const item = element('span', '', this.recording.groups[group] ?? `group ${group}`);
      const swatch = element('i');
      swatch.style.background = groupHex(group);
      item.prepend(swatch);
      return item;
    }));
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

export function element(name, kind = '', text = '') {
  const node = document.createElement(name);
  if (kind) node.className = kind;
  if (text) node.textContent = text;
  return node;
}
