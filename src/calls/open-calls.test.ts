import { expect, it } from 'vitest';
import { watchUnreadableRecords } from './open-calls.ts';

it('says what cannot be read when there is more of it than before, and only then', async () => {
  const answers = [
    { newer: 0, damaged: 0 },
    { newer: 12, damaged: 0 },
    { newer: 12, damaged: 0 },
    { newer: 5, damaged: 3 },
    { newer: 6, damaged: 3 },
  ];
  const said: unknown[] = [];
  const watch = watchUnreadableRecords({ unreadable: async () => answers.shift()! }, {
    warn: (facts: object, text: string) => said.push([facts, text.slice(0, 30)]),
  } as never);
  for (let looks = 0; looks < 5; looks++) await watch.look();
  expect(said).toEqual([
    [{ records: 12 }, 'call records written by a newe'],
    [{ records: 3 }, 'damaged call records are skipp'],
    [{ records: 6 }, 'call records written by a newe'],
  ]);
  expect(watch.counts).toEqual({ newer: 6, damaged: 3 });
});
