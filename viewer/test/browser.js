// browser.js: Chromium driven over the DevTools protocol, through a pipe: no packages, no port.
//
// Messages are JSON, ended by a NUL: ours go into the browser's descriptor 3, its own come out of
// 4.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

// Nothing in the background, no updates, no sandbox (tests run as root in containers, too), and the
// software renderer, whose pictures are the same everywhere.
const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--mute-audio',
  '--no-first-run', '--no-default-browser-check', '--disable-background-networking',
  '--disable-sync', '--disable-component-update', '--disable-default-apps',
  '--disable-extensions', '--disable-domain-reliability',
  '--disable-features=Translate,OptimizationHints,MediaRouter', '--force-color-profile=srgb',
  '--font-render-hinting=none', '--remote-debugging-pipe'];
const WITH_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const WITHOUT_WEBGL = ['--disable-gpu', '--disable-3d-apis'];
const PATIENCE = 120000;     // ms, for an answer

export class Browser {
  static async open({program = process.env.PERP_CHROMIUM || 'chromium', webgl = true} = {}) {
    const profile = mkdtempSync(join(tmpdir(), 'perp-player-'));
    const flags = [...FLAGS, ...(webgl ? WITH_WEBGL : WITHOUT_WEBGL), `--user-data-dir=${profile}`];
    const child = spawn(program, [...flags, 'about:blank'],
                        {stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe']});
    const browser = new Browser(child, profile);
    browser.version = (await browser.send('Browser.getVersion')).product;
    return browser;
  }

  constructor(child, profile) {
    Object.assign(this, {child, profile, next: 1, waiting: new Map(), listeners: new Set()});
    this.words = '';                  // the last that it said
    let rest = '';
    child.stdio[4].setEncoding('utf8');
    child.stdio[4].on('data', text => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.#receive(JSON.parse(message));
    });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', text => { this.words = (this.words + text).slice(-4000); });
    child.stdio[3].on('error', () => {});
    child.on('error', error => this.#fail(error));
    child.on('exit', code =>
      this.#fail(new Error(`the browser ended with ${code}: ${this.words}`)));
  }

  #fail(error) {
    this.dead = error;
    for (const {reject} of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  #receive(message) {
    const call = this.waiting.get(message.id);
    if (!call) { for (const listener of this.listeners) listener(message); return; }
    this.waiting.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
    else call.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    if (this.dead) return Promise.reject(this.dead);
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`${method}: no answer in ${PATIENCE/1000} s; ${this.words}`));
      }, PATIENCE);
      this.waiting.set(id, {method, resolve, reject, timer});
      this.child.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    });
  }

  async page() {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    return page;
  }

  async close() {
    const ended = new Promise(resolve => { this.child.once('exit', resolve); });
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    this.send('Browser.close').catch(() => {});
    if (this.child.exitCode === null) await ended;
    clearTimeout(timer);
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}

// A tab, with everything it said and asked of the network.
class Page {
  constructor(browser, session, target) {
    Object.assign(this, {browser, session, target, complaints: [], requests: []});
    browser.listeners.add(({sessionId, method, params}) => {
      if (sessionId !== session) return;
      const serious = ['error', 'warning', 'assert'];
      if (method === 'Runtime.consoleAPICalled' && serious.includes(params.type))
        this.complaints.push(params.args.map(a => a.value ?? a.description).join(' '));
      if (method === 'Runtime.exceptionThrown')
        this.complaints.push(reason(params.exceptionDetails));
      if (method === 'Log.entryAdded' && serious.includes(params.entry.level))
        this.complaints.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    });
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  async size(width, height, {ratio = 1, mobile = false, dark = false} = {}) {
    await this.send('Emulation.setDeviceMetricsOverride',
                    {width, height, deviceScaleFactor: ratio, mobile});
    await this.send('Emulation.setTouchEmulationEnabled', {enabled: mobile});
    await this.send('Emulation.setEmulatedMedia',
                    {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
  }

  async go(url) {
    const [address, hash = ''] = url.split('#');
    if (address === this.address && !hash.includes('nowebgl')) {   // it is there: another moment
      await this.run(`location.hash = ${JSON.stringify(hash)}`);
      await this.settle();
      return;
    }
    this.address = hash.includes('nowebgl') ? '' : address;
    await this.send('Page.navigate', {url: 'about:blank'});        // a new hash alone loads nothing
    await this.send('Page.navigate', {url});
    await this.until('document.querySelector("[data-ready], [data-failed]")');
    await this.settle();
  }

  async run(expression) {
    const {result, exceptionDetails} = await this.send(
      'Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(`${expression}: ${reason(exceptionDetails)}`);
    return result.value;
  }

  async until(expression, limit = 90000) {
    for (const end = Date.now() + limit; Date.now() < end;) {
      if (await this.run(`Boolean(${expression})`).catch(() => false)) return;
      await new Promise(resolve => { setTimeout(resolve, 20); });
    }
    throw new Error(`it did not come true in ${limit/1000} s: ${expression}`);
  }

  // Until what was changed has been drawn: the player asks for a frame at once, we ask after it.
  settle() {
    return this.run('new Promise(done => setTimeout(() => requestAnimationFrame(done)))');
  }

  async key(key, {shift = false} = {}) {
    const text = key.length === 1 ? key : undefined, modifiers = shift ? 8 : 0;
    const code = {' ': 'Space'}[key] ?? (/^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key);
    const event = {key, code, modifiers, windowsVirtualKeyCode: {Escape: 27}[key]};
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', text, ...event});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...event});
    await this.settle();
  }

  async mouse(type, x, y, more = {}) {
    const buttons = type === 'mouseReleased' ? 0 : 1;
    await this.send('Input.dispatchMouseEvent',
                    {type, x, y, button: 'left', buttons, clickCount: 1, ...more});
  }

  async click(x, y) {
    await this.mouse('mouseMoved', x, y, {buttons: 0, button: 'none'});
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
    await this.settle();
  }

  async screenshot() {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(data, 'base64');
  }
}

const reason = details => details.exception?.description ?? details.text;
