import { expect, it } from 'vitest';
import { type CheckRun, readCheckRun } from './check-run.ts';

const run: CheckRun = {
  id: 'run_1',
  serverId: 'srv_1',
  server: 'shop',
  modelId: 'model_1',
  model: 'large',
  by: 'Ada',
  state: 'ended',
  startedAtMs: 1,
  updatedAtMs: 2,
  variants: [],
};

it('reads what it stored', () => {
  expect(readCheckRun(JSON.stringify(run))).toEqual(run);
});

it.each([
  ['no JSON', '{'],
  ['not an object', '[]'],
  ['a field of a newer version', JSON.stringify({ ...run, later: true })],
  ['a missing field', JSON.stringify({ ...run, state: undefined })],
  ['an unknown state', JSON.stringify({ ...run, state: 'paused' })],
  ['a time that is text', JSON.stringify({ ...run, startedAtMs: 'now' })],
  ['a name of a prototype', `{"__proto__":{},"id":"run_1"}`],
])('reads no stored run with %s', (_what, stored) => {
  expect(readCheckRun(stored)).toBeNull();
});
