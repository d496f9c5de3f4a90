// lean.js: normals of a liquid's surface at its particles, for shading. The normal points against
// the gradient of the particle density; each particle counts in the eight cells whose centres are
// around it.
const CELLS = 2e6;               // in larger grids what is inside counts as nothing, as it is stored

export function lean({nx, ny, nz, gap}, {count, x: [xs, ys, zs]}, out) {
  const n = [nx + 2, ny + 2, nz + 2], step = [1, n[0], n[0]*n[1]];
  const sum = new Float32Array(n[0]*n[1]*n[2]);
  if (sum.length <= CELLS) fillInside({nx, ny, nz}, {count, x: [xs, ys, zs]}, gap**-3, sum, step);
  const part = [0, 0, 0], find = p => {
    let k = 0;
    for (let c = 0; c < 3; c++) {
      const at = (c === 0 ? xs : c === 1 ? ys : zs)[p] + 0.5, low = Math.floor(at);
      part[c] = at - low;
      k += low*step[c];
    }
    return k;
  };
  const share = (c, side) => side ? part[c] : 1 - part[c];
  for (let p = 0; p < count; p++) {
    const k = find(p);
    for (let corner = 0; corner < 8; corner++) {
      const i = corner & 1, j = corner >> 1 & 1, l = corner >> 2;
      sum[k + i + j*step[1] + l*step[2]] += share(0, i)*share(1, j)*share(2, l);
    }
  }
  for (let p = 0; p < count; p++) {
    const k = find(p);
    let a = 0, b = 0, c = 0;
    for (let corner = 0; corner < 8; corner++) {
      const i = corner & 1, j = corner >> 1 & 1, l = corner >> 2;
      const value = sum[k + i + j*step[1] + l*step[2]];
      a += (i ? -value : value)*share(1, j)*share(2, l);
      b += (j ? -value : value)*share(0, i)*share(2, l);
      c += (l ? -value : value)*share(0, i)*share(1, j);
    }
    const size = Math.hypot(a, b, c) || 1;
    out[4*p] = 127*a/size;
    out[4*p + 1] = 127*b/size;
    out[4*p + 2] = 127*c/size;
  }
}

// The page has no particles of what cannot be seen. Cells without any that cannot be reached from
// the sides of the grid are full of liquid.
function fillInside({nx, ny, nz}, {count, x: [xs, ys, zs]}, full, sum, step) {
  const seen = new Uint8Array(sum.length), stack = [];     // 1: particles, or air
  const number = (i, j, k) => (i + 1) + (j + 1)*step[1] + (k + 1)*step[2];
  for (let p = 0; p < count; p++)
    seen[number(Math.floor(xs[p]), Math.floor(ys[p]), Math.floor(zs[p]))] = 1;
  for (let k = -1; k <= nz; k++) for (let j = -1; j <= ny; j++) for (let i = -1; i <= nx; i++) {
    const side = i < 0 || j < 0 || k < 0 || i === nx || j === ny || k === nz;
    if (!side) continue;
    seen[number(i, j, k)] = 1;
    stack.push(number(i, j, k));
  }
  while (stack.length) {
    const at = stack.pop();
    for (const by of step) for (const next of [at + by, at - by]) {
      if (next < 0 || next >= seen.length || seen[next]) continue;
      seen[next] = 1;
      stack.push(next);
    }
  }
  for (let at = 0; at < seen.length; at++) if (!seen[at]) sum[at] = full;
}
