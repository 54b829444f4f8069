import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';

const program = fileURLToPath(new URL('../../scripts/soak/code.js', import.meta.url));

it('tells after a kill what scripts changed and what nobody knows, and changes nothing twice', async () => {
  const child = startChild(program, ['3']);
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  const { code, errors } = await child.ended;
  expect([code, errors]).toEqual([0, expect.not.stringContaining('FAILED')]);
  expect(lines.at(-1)).toMatch(/^3 kills: \d+ changes, none twice/);
});
