import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHandrail, spawnHandrail } from '../../support/command.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

const password = 'five brave wooden ladders';

let at: RunningGateway;
let config: string;
let session: Record<string, string>;
let personId: string;
beforeAll(async () => {
  at = await startGateway({ refusalsPerMinute: 100_000, refusalsPerMinuteInTotal: 100_000 });
  config = await mkdtemp(join(tmpdir(), 'handrail-logins-'));
  const setup = (await at.gateway.signIn.makeSetupToken())!;
  const from = { address: '127.0.0.1', userAgent: '' };
  const { token, principal } = await at.gateway.signIn.setUp(setup, 'Ada', password, from);
  session = { cookie: `handrail=${token}`, 'x-handrail-csrf': principal.csrf };
  personId = principal.id;
});
afterAll(async () => {
  await at.stop();
  await rm(config, { recursive: true, force: true });
});

async function ask(path: string, body: object, headers: Record<string, string> = session) {
  const answer = await fetch(`${at.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
  const read: any = text === '' ? null : JSON.parse(text);
  return { status: answer.status, body: read };
}

const env = () => ({ XDG_CONFIG_HOME: config, HOME: config, PATH: '/nowhere' });
const run = (...args: string[]) => runHandrail(args, env());
const file = () => join(config, 'handrail', 'logins.json');

/** Runs `handrail login`, agrees to what it prints as `agree` does, and waits for it. */
async function login(args: readonly string[], agree: (printed: string) => Promise<void>) {
  const child = spawnHandrail(['login', at.url, ...args], env());
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const printed = new Promise<string>((resolve) =>
    child.stderr!.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes('\n')) resolve(stderr);
    }),
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await agree(await printed);
  return { code: await ended, stdout, stderr };
}

const codeIn = (printed: string) => /[A-Z]{4}-[A-Z]{4}/.exec(printed)![0];

async function byBrowser(printed: string) {
  const code = codeIn(printed);
  expect(printed).toContain(`/admin/login#${code}`);
  const shown = await ask('/login/show', { code });
  expect(shown.body).toMatchObject({ address: '127.0.0.1', returnsHere: true });
  const { body } = await ask('/login/approve', { code });
  expect(body.returnTo).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?code=/);
  expect((await fetch(body.returnTo)).status).toBe(200);
}

test('signs in through the browser, and commands with --url act as that person until logout', async () => {
  const before = await run('people', '--url', at.url);
  expect(before.stderr).toContain(`handrail login ${at.url}`);
  const done = await login([], byBrowser);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('as Ada until')]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(config, 'handrail'))).mode & 0o777).toBe(0o700);
  expect((await run('whoami', at.url)).stdout).toContain('Ada (owner), until');
  expect((await run('whoami')).stdout).toContain(at.url);
  expect((await run('people', '--url', at.url)).stdout).toContain('Ada');
  const created = await run('my-keys', 'create', 'laptop', '--url', at.url);
  expect(created.stdout).toMatch(/^hrp_/);
  const audit = JSON.stringify((await at.admin('GET', '/audit')).body);
  for (const action of ['login.approve', 'session.login']) expect(audit).toContain(action);
  const { token } = Object.values(JSON.parse(await readFile(file(), 'utf8')))[0] as { token: string };
  expect(audit).not.toContain(token);
  expect((await run('logout', at.url)).stdout).toContain('Signed out');
  const after = await at.admin('GET', '/session', undefined, { authorization: `Bearer ${token}` });
  expect(after.status).toBe(401);
  expect((await run('whoami')).stdout).toContain('not signed in');
});

test('signs in with a code, on a machine without a browser', async () => {
  const done = await login(['--device', '--machine', 'build box'], async (printed) => {
    const code = codeIn(printed).toLowerCase().replace('-', ' ');
    expect(printed).not.toContain('#');
    const shown = await ask('/login/show', { code });
    expect(shown.body).toMatchObject({ machine: 'build box', returnsHere: false });
    expect((await ask('/login/approve', { code })).body).toEqual({ returnTo: null });
    expect((await ask('/login/approve', { code })).status).toBe(404);
  });
  expect(done.code).toBe(0);
  const open = JSON.stringify((await at.gateway.store.sessions.listOf(personId)).map((one) => one.userAgent));
  expect(open).toContain('handrail on build box');
});

test('ends when it is declined, and says so', async () => {
  const done = await login(['--device'], async (printed) => {
    expect((await ask('/login/deny', { code: codeIn(printed) })).status).toBe(204);
  });
  expect(done.code).not.toBe(0);
  expect(done.stderr).toContain('Run "handrail login" again');
});

/** A login under way, without a command. */
async function started(port?: number) {
  const { body } = await ask('/login', { machine: 'x', ...(port !== undefined && { port }) }, {});
  return { deviceCode: String(body.deviceCode), userCode: String(body.userCode) };
}

test('gives nothing without the code that the browser takes back, and nothing twice', async () => {
  const { deviceCode, userCode } = await started(9_999);
  expect((await ask('/login/token', { deviceCode }, {})).body).toEqual({ state: 'waiting' });
  const { body } = await ask('/login/approve', { code: userCode });
  const code = new URL(body.returnTo).searchParams.get('code')!;
  // Someone who sent a victim the link has the device code, and not what the victim's own machine got.
  expect((await ask('/login/token', { deviceCode }, {})).status).toBe(404);
  expect((await ask('/login/token', { deviceCode, code: 'x' }, {})).status).toBe(404);
  expect((await ask('/login/token', { deviceCode: 'hrdevice_x', code }, {})).status).toBe(404);
  const both = await Promise.all([1, 2].map(() => ask('/login/token', { deviceCode, code }, {})));
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
});

test('is agreed to by a person in a browser only, on our own page', async () => {
  const { userCode } = await started();
  const { token } = await (async () => {
    const other = await started();
    await ask('/login/approve', { code: other.userCode });
    return (await ask('/login/token', { deviceCode: other.deviceCode }, {})).body as { token: string };
  })();
  const admin = { authorization: 'Bearer a-token-for-tests-only' };
  const actors: Record<string, string>[] = [
    {},
    admin,
    { authorization: `Bearer ${token}` },
    { cookie: session['cookie']! },
  ];
  for (const headers of actors)
    expect([401, 403]).toContain((await ask('/login/approve', { code: userCode }, headers)).status);
  // The token of a command line isn't a browser's session, nor the other way around.
  const asCookie = await at.admin('GET', '/session', undefined, { authorization: `Bearer ${token}` });
  expect(asCookie.body).toMatchObject({ name: 'Ada', via: 'login', csrf: '' });
  const swapped = await fetch(`${at.url}/api/v1/session`, { headers: { cookie: `handrail=${token}` } });
  expect(swapped.status).toBe(401);
  const bearer = { authorization: `Bearer ${session['cookie']!.slice('handrail='.length)}` };
  expect((await at.admin('GET', '/session', undefined, bearer)).status).toBe(401);
});

test('ends with its person’s role, and is bounded', async () => {
  const { deviceCode, userCode } = await started();
  await ask('/login/approve', { code: userCode });
  await at.admin('PATCH', `/people/${personId}`, { email: 'ada@example.com' });
  // What the person may do changed after they agreed.
  expect((await ask('/login/token', { deviceCode }, {})).status).toBe(404);
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++) statuses.push((await ask('/login', { machine: 'x' }, {})).status);
  expect(statuses).toContain(429);
});
