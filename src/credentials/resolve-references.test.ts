import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startGateway, type TestGateway } from '../../test/support/gateway.ts';
import { json, serveHttp, type TestServer } from '../../test/support/servers/http-server.ts';
import { loadMasterKey } from './master-key.ts';
import { createSecretReferences } from './resolve-references.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-references-'));
const secretFile = join(folder, 'token');
const vault = join(folder, 'vault.mjs');
const vaultFile = join(folder, 'in-the-vault');
let upstream: TestServer;
let sent: string[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  // Prints what is in the vault under a name.
  writeFileSync(
    vault,
    `import { readFileSync } from 'node:fs';
     const all = JSON.parse(readFileSync(${JSON.stringify(vaultFile)}, 'utf8'));
     if (all[process.argv[2]] === undefined) { console.error('secret-in-an-error'); process.exit(1); }
     console.log(all[process.argv[2]]);`,
  );
  upstream = await serveHttp((request, response) => {
    sent.push(String(request.headers.authorization));
    json(response, 200, { said: request.headers.authorization });
  });
  gateway = await startGateway({
    egressAllow: '127.0.0.1',
    secretReferences: `env:TEST_SECRET_*,file:${folder}/*`,
    secretCommand: `${process.execPath} ${vault}`,
  });
  for (const [path, body] of [
    ['/apis', { slug: 'shop', baseUrl: upstream.origin, auth: { kind: 'bearer' } }],
    ['/tools', { api: 'shop', name: 'look', description: 'x', operation: { method: 'GET', path: '/' } }],
  ] as const)
    expect((await gateway.request('POST', `/api/v1${path}`, body)).statusCode).toBe(201);
});
afterEach(() => {
  sent = [];
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

const set = (secret: string) => gateway.request('POST', '/api/v1/credentials', { api: 'shop', secret });
const call = async () => (await gateway.request('POST', '/api/v1/tools/look/call', { arguments: {} })).body;
/** Everything in the data folder. */
const stored = () =>
  Buffer.concat(
    readdirSync(gateway.dataDir).map((name) => readFileSync(join(gateway.dataDir, name))),
  ).toString('latin1');

describe('a credential by reference', () => {
  it('is read from the environment when it is used, is masked, and is never written', async () => {
    const [first, second] = ['first', 'second'].map((name) => `${name}-${randomBytes(12).toString('hex')}`);
    vi.stubEnv('TEST_SECRET_SHOP', first);
    const made = await set('${env:TEST_SECRET_SHOP}');
    expect(made.json()).toMatchObject({ references: { token: '${env:TEST_SECRET_SHOP}' } });
    expect(await call()).not.toContain(first);
    vi.stubEnv('TEST_SECRET_SHOP', second);
    const said = await call();
    expect(said).toContain('[masked]');
    expect(said).not.toContain(second);
    expect(sent).toEqual([`Bearer ${first}`, `Bearer ${second}`]);
    for (const secret of [first!, second!]) expect(stored()).not.toContain(secret);
    vi.stubEnv('TEST_SECRET_SHOP', '');
    expect(await call()).toContain('${env:TEST_SECRET_SHOP} cannot be used: it is not set');
    expect(sent).toHaveLength(2);
  });

  it('is read from a file again when the file has changed', async () => {
    writeFileSync(secretFile, 'in-a-file-1\n');
    await set(`\${file:${secretFile}}`);
    await call();
    writeFileSync(secretFile, 'in-a-file-number-2\n');
    await call();
    expect(sent).toEqual(['Bearer in-a-file-1', 'Bearer in-a-file-number-2']);
  });

  it('is what a command prints, which is not repeated when it fails', async () => {
    writeFileSync(vaultFile, JSON.stringify({ 'shop/token': 'from-the-vault' }));
    await set('${command:shop/token}');
    await call();
    expect(sent).toEqual(['Bearer from-the-vault']);
    await set('${command:unknown}');
    const said = await call();
    expect(said).toContain('${command:unknown} cannot be used: it failed');
    expect(said).not.toContain('secret-in-an-error');
  });

  it.each([
    '${env:HANDRAIL_SECRET_KEY}',
    '${env:PATH}',
    '${file:/etc/passwd}',
    `\${file:${folder}/../token}`,
    '${file:token}',
    '${command:--help}',
  ])('is refused when the operator does not allow it: %s', async (reference) => {
    const answer = await set(reference);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.body).toContain(reference.slice(2, 6));
  });
});

it('asks the command again after a while, and does without it meanwhile', async () => {
  let nowMs = 0;
  writeFileSync(vaultFile, JSON.stringify({ a: 'one' }));
  const references = createSecretReferences({
    allow: [],
    command: [process.execPath, vault],
    now: () => nowMs,
  });
  const fields = { token: '${command:a}', other: 'plain' };
  const now = async () => {
    await references.prepare(fields);
    return references.resolve(fields);
  };
  const first = await now();
  expect(first).toEqual({ token: 'one', other: 'plain' });
  writeFileSync(vaultFile, JSON.stringify({ a: 'two' }));
  expect(await now()).toEqual(first);
  nowMs = 60_000;
  expect(await now()).toEqual({ token: 'two', other: 'plain' });
  writeFileSync(vaultFile, '{}');
  nowMs = 120_000;
  expect(await now()).toEqual({ token: 'two', other: 'plain' });
});

it('follows a master key in a file, with the old key while rows need it', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64'));
  const keyFile = join(folder, 'master.key');
  const facts = new Map<string, string>();
  const meta = {
    get: async (name: string) => facts.get(name) ?? null,
    setIfAbsent: async (name: string, value: string) => {
      if (!facts.has(name)) facts.set(name, value);
      return facts.get(name)!;
    },
  } as unknown as Parameters<typeof loadMasterKey>[0]['meta'];
  writeFileSync(keyFile, `${old}\n`);
  const { ring, warning } = await loadMasterKey({ secretKey: `\${file:${keyFile}}`, dataDir: null, meta });
  expect(warning).toBeNull();
  const before = ring.current().id;
  writeFileSync(keyFile, `${fresh}\n${old}\n`);
  expect(ring.current().bytes.toString('base64')).toBe(fresh);
  expect(ring.find(before)).not.toBeNull();
  rmSync(keyFile);
  expect(ring.current().bytes.toString('base64')).toBe(fresh);
});
