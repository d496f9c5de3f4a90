// surface.js: where the liquid of a frame in the plane is: a field on nodes that is positive inside.
//
// After Zhu and Bridson, "Animating sand as a fluid" (2005): at a node x the particles within R have
// the weights w = (1 - r^2/R^2)^3 and the mean place c; the field is radius - |x - c|. This makes
// the edge of the liquid smooth for any arrangement of particles, and a single particle a drop. If
// particles inside are far apart, cells with liquid all around close the holes, where the types of
// cells are known.
import {AIR, LIQUID} from './fluid.js';

const REACH = 2.4, RADIUS = 0.95, FULL = 0.4;    // in distances between particles
export const UNIT = 48;                         // of the field in bytes: 128 + UNIT field
const SIDE = 640;                               // nodes along the longer side, at most

export class Surface {
  constructor({nx, ny, gap}) {
    Object.assign(this, {nx, ny});
    this.per = Math.max(Math.min(2, Math.floor(SIDE/Math.max(nx, ny))), 0.25);   // nodes a cell
    this.width = Math.round(this.per*nx) + 1;   // nodes; the first is at the corner of the grid
    this.height = Math.round(this.per*ny) + 1;
    this.gap = Math.max(this.per*gap, 0.7);     // in nodes
    const nodes = this.width*this.height;
    [this.sum, this.mean, this.x, this.y, this.field] =
      Array.from({length: 5}, () => new Float32Array(nodes));
    this.texture = new Uint8Array(4*nodes);     // the field, the byte of the colour
  }

  // Of a frame, with the bytes that the colours come from.
  update({count, x: [xs, ys], type}, bytes) {
    const {sum, mean, width, height, per, field} = this, reach = REACH*this.gap;
    for (const array of [sum, mean, this.x, this.y]) array.fill(0);
    const {x: ax, y: ay} = this, shrink = 1/(reach*reach);
    for (let p = 0; p < count; p++) {
      const x = per*xs[p], y = per*ys[p], byte = bytes[p];
      const left = Math.max(Math.ceil(x - reach), 0), right = Math.min(x + reach, width - 1);
      const low = Math.max(Math.ceil(y - reach), 0), high = Math.min(y + reach, height - 1);
      for (let j = low; j <= high; j++) {
        const dy = j - y;
        for (let i = left, k = j*width + left; i <= right; i++, k++) {
          const dx = i - x, q = 1 - shrink*(dx*dx + dy*dy);
          if (q <= 0) continue;
          const w = q*q*q;
          sum[k] += w;
          mean[k] += w*byte;
          ax[k] += w*dx;
          ay[k] += w*dy;
        }
      }
    }
    for (let k = 0; k < sum.length; k++) {
      const away = sum[k] > 0 ? Math.sqrt(ax[k]*ax[k] + ay[k]*ay[k])/sum[k]/this.gap : REACH;
      field[k] = Math.max(RADIUS - away, type && this.#full(k, type) ? FULL : -REACH);
      this.texture[4*k] = Math.max(128 + UNIT*field[k], 0);
      this.texture[4*k + 1] = this.#byte(k);
    }
  }

  // Whether a node is in a cell around which no air is.
  #full(k, type) {
    const {nx, ny} = this, i = Math.floor(k % this.width/this.per);
    const j = Math.floor(Math.floor(k/this.width)/this.per);
    if (i >= nx || j >= ny || type[j*nx + i] !== LIQUID) return false;
    for (let b = Math.max(j - 1, 0); b <= j + 1 && b < ny; b++)
      for (let a = Math.max(i - 1, 0); a <= i + 1 && a < nx; a++)
        if (type[b*nx + a] === AIR) return false;
    return true;
  }

  // The byte of a node; of one that no particle reaches that of a neighbour, as colours between
  // nodes are mixed.
  #byte(k) {
    const {sum, mean, width} = this;
    if (sum[k] > 0) return mean[k]/sum[k];
    for (const side of [1, -1, width, -width, width + 1, width - 1, 1 - width, -1 - width])
      if (sum[k + side] > 0) return mean[k + side]/sum[k + side];
    return 0;
  }

  // Polygons that fill it, by marching squares; point(x, y) gets nodes, start() begins a polygon.
  // Squares that are full are joined along their row.
  outline(start, point) {
    const {field, width, height} = this;
    for (let j = 0; j + 1 < height; j++) {
      let run = -1;
      for (let i = 0; i < width; i++) {
        const k = j*width + i, last = i + 1 === width;
        const corners = last ? [] : [field[k], field[k + 1], field[k + width + 1], field[k + width]];
        const inside = corners.filter(f => f >= 0).length;
        if (inside === 4) {
          if (run < 0) run = i;
          continue;
        }
        if (run >= 0) {
          start();
          for (const [x, y] of [[run, j], [i, j], [i, j + 1], [run, j + 1]]) point(x, y);
          run = -1;
        }
        if (inside) square(i, j, corners, start, point);
      }
    }
  }
}

// Around a square, corner by corner: those inside, and where the field is 0.
function square(i, j, corners, start, point) {
  start();
  corners.forEach((f, c) => {
    const next = (c + 1) % 4, g = corners[next];
    const x = i + (c === 1 || c === 2), y = j + (c > 1);
    if (f >= 0) point(x, y);
    if (f >= 0 === g >= 0) return;
    const part = f/(f - g);
    point(x + part*(i + (next === 1 || next === 2) - x), y + part*(j + (next > 1) - y));
  });
}
