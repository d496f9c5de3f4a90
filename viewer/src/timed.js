// timed.js: what recordings of every kind share: a clock in frames and steps, the statistics of the
// steps, and which of them were not solved.
import {unfold} from './payload.js';

export class Timed {
  constructor(data) {
    const {meta} = data, {head} = meta;
    this.data = data;
    this.head = head;
    this.notice = meta.notice || '';
    this.frames = meta.frames;
    this.dt = head.dt;
    this.every = meta.every;
    this.rows = meta.rows;
    this.tolerance = head.tol || 1e-8;
    this.flat = head.dimension === 2;
    this.up = upOf(head.gravity, this.flat);
    this.duration = Math.max(this.frames - 1, 0)*this.dt*this.every;
    this.view = {...head.view, radius: head.view.radius || 1};
    this.#indexRows();
  }

  // What the ends of colours and the longest arrows mean. Recordings of one scene are there to be
  // compared, and share it.
  static compare(recordings, names) {
    for (const [name, least] of names) {
      const most = recordings.map(({head}) => Math.max(
        ...recordings.filter(other => other.head.scene === head.scene).map(other => other[name])));
      recordings.forEach((recording, i) => { recording[name] = most[i] || least; });
    }
  }

  #indexRows() {
    const {columns, traceCounts} = this.data;
    this.columns = columns;
    this.trace = new Uint32Array(this.rows + 1);
    this.unsolved = [];                                        // rows
    for (let r = 0; r < this.rows; r++) {
      this.trace[r + 1] = this.trace[r] + traceCounts[r];
      if (columns.unsolved[r] > 0) this.unsolved.push(r);
    }
  }

  timeOf(frame) { return frame*this.every*this.dt; }

  // The state at time t: a frame and how far on the way to the next one.
  at(t) {
    const last = Math.max(this.frames - 1, 0);
    const exact = Math.min(Math.max(t/(this.dt*this.every), 0), last);
    const frame = Math.min(Math.floor(exact + 1e-6), last);
    return {frame, blend: Math.max(exact - frame, 0)};
  }

  // The row of the step that led to the state at time t, -1 if there is none.
  rowAt(t) {
    const row = Math.floor(t/this.dt + 1e-6);
    return this.rows ? Math.min(Math.max(row, 0), this.rows - 1) : -1;
  }

  timeOfRow(row) { return this.columns.time[row]; }

  // Rows that were not solved on the way to the state at time t: of a frame those since the one
  // before, of a moment between two the last.
  unsolvedAt(t) {
    const row = this.rowAt(t), {blend} = this.at(t);
    const since = blend < 1e-3 ? row - this.every : row - 1;
    return this.unsolved.filter(r => r > since && r <= row);
  }

  // How the residual fell in the step of a row: {iterations, residuals}.
  convergence(row) {
    const {traceIterations, traceResiduals} = this.data, iterations = [], residuals = [];
    for (let i = row < 0 ? 0 : this.trace[row]; row >= 0 && i < this.trace[row + 1]; i++) {
      iterations.push(traceIterations[i]);
      residuals.push(10**Math.max(unfold(traceResiduals[i])/100, -17));   // 0 is stored as -99
    }
    return {iterations, residuals};
  }
}

function upOf(gravity, flat) {
  const size = gravity ? Math.hypot(...gravity) : 0;
  return size > 0 && !flat ? gravity.map(x => -x/size) : [0, 1, 0];
}
