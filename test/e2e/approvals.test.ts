import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runHandrail } from '../support/command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handrail-approvals-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const handrail = (...args: string[]) => runHandrail([...args, '--data-dir', join(folder, 'data')]);

async function importing(...names: string[]) {
  const file = join(folder, 'shelf.json');
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shelf', version: '1' },
    servers: [{ url: 'https://shelf.example.com' }],
    paths: Object.fromEntries(names.map((name) => [`/${name}`, { post: { operationId: name } }])),
  };
  await writeFile(file, JSON.stringify(document));
  return handrail('import', file, '--api', 'shelf', '--approve-changes');
}

it('the command line lists what waits, approves and declines it, and tells what was dropped', async () => {
  expect((await importing('one', 'two')).code).toBe(0);
  expect((await handrail('approvals')).stdout).toBe('Nothing is waiting for approval.\n');
  const imported = await importing('one', 'three', 'four');
  expect(imported.stdout).toContain('+ three (POST /three) (waiting for approval)');
  expect(imported.stdout).toContain('2 tools are waiting for approval: handrail approvals shelf');
  expect((await handrail('approvals')).stdout).toMatch(/shelf +three +POST \/three +write +new tool/);
  expect((await handrail('approvals', 'decline', 'shelf', 'four')).stdout).toBe('shelf: four declined\n');
  expect((await handrail('approvals', 'approve', 'shelf')).stdout).toBe('shelf: everything approved\n');
  expect((await handrail('tools', '--api', 'shelf')).stdout).toContain('four (off)');
  expect((await handrail('approvals', 'removed', 'shelf')).stdout).toMatch(/two +POST \/two .* on\n/);
  expect((await handrail('approvals', 'forget', 'shelf', 'two')).stdout).toBe('shelf: two forgotten\n');
  const again = await handrail('approvals', 'approve', 'shelf', 'two');
  expect([again.code, again.stderr]).toEqual([
    1,
    'handrail: Nothing about the tool "two" of "shelf" is waiting for approval.\n',
  ]);
  expect((await handrail('approvals', 'approve')).code).toBe(2);
  const refused = await handrail('apis', 'refresh', 'shelf', '--dry-run');
  expect(refused.stderr).toContain('was not imported from a URL');
});
