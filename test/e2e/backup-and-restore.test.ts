import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail, serveHandrail } from '../support/command.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-restore-'));
const bookshop = new URL('../../examples/bookshop/openapi.yaml', import.meta.url).pathname;
const source = join(root, 'source');
const backup = join(root, 'backup.db');
let made = 0;
const newFolder = () => join(root, String(made++));
const handrail = (dataDir: string, ...args: string[]) => runHandrail([...args, '--data-dir', dataDir]);
const slugs = async (dataDir: string) => {
  const { stdout } = await handrail(dataDir, 'apis', '--json');
  return (JSON.parse(stdout) as { slug: string }[]).map(({ slug }) => slug);
};

beforeAll(async () => {
  expect(await handrail(source, 'import', bookshop)).toMatchObject({ code: 0 });
  expect(await handrail(source, 'backup', backup)).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

describe('handrail restore', () => {
  it('makes a store of a backup in a new folder, and says that the master key is missing', async () => {
    const dataDir = newFolder();
    const restored = await handrail(dataDir, 'restore', backup);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toMatch(/^Restored 1 API, \d+ tools, 1 server to /);
    expect(restored.stdout).toContain('secret.key is missing');
    expect(readdirSync(dataDir)).toEqual(['handrail.db']);
    copyFileSync(join(source, 'secret.key'), join(dataDir, 'secret.key'));
    expect(await slugs(dataDir)).toEqual(await slugs(source));
    const again = await handrail(newFolder(), 'restore', join(dataDir, 'handrail.db'), '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ keptAs: null });
  });

  it('replaces a store only when told to, and keeps the old one', async () => {
    const dataDir = newFolder();
    await handrail(dataDir, 'apis', 'create', 'other', '--base-url', 'https://other.example');
    const before = await slugs(dataDir);
    const refused = await handrail(dataDir, 'restore', backup);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--replace');
    expect(await slugs(dataDir)).toEqual(before);
    const restored = await handrail(dataDir, 'restore', backup, '--replace', '--json');
    expect(restored).toMatchObject({ code: 0 });
    expect(await slugs(dataDir)).toEqual(await slugs(source));
    const { keptAs } = JSON.parse(restored.stdout) as { keptAs: string };
    const old = newFolder();
    await handrail(old, 'restore', keptAs);
    expect(await slugs(old)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('restoring'))).toEqual([]);
  });

  it('leaves a store alone that a gateway is using', async () => {
    const dataDir = newFolder();
    const gateway = await serveHandrail(['--data-dir', dataDir]);
    const refused = await handrail(dataDir, 'restore', backup, '--replace');
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('is using the store');
    expect(await slugs(dataDir)).not.toContain('bookshop');
  });

  it.each<[what: string, make: (path: string) => void, why: RegExp]>([
    ['is absent', () => {}, /There is no file/],
    ['is a folder', (path) => mkdirSync(path), /There is no file/],
    ['is not a database', (path) => writeFileSync(path, 'text '.repeat(5_000)), /is not a Handrail store/],
    ['is empty', (path) => writeFileSync(path, ''), /is not a Handrail store/],
    ['was cut short', (path) => writeFileSync(path, readFileSync(backup).subarray(0, 60_000)), /damaged/],
  ])('refuses what %s and changes nothing', async (_what, make, why) => {
    const file = newFolder();
    make(file);
    const dataDir = newFolder();
    const refused = await handrail(dataDir, 'restore', file);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(why);
    expect(existsSync(join(dataDir, 'handrail.db'))).toBe(false);
  });

  it('says that a copy of a live store lacks its log, and uses it when told to', async () => {
    const dataDir = newFolder();
    const gateway = await serveHandrail(['--data-dir', dataDir]);
    await handrail(dataDir, 'import', bookshop);
    const copy = newFolder();
    mkdirSync(copy);
    await expect
      .poll(async () => {
        copyFileSync(join(dataDir, 'handrail.db'), join(copy, 'handrail.db'));
        return (await handrail(newFolder(), 'restore', join(copy, 'handrail.db'))).stderr;
      })
      .toContain('without handrail.db-wal');
    gateway.child.kill('SIGKILL');
    await gateway.exited;
    const served = await runHandrail(['serve', '--port', '0', '--data-dir', copy]);
    expect(served.code).toBe(3);
    expect(served.stderr).toContain('without handrail.db-wal');
    const accepted = await handrail(
      newFolder(),
      'restore',
      join(copy, 'handrail.db'),
      '--accept-missing-wal',
    );
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    // What was killed still has its log, and every command can read it.
    expect(await slugs(dataDir)).toContain('bookshop');
    expect(await slugs(dataDir)).toContain('bookshop');
  });
});

it('lists what an export leaves out, in the file and for whoever runs the command', async () => {
  const { stdout, stderr } = await handrail(source, 'export');
  const { omitted } = JSON.parse(stdout) as { omitted: string[] };
  expect(omitted).toContain('access keys');
  for (const line of omitted) expect(stderr).toContain(line);
  const file = newFolder();
  writeFileSync(file, stdout);
  expect(await handrail(newFolder(), 'import', file)).toMatchObject({ code: 0 });
});
