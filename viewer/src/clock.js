// clock.js: the time that all views show; it runs, stops and jumps.
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Clock {
  constructor(duration, tick, changed) {
    this.duration = duration;     // seconds of the simulation
    this.tick = tick;             // between two frames
    this.changed = changed;
    this.time = 0;
    this.speed = 1;
    this.running = false;
    this.last = null;
  }

  // From the frame loop, with its time stamp in milliseconds.
  advance(stamp) {
    if (this.running && this.last !== null) {
      const passed = Math.min(stamp - this.last, 100)/1000;      // a browser may pause for long
      this.time = Math.min(this.time + this.speed*passed, this.duration);
      if (this.time >= this.duration) this.running = false;
      this.changed();
    }
    this.last = this.running ? stamp : null;
  }

  toggle() {
    this.running = !this.running;
    if (this.running && this.time >= this.duration - 1e-9) this.time = 0;
    this.last = null;
    this.changed();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.changed();
  }

  // Jumps stop the clock: one wants to look.
  hold(time) {
    this.running = false;
    this.seek(time);
  }

  step(frames) { this.hold((Math.round(this.time/this.tick) + frames)*this.tick); }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
    this.changed();
  }
}
