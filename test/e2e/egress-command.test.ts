import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runHandrail } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-egress-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const egress = (...words: string[]) =>
  runHandrail(['egress', ...words, '--data-dir', folder], { HANDRAIL_EGRESS_ALLOW: '10.1.0.0/16' });

it('allows private addresses, lists them with where they are allowed, and takes them back', async () => {
  expect((await egress()).stdout).toMatch(/10\.1\.0\.0\/16 +HANDRAIL_EGRESS_ALLOW/);
  expect((await egress('allow', '127.0.0.1:9000', 'billing.internal:8443')).code).toBe(0);
  // Twice is once.
  const again = await egress('allow', '127.0.0.1:9000', '--json');
  expect(JSON.parse(again.stdout)).toEqual({ egressAllow: ['billing.internal:8443', '127.0.0.1:9000'] });
  expect((await egress()).stdout).toMatch(/127\.0\.0\.1:9000 +settings/);
  expect((await egress('disallow', '127.0.0.1:9000', '--json')).stdout).toBe(
    '{"egressAllow":["billing.internal:8443"]}\n',
  );
});

it.each([
  [['allow'], 'the address is missing'],
  [['allow', 'not an address'], 'cannot be read'],
  [['disallow', '10.9.9.9'], 'is not in the list'],
  [['disallow', '10.1.0.0/16'], 'remove it there'],
  [['forbid', '10.9.9.9'], 'unknown action "forbid"'],
])('refuses %j with a sentence', async (words, sentence) => {
  const { code, stderr } = await egress(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
