import { expect, it } from 'vitest';
import type { MetaStore } from '../../storage/ports.ts';
import { createEndedSessions } from './ended-sessions.ts';

function facts() {
  const kept = new Map<string, string>();
  const meta = {
    set: async (name: string, value: string) => void kept.set(name, value),
    delete: async (name: string) => void kept.delete(name),
    getAll: async (prefix: string) => [...kept].filter(([name]) => name.startsWith(prefix)),
  } as unknown as MetaStore;
  return { kept, meta };
}

it('tells other processes, and the next start, which sessions were ended', async () => {
  const { meta } = facts();
  const now = () => 1_000_000;
  const [one, two] = [createEndedSessions(meta, 'one', now), createEndedSessions(meta, 'two', now)];
  await one.add('a', 2_000_000);
  await two.add('b', 2_000_000);
  await one.add('c', 2_000_000);
  expect([two.has('a'), two.has('c')]).toEqual([false, false]);
  await two.sync();
  expect([two.has('a'), two.has('b'), two.has('c'), two.has('d')]).toEqual([true, true, true, false]);
  const later = createEndedSessions(meta, 'three', () => 1_900_000);
  await later.sync();
  expect(later.has('a')).toBe(false);
  await later.load();
  expect(['a', 'b', 'c'].map((id) => later.has(id))).toEqual([true, true, true]);
});

it('forgets what has expired, in the store as well', async () => {
  const { kept, meta } = facts();
  let nowMs = 1_000_000;
  const sessions = createEndedSessions(meta, 'one', () => nowMs);
  await sessions.add('a', 1_500_000);
  nowMs = 1_400_000;
  await sessions.add('b', 2_000_000);
  nowMs = 1_600_000;
  await sessions.load();
  expect([sessions.has('a'), sessions.has('b'), kept.size]).toEqual([false, true, 1]);
});

it('writes only so much for those who end sessions without end', async () => {
  const { kept, meta } = facts();
  const sessions = createEndedSessions(meta, 'one', () => 1_000_000);
  for (let i = 0; i < 600; i++) await sessions.add(`s${i}`, 2_000_000);
  expect(sessions.has('s599')).toBe(true);
  expect((JSON.parse([...kept.values()][0]!) as unknown[]).length).toBe(500);
});
