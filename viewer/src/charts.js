// charts.js: energy, residual, iterations and more over time, and the convergence of one step, with
// uPlot. A click in a chart goes to that step.
import uPlot from 'uplot';
import {short} from './text.js';

const FLOOR = -17;                                       // log10 of residuals that are 0
const log10 = x => x > 0 ? Math.max(Math.log10(x), FLOOR) : FLOOR;

// What each chart shows of a recording. Two recordings have a colour each, and fewer curves.
const ENERGY = {title: 'energy', unit: 'J', free: true, curves: [
  {name: 'potential', colour: 'series-3', alone: true, of: c => Array.from(c.potential)},
  {name: 'kinetic', colour: 'series-2', dashed: true, of: c => Array.from(c.kinetic)},
  {name: 'total', colour: 'series-1', of: c => Array.from(c.kinetic, (x, i) => x + c.potential[i])}]};
const residual = solved => ({title: 'residual', logarithmic: true, tolerance: true, curves: [
  {name: '', colour: 'series-1',
   of: c => Array.from(c.residual, (r, i) => c[solved][i] || c.unsolved[i] ? log10(r) : null)},
  {name: 'unsolved', colour: 'bad', marks: true,
   of: c => Array.from(c.residual, (r, i) => c.unsolved[i] > 0 ? log10(r) : null)}]});

const BODIES = [
  ENERGY,
  {title: 'contacts', whole: true, curves: [
    {name: '', colour: 'series-1', of: c => Array.from(c.contacts)}]},
  residual('rows'),
  {title: 'iterations', whole: true, curves: [
    {name: '', colour: 'series-1', of: c => Array.from(c.iterations)}]},
];

const LIQUID = [
  {title: 'volume drift', unit: '%', free: true, curves: [
    {name: '', colour: 'series-1',
     of: c => Array.from(c.volume, (v, i) => c.poured[i] > 0 ? 100*(v/c.poured[i] - 1) : null)}]},
  ENERGY,
  {title: 'momentum', unit: 'N s', free: true, curves: [
    {name: 'x', colour: 'series-1', of: c => Array.from(c.px)},
    {name: 'y', colour: 'series-2', dashed: true, of: c => Array.from(c.py)},
    {name: 'z', colour: 'series-3', alone: true, space: true, of: c => Array.from(c.pz)}]},
  {title: 'iterations', whole: true, curves: [
    {name: ({head}) => head.iterations, colour: 'series-1', of: c => Array.from(c.newton)},
    {name: 'inner', colour: 'series-2', dashed: true, of: c => Array.from(c.inner)}]},
  residual('solved'),
  {title: 'divergence', unit: '1/s', logarithmic: true, curves: [
    {name: '', colour: 'series-1', of: c => Array.from(c.divergence, (d, i) =>
      c.solved[i] || c.unsolved[i] ? log10(d) : null)}]},
];

const WHOLE = Array.from({length: 8}, (_, i) => [1, 2, 5].map(x => x*10**i)).flat();   // ticks
const OWN = ['series-1', 'series-2'];                    // colours of the recordings
const decade = x => x <= FLOOR ? '0' : `1e${Math.round(x)}`;

export class Charts {
  constructor(parent, recordings, jump) {
    this.recordings = recordings;
    this.jump = jump;                                    // called with a time
    this.panels = (recordings[0].solids ? LIQUID : BODIES).map(chart => this.#panel(parent, chart));
    this.trace = this.#panel(parent, {title: 'convergence', logarithmic: true, tolerance: true});
    this.trace.box.hidden = recordings.every(({data}) => !data.traceIterations.length);
    this.shown = '';
    this.iterations = 1;                                 // the range of the convergence
    const observer = new ResizeObserver(() => this.#fit());
    for (const panel of [...this.panels, this.trace]) observer.observe(panel.area);
  }

  #panel(parent, chart) {
    const box = document.createElement('section');
    box.className = 'chart';
    box.innerHTML = '<header><h2></h2><output></output></header><div class="area"></div>';
    const [title, output, area] = ['h2', 'output', '.area'].map(part => box.querySelector(part));
    title.textContent = chart.unit ? `${chart.title} (${chart.unit})` : chart.title;
    parent.append(box);
    return {chart, box, title, output, area, plot: null};
  }

  // Charts are created again when the colours change.
  retheme(colours) {
    this.colours = colours;
    for (const panel of this.panels) this.#makeHistory(panel);
    this.#makeTrace();
    this.shown = '';
  }

  #options(panel, series, {axis, x, sync}) {
    const {chart, area} = panel, {colours} = this;
    const grid = {stroke: colours.line, width: 1}, ticks = {...grid, size: 3};
    const axisStyle = {stroke: colours.faint, font: '11px system-ui, sans-serif', grid, ticks};
    return {
      width: Math.max(area.clientWidth, 60), height: Math.max(area.clientHeight, 60),
      legend: {show: false}, padding: [6, 12, 0, 0],
      scales: {x: {time: false, ...x},
               y: {range: (u, low, high) => this.#range(chart, low, high)}},
      axes: [{...axisStyle, size: 22, gap: 2, values: (u, splits) => splits.map(axis),
              incrs: sync === 'trace' ? WHOLE : undefined},
             {...axisStyle, size: 46, gap: 3, space: 22,
              values: (u, splits) => splits.map(v => chart.logarithmic ? decade(v) : short(v)),
              incrs: chart.logarithmic ? [1, 2, 3, 4, 5, 10] : chart.whole ? WHOLE : undefined}],
      cursor: {y: false, drag: {x: false, y: false}, points: {size: 6}, sync: {key: sync}},
      series: [{}, ...series],
      hooks: {draw: [u => chart.tolerance && this.#drawTolerance(u)]},
    };
  }

  #range(chart, low, high) {
    if (!Number.isFinite(low)) return chart.logarithmic ? [-10, 0] : [0, 1];
    if (chart.logarithmic) return [Math.min(Math.floor(low), -9), Math.max(Math.ceil(high), -6)];
    const base = chart.free ? low : Math.min(low, 0);     // most begin at 0
    const room = 0.06*(high - base) || 0.1*Math.abs(high) || 1;
    return [chart.free ? base - room : base, high + room];
  }

  #drawTolerance(u) {
    const {ctx, bbox} = u, y = u.valToPos(Math.log10(this.recordings[0].tolerance), 'y', true);
    ctx.save();
    ctx.strokeStyle = this.colours.faint;
    ctx.setLineDash([4*devicePixelRatio, 4*devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  #curves(chart) {
    const [{flat}] = this.recordings;
    return chart.curves.filter(curve => (this.recordings.length < 2 || !curve.alone)
      && !(flat && curve.space));
  }

  #colour(curve, which) {
    return this.colours[this.recordings.length < 2 || curve.marks ? curve.colour : OWN[which]];
  }

  #line(curve, which) {
    const stroke = this.#colour(curve, which), two = this.recordings.length > 1;
    if (curve.marks)
      return {stroke, paths: () => null, points: {show: true, size: 5, fill: stroke, width: 0}};
    return {stroke, width: 1.5, dash: two && curve.dashed ? [5, 4] : undefined, spanGaps: two,
            points: {show: false}};
  }

  #makeHistory(panel) {
    const tables = this.recordings.map(({columns}) =>
      [Array.from(columns.time), ...this.#curves(panel.chart).map(curve => curve.of(columns))]);
    const series = this.recordings.flatMap((_, which) =>
      this.#curves(panel.chart).map(curve => this.#line(curve, which)));
    const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
    panel.plot?.destroy();
    const options = this.#options(panel, series, {axis: short, x: {}, sync: 'time'});
    panel.plot = new uPlot(options, data, panel.area);
    panel.now = document.createElement('div');
    panel.now.className = 'now';
    panel.plot.over.append(panel.now);
    panel.plot.over.addEventListener('click', ({clientX}) => {
      const {left} = panel.plot.over.getBoundingClientRect();
      this.jump(panel.plot.posToVal(clientX - left, 'x'));
    });
  }

  #makeTrace() {
    const series = this.recordings.map((_, which) => {
      const line = this.#line({colour: OWN[0]}, which);
      return {...line, spanGaps: true, points: {show: true, size: 4, fill: line.stroke}};
    });
    this.trace.plot?.destroy();
    const whole = () => [0, this.iterations];
    const options = this.#options(this.trace, series,
                                  {axis: short, x: {range: whole}, sync: 'trace'});
    this.trace.plot = new uPlot(options, [[], ...series.map(() => [])], this.trace.area);
  }

  #fit() {
    for (const panel of [...this.panels, this.trace]) {
      const [width, height] = [panel.area.clientWidth, panel.area.clientHeight];
      if (panel.plot && width > 0 && height > 0) panel.plot.setSize({width, height});
    }
    this.shown = '';
    this.show(this.time || 0);
  }

  // The marks and numbers of a time.
  show(time) {
    this.time = time;
    const rows = this.recordings.map(recording => recording.rowAt(time));
    for (const panel of this.panels) {
      if (!panel.plot) continue;
      panel.now.style.left = `${panel.plot.valToPos(time, 'x')}px`;
    }
    const key = rows.join();
    if (key === this.shown || !this.colours) return;
    this.shown = key;
    for (const panel of this.panels) this.#report(panel, rows);
    this.#showTrace(rows);
  }

  #report({chart, output}, rows) {
    const curves = this.#curves(chart).filter(curve => !curve.marks);
    output.replaceChildren(...this.recordings.flatMap((recording, which) => curves.map(curve => {
      const item = document.createElement('span');
      const value = rows[which] < 0 ? '' : valueOf(curve, chart, recording.columns, rows[which]);
      const name = curve.name instanceof Function ? curve.name(recording) : curve.name;
      item.textContent = name ? `${name} ${value}` : value;
      item.style.color = this.#colour(curve, which);
      return item;
    })));
  }

  #showTrace(rows) {
    const {plot, title, output} = this.trace;
    if (!plot) return;
    const traces = this.recordings.map((recording, i) => recording.convergence(rows[i]));
    const tables = traces.map(t => [t.iterations, t.residuals.map(log10)]);
    this.iterations = Math.max(1, ...traces.map(t => t.iterations.at(-1) ?? 0));
    plot.setData(tables.length > 1 ? uPlot.join(tables) : tables[0]);
    const steps = rows.map((row, i) => row < 0 ? '' : this.recordings[i].columns.step[row]);
    title.textContent = `convergence of step ${[...new Set(steps)].join(', ')}`;
    output.textContent = traces.every(t => !t.iterations.length) ? 'nothing to solve' : '';
  }
}

// One number of a column without building the whole curve.
function valueOf(curve, chart, columns, row) {
  const single = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, [column[row]]]));
  const [value] = curve.of(single);
  if (value === null) return '–';
  return chart.logarithmic ? (value <= FLOOR ? '0' : (10**value).toExponential(1)) : short(value);
}
