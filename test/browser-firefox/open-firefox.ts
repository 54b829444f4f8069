import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'undici';

/** A window of Firefox, driven over WebDriver BiDi, which any Firefox speaks. */
export interface FirefoxWindow {
  /** What the console said at level error, and exceptions. */
  readonly errors: string[];
  goTo(url: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** The value of an expression on the page, through JSON; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** A PNG, as Base64. */
  screenshot(): Promise<string>;
  close(): Promise<void>;
}

const preferences = {
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.server': '',
};

/** Starts Firefox; `preload` runs on each page before its own scripts. */
export async function openFirefox(
  program: string,
  preload: string,
  colorScheme: 'light' | 'dark',
): Promise<FirefoxWindow> {
  const profile = await mkdtemp(join(tmpdir(), 'handrail-firefox-'));
  const lines = Object.entries({
    ...preferences,
    'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
  }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const browser = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const hasExited = new Promise<void>((resolve) => browser.on('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    browser.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    browser.on('exit', () => reject(new Error(`Firefox ended before it listened: ${said.slice(0, 500)}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const errors: string[] = [];
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by code that knows their shape
  type Result = any;
  const waiting = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.method === 'log.entryAdded' && message.params.level === 'error')
      errors.push(String(message.params.text));
    const asked = waiting.get(message.id);
    if (asked === undefined) return;
    waiting.delete(message.id);
    if (message.type === 'error') asked.reject(new Error(`${message.error}: ${message.message}`));
    else asked.resolve(message.result);
  });
  let lastId = 0;
  const send = (method: string, params: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  await send('script.addPreloadScript', { functionDeclaration: `() => { ${preload} }` });
  const { context } = await send('browsingContext.create', { type: 'tab' });
  return {
    errors,
    goTo: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    resize: async (width, height) => {
      await send('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    evaluate: async (expression) => {
      const { type, result, exceptionDetails } = await send('script.evaluate', {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
        target: { context },
        awaitPromise: true,
      });
      if (type === 'exception') throw new Error(exceptionDetails.text);
      return JSON.parse(result.value);
    },
    screenshot: async () => (await send('browsingContext.captureScreenshot', { context })).data,
    close: async () => {
      await send('browser.close', {});
      await hasExited;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
