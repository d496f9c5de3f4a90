// keys.js: the table of keys and their actions. The help of the page shows it.
export const keys = player => [
  [' ', 'space', 'play or pause', () => player.clock.toggle()],
  ['ArrowRight', '→', 'one frame forward; ten with shift',
   ({shiftKey}) => player.clock.step(shiftKey ? 10 : 1)],
  ['ArrowLeft', '←', 'one frame back; ten with shift',
   ({shiftKey}) => player.clock.step(shiftKey ? -10 : -1)],
  ['Home', 'home', 'go to the start', () => player.clock.hold(0)],
  ['End', 'end', 'go to the end', () => player.clock.hold(player.clock.duration)],
  ['+', '+', 'faster', () => player.clock.faster(1)],
  ['-', '-', 'slower', () => player.clock.faster(-1)],
  ['c', 'c', `colours: ${player.modes.join(', ')}`, () => player.turn('mode')],
  ...(player.shows.length < 2 ? [] : [
    ['v', 'v', `view: ${player.shows.join(', ')}`, () => player.turn('show')]]),
  ...(player.shows.includes('slice') ? [
    ['x', 'x', 'cut the slice across x, y or z', () => player.cutAt((player.cut.axis + 1) % 3)],
    ['[', '[', 'move the slice one layer back', () => player.moveCut(-1)],
    [']', ']', 'move the slice one layer forward', () => player.moveCut(1)]] : []),
  ['f', 'f', player.kind.marksText, () => player.toggleMarks()],
  ['n', 'n', 'go to the next step that was not solved', () => player.nextUnsolved()],
  ['r', 'r', 'reset the view', () => player.camera.reset()],
  ['?', '?', 'show this help', () => player.help()],
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
