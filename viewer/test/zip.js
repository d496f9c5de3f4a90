// zip.js: zlib streams, CRC-32 (which node 18 keeps to itself), and PNG files in plain RGB.
import {deflateSync, inflateSync} from 'node:zlib';

const table = Uint32Array.from({length: 256}, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
  return n;
});

export function crc32Of(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ crc >>> 8;
  return (crc ^ 0xffffffff) >>> 0;
}

export const deflate = bytes => deflateSync(bytes, {level: 9});

// A picture is {width, height, rgb}.
export function readPng(file) {
  let at = 8, head = null;
  const stored = [];
  while (at < file.length) {
    const length = file.readUInt32BE(at), type = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') head = data;
    if (type === 'IDAT') stored.push(data);
    at += 12 + length;
  }
  const width = head.readUInt32BE(0), height = head.readUInt32BE(4), depth = head[8];
  const size = {2: 3, 6: 4}[head[9]];               // bytes of a pixel: RGB, RGBA
  if (depth !== 8 || !size) throw new Error(`a PNG of kind ${head[9]}, ${depth} bits`);
  const rows = unfilter(inflateSync(Buffer.concat(stored)), width*size, height, size);
  const rgb = Buffer.alloc(3*width*height);
  for (let i = 0; i < width*height; i++) rows.copy(rgb, 3*i, size*i, size*i + 3);
  return {width, height, rgb};
}

function unfilter(bytes, stride, height, size) {
  const out = Buffer.alloc(stride*height);
  for (let y = 0; y < height; y++) {
    const filter = bytes[y*(stride + 1)], from = y*(stride + 1) + 1, to = y*stride;
    for (let x = 0; x < stride; x++) {
      const left = x >= size ? out[to + x - size] : 0, up = y ? out[to + x - stride] : 0;
      const corner = x >= size && y ? out[to + x - stride - size] : 0;
      const guess = [0, left, up, left + up >> 1, paeth(left, up, corner)][filter];
      out[to + x] = bytes[from + x] + guess;
    }
  }
  return out;
}

function paeth(a, b, c) {
  const p = a + b - c, [pa, pb, pc] = [a, b, c].map(x => Math.abs(p - x));
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

export function writePng({width, height, rgb}) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32Of(body), 4 + body.length);
    return out;
  };
  const head = Buffer.alloc(13), rows = Buffer.alloc((3*width + 1)*height);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  head[9] = 2;
  for (let y = 0; y < height; y++) rgb.copy(rows, y*(3*width + 1) + 1, 3*y*width, 3*(y + 1)*width);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head),
                        chunk('IDAT', deflate(rows)), chunk('IEND', Buffer.alloc(0))]);
}

// The mean of blocks of `by` x `by` pixels.
export function shrink({width, height, rgb}, by) {
  const w = Math.floor(width/by), h = Math.floor(height/by), out = Buffer.alloc(3*w*h);
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) for (let c = 0; c < 3; c++) {
    let sum = 0;
    for (let j = 0; j < by; j++)
      for (let i = 0; i < by; i++) sum += rgb[3*((y*by + j)*width + x*by + i) + c];
    out[3*(y*w + x) + c] = Math.round(sum/by/by);
  }
  return {width: w, height: h, rgb: out};
}
