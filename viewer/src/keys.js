// keys.js: what the keyboard does; the help of the page is this table.
export const keys = player => [
  [' ', 'space', 'play or pause', () => player.clock.toggle()],
  ['ArrowRight', '→', 'a frame on; with shift ten',
   ({shiftKey}) => player.clock.step(shiftKey ? 10 : 1)],
  ['ArrowLeft', '←', 'a frame back; with shift ten',
   ({shiftKey}) => player.clock.step(shiftKey ? -10 : -1)],
  ['Home', 'home', 'to the start', () => player.clock.hold(0)],
  ['End', 'end', 'to the end', () => player.clock.hold(player.clock.duration)],
  ['+', '+', 'faster', () => player.clock.faster(1)],
  ['-', '-', 'slower', () => player.clock.faster(-1)],
  ['c', 'c', `colours: ${player.modes.join(', ')}`, () => player.turn('mode')],
  ...(player.shows.length < 2 ? [] : [
    ['v', 'v', `view: ${player.shows.join(', ')}`, () => player.turn('show')]]),
  ...(player.shows.includes('slice') ? [
    ['x', 'x', 'the slice across x, y or z', () => player.cutAt((player.cut.axis + 1) % 3)],
    ['[', '[', 'the slice a layer back', () => player.moveCut(-1)],
    [']', ']', 'the slice a layer on', () => player.moveCut(1)]] : []),
  ['f', 'f', player.kind.marksText, () => player.toggleMarks()],
  ['n', 'n', 'the next step that was not solved', () => player.nextUnsolved()],
  ['r', 'r', 'the first view again', () => player.camera.reset()],
  ['?', '?', 'this help', () => player.help()],
];

export function listen(player) {
  const table = new Map(keys(player).map(([key, , , act]) => [key, act]));
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const help = document.querySelector('dialog[open]');
    if (help) { if (event.key === '?') help.close(); return; }
    const {tagName} = event.target;
    if (tagName === 'SELECT') return;
    if (event.target.type === 'range' && /^Arrow|^Home|^End|^Page/.test(event.key)) return;
    if (['BUTTON', 'INPUT'].includes(tagName) && [' ', 'Enter'].includes(event.key)) return;
    const act = table.get(event.key) || table.get(event.key.toLowerCase());
    if (!act) return;
    event.preventDefault();
    act(event);
  });
  addEventListener('click', ({target}) => {        // by the mouse: space plays again
    const button = target.closest('button');
    if (button && !button.matches(':focus-visible')) button.blur();
  });
}
