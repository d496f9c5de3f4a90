// check.js: named checks, all of them run; the exit status says whether one failed.
import {spawnSync} from 'node:child_process';

let failures = 0, count = 0;

export async function check(name, body) {
  const start = Date.now();
  count++;
  try {
    await body();
    console.log(`ok ${count} - ${name} # ${((Date.now() - start)/1000).toFixed(1)} s`);
  } catch (error) {
    failures++;
    const why = (error.stack ?? String(error)).split('\n').slice(0, 4).join('\n  ');
    console.log(`not ok ${count} - ${name}\n  ${why}`);
  }
}

export function finish() {
  console.log(`1..${count}`);
  process.exitCode = failures || !count ? 1 : 0;
}

export function skip(reason) {
  console.log(`1..0 # SKIP ${reason}`);
  process.exit(77);
}

// perp view: the page's path, and what was said.
export function view(perp, recordings, page, ...options) {
  const words = ['view', ...recordings, '-o', page, ...options];
  const {status, stdout, stderr} = spawnSync(perp, words, {encoding: 'utf8'});
  if (status === 5) skip(stderr.trim());
  if (status) throw new Error(`perp view ${recordings.join(' ')}: exit ${status}: ${stderr}`);
  return {page, stdout, stderr};
}
