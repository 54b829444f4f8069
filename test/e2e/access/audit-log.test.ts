import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { SettingName } from '../../../src/config/settings.ts';
import { editRows, type RawRows } from '../../support/edit-rows.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

interface Line {
  readonly seq: number;
  readonly hash: string;
  readonly action: string;
  readonly actor: { readonly name: string };
}

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A gateway whose data folder outlives it, so that it can be started again. */
async function start(settings: Partial<Record<SettingName, unknown>> = {}): Promise<RunningGateway> {
  const running = await startGateway(settings);
  cleanUps.push(() => running.stop().catch(() => {}));
  return running;
}

/** A receiver of webhooks that answers as it is told. */
async function receiver() {
  const got: { readonly lines: readonly Line[]; readonly body: string; readonly signature: string }[] = [];
  const state = { status: 204, got, asked: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      state.asked++;
      if (state.status < 300) {
        const { entries } = JSON.parse(body) as { entries: Line[] };
        got.push({ lines: entries, body, signature: String(request.headers['handrail-signature']) });
      }
      response.writeHead(state.status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit?key=k1`;
  return { ...state, state, url, lines: () => got.flatMap(({ lines }) => lines) };
}

const makeKey = async (gateway: RunningGateway, name: string) => {
  const made = await gateway.admin('POST', '/keys', { name });
  expect(made.status).toBe(201);
};

async function run(dataDir: string, words: string[], options: Record<string, string> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const command = await commands['audit']!();
  const code = await command.run({
    words,
    options,
    config: loadConfig({ flags: { dataDir, logLevel: 'silent', demo: false } }),
    json: false,
    url: undefined,
    print: (text) => out.push(text),
    printError: (text) => errors.push(text),
  });
  return { code, out: out.join('\n'), errors: errors.join('\n') };
}

it.each<[string, (rows: RawRows, newest: number) => Promise<unknown>, RegExp]>([
  [
    'a changed line',
    (rows) => rows.run("update audit_log set actor_label = 'someone else' where seq = 2"),
    /Line 2 \(audit_.*\) was changed/,
  ],
  ['a removed line', (rows) => rows.run('delete from audit_log where seq = 2'), /Line 2 is missing/],
  [
    'the newest lines removed',
    (rows, newest) => rows.run('delete from audit_log where seq >= ?', [newest - 1]),
    /Lines \d+ to \d+ are missing/,
  ],
  [
    'a line that was put in',
    (rows) =>
      rows.run(
        "insert into audit_log (id, at_ms, actor_id, actor_label, action, subject_kind) select id || 'X', at_ms + 5, 'person_1', 'Ada', 'key.create', 'key' from audit_log where seq = 2",
      ),
    /1 line is not part of the chain/,
  ],
  [
    'two lines that changed places',
    async (rows) => {
      await rows.run('update audit_log set seq = -1 where seq = 2');
      await rows.run('update audit_log set seq = 2 where seq = 3');
      await rows.run('update audit_log set seq = 3 where seq = -1');
    },
    /Line 2 .* was changed/,
  ],
])('%s is found', async (_what, edit, message) => {
  const gateway = await startGateway({ dataDir: await folder() });
  for (const name of ['one', 'two', 'three', 'four']) await makeKey(gateway, name);
  const before = await gateway.admin('GET', '/audit/verification');
  expect(before.body).toMatchObject({ ok: true, faults: [], removedUpTo: 0 });
  await gateway.stop();
  await editRows({ dataDir: gateway.dataDir }, (rows) => edit(rows, before.body.last.seq));
  const { code, out, errors } = await run(gateway.dataDir, ['verify']);
  expect([code, out.split('\n')[0]]).toEqual([1, 'The audit log was changed from outside.']);
  expect(errors).toMatch(message);
});

it('is compared with a line that was noted, even if everything was computed again', async () => {
  const gateway = await startGateway({ dataDir: await folder() });
  await makeKey(gateway, 'one');
  await gateway.stop();
  const first = await run(gateway.dataDir, ['verify']);
  const noted = /Newest line: (\S+)/.exec(first.out)![1]!;
  expect((await run(gateway.dataDir, ['verify'], { expect: noted })).code).toBe(0);
  const forged = await run(gateway.dataDir, ['verify'], {
    expect: noted.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
  });
  expect([forged.code, forged.errors]).toEqual([1, expect.stringContaining('not the one that was noted')]);
  await expect(run(gateway.dataDir, ['verify'], { expect: '7' })).rejects.toThrow('SEQ:HASH');
});

it('stays one chain when its retention removes the oldest lines', async () => {
  const gateway = await start();
  await makeKey(gateway, 'one');
  const noted = (await gateway.admin('GET', '/audit/verification')).body.last;
  expect(await gateway.gateway.store.audit.purge(Date.now() + 1, 1)).toBe(1);
  await makeKey(gateway, 'two');
  const { body } = await gateway.admin('GET', `/audit/verification?seq=${noted.seq}&hash=${noted.hash}`);
  expect(body).toMatchObject({ ok: true, removedUpTo: 1 });
});

it('is sent to a webhook in order, signed, and again after it was away, also after a restart', async () => {
  const hook = await receiver();
  const dataDir = await folder();
  const settings = { dataDir, auditWebhookUrl: hook.url, auditWebhookSecret: 'a secret of sixteen' };
  hook.state.status = 503;
  const gateway = await startGateway(settings);
  await makeKey(gateway, 'while away');
  await expect.poll(() => hook.state.asked, { timeout: 10_000 }).toBeGreaterThan(0);
  const metrics = await fetch(`${gateway.url}/metrics`).then((answer) => answer.text());
  expect(metrics).toMatch(/handrail_audit_failures_total\{target="webhook"\} [1-9]/);
  expect(metrics).toMatch(/handrail_audit_lines_waiting\{target="webhook"\} [1-9]/);
  await gateway.stop();
  hook.state.status = 204;
  const again = await start(settings);
  await makeKey(again, 'after the restart');
  await expect.poll(() => hook.lines().length, { timeout: 10_000 }).toBeGreaterThan(1);
  const { last } = (await again.admin('GET', '/audit/verification')).body;
  await expect.poll(() => hook.lines().at(-1), { timeout: 10_000 }).toMatchObject(last);
  expect(hook.lines().map(({ seq }) => seq)).toEqual(Array.from({ length: last.seq }, (_, i) => i + 1));
  const { body, signature } = hook.got[0]!;
  const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature)!;
  expect(mac).toBe(createHmac('sha256', 'a secret of sixteen').update(`${seconds}.${body}`).digest('hex'));
  // What was sent can be compared with what is stored.
  const { seq, hash } = hook.lines()[0]!;
  const compared = await again.admin('GET', `/audit/verification?seq=${seq}&hash=${hash}`);
  expect(compared.body.ok).toBe(true);
});

it('does not follow a webhook elsewhere', async () => {
  const hook = await receiver();
  hook.state.status = 307;
  const gateway = await start({ auditWebhookUrl: hook.url });
  await makeKey(gateway, 'one');
  await expect.poll(() => hook.state.asked, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(hook.lines()).toEqual([]);
});

it('is appended to a file that only its owner reads, after a line that was cut off', async () => {
  const dataDir = await folder();
  const auditFile = join(dataDir, 'audit.jsonl');
  const gateway = await start({ dataDir, auditFile });
  await makeKey(gateway, 'one');
  const lines = async () => (await readFile(auditFile, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await expect.poll(async () => (await lines()).length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect((await stat(auditFile)).mode & 0o777).toBe(0o600);
  await writeFile(auditFile, '{"seq":1,"ha');
  await makeKey(gateway, 'two');
  await expect
    .poll(async () => (await lines()).at(-1)?.includes('"key.create"'), { timeout: 10_000 })
    .toBe(true);
  expect((await lines())[0]).toBe('{"seq":1,"ha');
  expect(JSON.parse((await lines())[1]!)).toMatchObject({
    action: 'key.create',
    actor: { name: 'admin token' },
  });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'handrail-audit-'));
  cleanUps.push(() => rm(made, { recursive: true, force: true, maxRetries: 10 }));
  return made;
}
