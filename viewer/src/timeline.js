// timeline.js: the scrub bar: a track per recording, with red marks where a step was not solved.
export class Timeline {
  constructor(canvas, recordings, clock) {
    Object.assign(this, {canvas, recordings, clock});
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.#seek(event);
    });
    canvas.addEventListener('pointermove', event => { if (this.dragged) this.#seek(event); });
    for (const end of ['pointerup', 'pointercancel'])
      canvas.addEventListener(end, () => { this.dragged = false; });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  retheme(colours) { this.colours = colours; this.draw(); }

  #seek(event) {
    const {left, width} = this.canvas.getBoundingClientRect();
    const part = (event.clientX - left - PAD)/Math.max(width - 2*PAD, 1);
    const {tick, duration} = this.clock;
    this.clock.hold(Math.round(Math.min(Math.max(part, 0), 1)*duration/tick)*tick);
  }

  draw() {
    const {canvas, recordings, clock, colours} = this;
    if (!colours || !canvas.clientWidth) return;
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width*ratio);
    canvas.height = Math.round(height*ratio);
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    const long = width - 2*PAD, lane = 6, gap = 5, all = recordings.length*(lane + gap) - gap;
    const x = t => PAD + long*(clock.duration ? Math.min(t/clock.duration, 1) : 0);
    recordings.forEach((recording, i) => {
      const y = (height - all)/2 + i*(lane + gap), end = x(recording.duration);
      pen.fillStyle = colours.line;
      pen.beginPath();
      pen.roundRect(PAD, y, Math.max(end - PAD, 1), lane, lane/2);
      pen.fill();
      pen.fillStyle = colours.accent;
      pen.beginPath();
      pen.roundRect(PAD, y, Math.max(Math.min(x(clock.time), end) - PAD, 1), lane, lane/2);
      pen.fill();
      pen.fillStyle = colours.bad;
      for (const row of recording.unsolved)
        pen.fillRect(x(recording.timeOfRow(row)) - 1, y - 4, 2, lane + 8);
    });
    pen.fillStyle = colours.page;
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(x(clock.time), height/2, 7, 0, 7);
    pen.fill();
    pen.stroke();
    const now = clock.time.toFixed(2), last = clock.duration.toFixed(2);
    canvas.setAttribute('aria-valuemax', last);
    canvas.setAttribute('aria-valuenow', now);
    canvas.setAttribute('aria-valuetext', `${now} of ${last} seconds`);
  }
}

const PAD = 9;                 // room for the handle at both ends
