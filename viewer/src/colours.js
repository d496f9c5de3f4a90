// colours.js: what colour a body has, and the colours of the page as numbers.
// Colours of groups: distinct for the colour-blind, and readable on light and dark.
const GROUPS = ['#3d7bd9', '#ef8b2c', '#2fa37c', '#c65f9f', '#e3b92f', '#7a6fd0', '#59b4d9',
                '#b5654a', '#8fae3d', '#8592a6'];

// From rest to the top: cool to warm, lightness growing, then falling where it glows.
const RAMP = ['#4a5fc1', '#3f8fc9', '#41b3a6', '#8ccb72', '#e5d24f', '#f29b38', '#d8432f'];

export function rgb(hex) {
  const number = parseInt(hex.slice(1), 16);
  return [number >> 16 & 255, number >> 8 & 255, number & 255].map(x => x/255);
}

const groupColours = GROUPS.map(rgb), rampColours = RAMP.map(rgb);

export const groupColour = group => groupColours[group % groupColours.length];
export const groupHex = group => GROUPS[group % GROUPS.length];
export const rampGradient = `linear-gradient(90deg, ${RAMP.join(', ')})`;

// part in [0, 1]
export function rampColour(part, out = [0, 0, 0]) {
  const x = Math.min(Math.max(part, 0), 1)*(RAMP.length - 1);
  const i = Math.min(Math.floor(x), RAMP.length - 2);
  const from = rampColours[i], to = rampColours[i + 1];
  for (let k = 0; k < 3; k++) out[k] = from[k] + (x - i)*(to[k] - from[k]);
  return out;
}

// The colours of the moving bodies of a recording, and what the ramp's ends mean.
export class Paint {
  constructor(recording) {
    this.recording = recording;
    this.rgb = new Float32Array(3*recording.moving.length);
    this.impulses = new Float32Array(recording.moving.length);
    this.groups = [...new Set(recording.moving.map(body => body.group))].sort((a, b) => a - b);
    this.done = '';
  }

  // One group alone would be one colour: then the colours tell bodies apart.
  get apart() { return this.groups.length < 2; }

  top(mode) {
    return mode === 'speed' ? this.recording.fastest : 2*this.recording.typicalImpulse;
  }

  update(mode, frame) {
    const {recording} = this, key = mode === 'group' ? mode : `${mode} ${frame}`;
    if (key === this.done) return this.rgb;
    this.done = key;
    const top = this.top(mode) || 1, colour = [0, 0, 0];
    if (mode === 'impulse') recording.impulses(frame, this.impulses);
    recording.moving.forEach((body, k) => {
      if (mode === 'group') {
        this.rgb.set(shade(groupColour(this.apart ? k : body.group), k), 3*k);
      } else {
        const value = mode === 'speed' ? recording.speed(k, frame) : this.impulses[k];
        this.rgb.set(rampColour(Math.sqrt(value/top), colour), 3*k);   // what is slow differs, too
      }
    });
    return this.rgb;
  }
}

// Neighbours of one group differ a little in lightness, so that edges can be seen.
function shade(colour, k) {
  const light = 0.88 + 0.24*((k*0.618034) % 1);
  return colour.map(x => Math.min(x*light, 1));
}

// The colours of style.css, for what is drawn on canvases.
export function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  const names = ['page', 'sky', 'ground', 'line', 'faint', 'shell', 'solid', 'accent', 'bad',
                 'force', 'separating', 'series-1', 'series-2', 'series-3'];
  return Object.fromEntries(names.map(name => [name, colour(name)]));
}
