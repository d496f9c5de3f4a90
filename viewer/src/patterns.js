// patterns.js: small pictures on the bodies, so that one can see them turn.
function canvas(width, height, draw) {
  const picture = document.createElement('canvas');
  picture.width = width;
  picture.height = height;
  draw(picture.getContext('2d'), width, height);
  return picture;
}

const fill = (pen, colour, x, y, w, h) => { pen.fillStyle = colour; pen.fillRect(x, y, w, h); };

// A sphere: two sectors of four are darker, and there are caps at the poles.
export const ball = () => canvas(256, 128, (pen, w, h) => {
  fill(pen, '#fff', 0, 0, w, h);
  fill(pen, '#cdcdcd', 0, 0, w/4, h);
  fill(pen, '#cdcdcd', w/2, 0, w/4, h);
  fill(pen, '#fff', 0, 0, w, 0.1*h);
  fill(pen, '#cdcdcd', 0, 0.9*h, w, 0.1*h);
});

// A disc: a rim and a spoke.
export const disc = () => canvas(256, 256, (pen, w) => {
  const r = w/2;
  fill(pen, '#fff', 0, 0, w, w);
  pen.strokeStyle = '#00000066';
  pen.lineWidth = 0.12*r;
  pen.beginPath();
  pen.arc(r, r, 0.95*r, 0, 7);
  pen.stroke();
  pen.fillStyle = '#00000026';
  pen.beginPath();
  pen.moveTo(r, r);
  pen.arc(r, r, 0.9*r, 0, Math.PI/2);
  pen.fill();
  pen.beginPath();
  pen.moveTo(r, r);
  pen.arc(r, r, 0.9*r, Math.PI, 1.5*Math.PI);
  pen.fill();
});

// The side of a box: lighter edges.
export const side = () => canvas(128, 128, (pen, w) => {
  fill(pen, '#9c9c9c', 0, 0, w, w);
  fill(pen, '#f4f4f4', 3, 3, w - 6, w - 6);
});

// A floor with lines.
export const floor = () => canvas(128, 128, (pen, w) => {
  fill(pen, '#fff', 0, 0, w, w);
  fill(pen, '#dadada', 0, 0, w, 2);
  fill(pen, '#dadada', 0, 0, 2, w);
});

// Solid in the middle, nothing at the rim.
export const fade = () => canvas(256, 256, (pen, w) => {
  const glow = pen.createRadialGradient(w/2, w/2, 0.12*w, w/2, w/2, w/2);
  glow.addColorStop(0, '#fff');
  glow.addColorStop(1, '#000');
  fill(pen, glow, 0, 0, w, w);
});
