// text.js: numbers for people, and elements with words in them.

// At most four digits: 0.0123, 12.3, 12300, 1.2e+7
export function short(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) return x.toExponential(1).replace('.0e', 'e');
  return String(Number(x.toPrecision(size >= 1000 ? Math.ceil(Math.log10(size + 1)) : 3)));
}

export const seconds = (t, whole) => `${t.toFixed(whole >= 100 ? 1 : 2)} s`;

export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export function element(name, kind = '', text = '') {
  const node = document.createElement(name);
  if (kind) node.className = kind;
  if (text) node.textContent = text;
  return node;
}
