import { expect, it } from 'vitest';
import { fullTool } from '../../../test/support/nouns/examples.ts';
import type { Tool } from '../../domain/tool.ts';
import { tooManyToRemember } from './decide-waiting.ts';

const goneAt = (goneAtMs: number): Tool => ({
  ...fullTool,
  id: `tool_${goneAtMs}`,
  source: { operationKey: 'GET /x', standing: 'gone', goneAtMs },
});
const size = JSON.stringify(goneAt(1)).length;

it.each([
  ['everything while there is room', { tools: 3 }, []],
  ['the latest of too many', { tools: 2 }, ['tool_1']],
  ['the latest of what is too long', { characters: size * 2 }, ['tool_1']],
  ['nothing where there is no room', { tools: 0 }, ['tool_3', 'tool_2', 'tool_1']],
])('remembers %s', (_what, limits, forgotten) => {
  const gone = [goneAt(2), goneAt(1), goneAt(3)];
  expect(tooManyToRemember(gone, limits).map(({ id }) => id)).toEqual(forgotten);
});
