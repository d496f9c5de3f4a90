// shot.js: a screenshot of the player.
//
//   node shot.js FILE.html[#HASH] OUT.png [WIDTHxHEIGHT] [dark] [phone] [nogpu]
import {writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser} from './browser.js';

const [what, out, ...words] = process.argv.slice(2);
if (!out) {
  console.error('usage: shot.js FILE.html[#HASH] OUT.png [WIDTHxHEIGHT] [dark] [phone] [nogpu]');
  process.exit(2);
}
const [file, hash = ''] = what.split('#');
const size = words.find(word => /^\d+x\d+$/.test(word)) ?? '1280x720';
const [width, height] = size.split('x').map(Number), phone = words.includes('phone');
const browser = await Browser.open({webgl: !words.includes('nogpu')});
try {
  const page = await browser.page(), dark = words.includes('dark');
  await page.size(width, height, {mobile: phone, ratio: phone ? 2 : 1, dark});
  await page.go(`${pathToFileURL(resolve(file))}#${hash}`);
  writeFileSync(out, await page.screenshot());
  for (const line of page.complaints) console.error(line);
} finally {
  await browser.close();
}
