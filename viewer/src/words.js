// words.js: the texts on and below the picture: the state of the step, and the legend of colours.
import {groupHex, rampGradient} from './colours.js';
import {isGrid, suctionHex} from './fluid.js';
import {count, element, short} from './text.js';

const UNITS = {speed: 'm/s', impulse: 'N s', pressure: 'Pa'};

// Each returns {state, verdict} of a row.
export function bodies(recording, row, frame, {mode, marks}) {
  const c = recording.columns, contacts = c.contacts[row];
  let state = `step ${c.step[row]} · ${count(contacts, 'contact')}`;
  if (c.islands[row] > 1) state += ` · ${c.islands[row]} islands`;
  if (c.asleep[row] > 0) state += ` · ${count(c.asleep[row], 'body', 'bodies')} asleep`;
  const unknown = recording.frames && !recording.contactsKnown(frame);
  if ((marks || mode === 'impulse') && unknown) state += ' · forces not recorded';
  const residual = short(c.residual[row]), iterations = count(c.iterations[row], 'iteration');
  let verdict = row ? 'nothing touches' : 'the start';
  if (contacts > 0) verdict = 'at rest';
  if (c.rows[row] > 0) verdict = `solved: residual ${residual}, ${iterations}`;
  if (c.unsolved[row] > 0)
    verdict = `NOT SOLVED: ${count(c.unsolved[row], 'island')}, residual ${residual}, ${iterations}`;
  return {state, verdict};
}

export function liquid(recording, row, frame, {marks}) {
  const c = recording.columns;
  let state = `step ${c.step[row]} · ${count(c.particles[row], 'particle')}`;
  if (c.liquid[row] > 0) state += ` · ${count(c.liquid[row], 'cell')}`;
  if (c.separating[row] > 0) state += ` · ${c.separating[row]} separating`;
  if (marks && !recording.fields) state += ' · cells were not recorded';
  const residual = short(c.residual[row]);
  const {iterations} = recording.head;             // the method's name for them: 'Newton', 'sweeps'
  const work = `residual ${residual}, ${c.newton[row]} ${iterations}, ${c.inner[row]} inner`;
  let verdict = row ? 'no liquid' : 'the start';
  if (c.solved[row] > 0) verdict = `solved: ${work}`;
  if (c.unsolved[row] > 0)
    verdict = `NOT SOLVED: ${count(c.unsolved[row], 'pressure problem')}, ${work}`;
  return {state, verdict};
}

// ----------------------------------------------------------------------------------------- legends

function ramp() {
  const strip = element('span', 'ramp');
  strip.style.background = rampGradient;
  return strip;
}

function swatch(colour, text) {
  const item = element('span', '', text), patch = element('i');
  patch.style.background = colour;
  item.prepend(patch);
  return item;
}

export function bodiesLegend(recording, paint, mode) {
  if (mode !== 'group') return [`${mode} 0`, ramp(), `${short(paint.top(mode))} ${UNITS[mode]}`];
  return (paint.apart ? [] : paint.groups.slice(0, 12)).map(group =>
    swatch(groupHex(group), recording.groups[group] ?? `group ${group}`));
}

export function liquidLegend(recording, {mode, marks, show}) {
  const of = isGrid(show) ? 'pressure' : mode;
  const scale = element('span', 'scale');
  const top = of === 'speed' ? recording.fastest : recording.highest;
  scale.append(`${of} 0`, ramp(), `${short(top)} ${UNITS[of]}`);
  const list = [scale];
  if (of === 'pressure' && recording.suction > 0)
    list.push(swatch(suctionHex, `below 0, to ${short(-recording.suction)} ${UNITS[of]}`));
  if (marks) list.push(swatch('var(--separating)', 'separating from a wall'));
  return list;
}
