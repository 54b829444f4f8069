import { describe, expect, test } from 'vitest';
import type { StorePlace } from './place.ts';

/** The promises of the history of checks. */
export function describeCheckRuns({ name, openEmpty }: StorePlace): void {
  describe(`the history of checks on ${name}`, () => {
    const run = (id: string, serverId = 'srv_1') => ({
      id,
      serverId,
      startedAtMs: 1_700_000_000_000,
      text: JSON.stringify({ id, says: '\u0000 ünïcode' }),
    });

    test('keeps the newest of each server, newest first, each as it was put last', async () => {
      const { checkRuns } = await openEmpty();
      for (const id of ['run_1', 'run_2', 'run_3']) await checkRuns.put(run(id), 2);
      await checkRuns.put(run('run_0', 'srv_2'), 2);
      await checkRuns.put({ ...run('run_3'), text: '{"over":true}' }, 2);
      expect((await checkRuns.listOf('srv_1', 10)).map(({ id }) => id)).toEqual(['run_3', 'run_2']);
      expect((await checkRuns.listOf('srv_1', 1)).map(({ text }) => text)).toEqual(['{"over":true}']);
      expect(await checkRuns.get('run_1')).toBeNull();
      expect(await checkRuns.get('run_0')).toMatchObject({
        serverId: 'srv_2',
        startedAtMs: 1_700_000_000_000,
      });
      await checkRuns.removeAllOf('srv_1');
      expect(await checkRuns.listOf('srv_1', 10)).toEqual([]);
      expect(await checkRuns.listOf('srv_2', 10)).toHaveLength(1);
    });
  });
}
