import { describe, expect, it } from 'vitest';
import { listedTool, serverView } from '../../../test/support/mcp-surface.ts';
import { createListTimes } from './list-times.ts';

const schema = { type: 'object', properties: {} } as const;
const before = () => serverView('one', [listedTool('a', schema)]);
const after = () => serverView('one', [listedTool('a', schema), listedTool('b', schema)]);

function timesAt(start: number, stored: string | null = null) {
  const state = { nowMs: start, saved: stored, writes: 0 };
  const times = createListTimes({
    stored,
    save: (text) => {
      state.saved = text;
      state.writes++;
    },
    now: () => state.nowMs,
  });
  return { state, ...times };
}

describe('the times of lists', () => {
  it('say nothing of a server that is seen for the first time', () => {
    expect(timesAt(1_000).changedSince(before(), 1)).toEqual({});
  });

  it('say which list changed, and since when', () => {
    const { state, note, changedSince } = timesAt(1_000);
    note(before());
    state.nowMs = 2_000;
    note(after());
    state.nowMs = 3_000;
    expect(changedSince(after(), 2_000)).toEqual({ tools: true });
    expect(changedSince(after(), 2_001)).toEqual({});
    expect(changedSince(serverView('one', after().tools, { prompts: [] }), 3_000)).toEqual({ prompts: true });
  });

  it('live on in the next process, also for a change that happened in between', () => {
    const first = timesAt(1_000);
    first.note(before());
    const second = timesAt(5_000, first.state.saved);
    expect(second.changedSince(before(), 1)).toEqual({});
    const third = timesAt(6_000, first.state.saved);
    expect(third.changedSince(after(), 6_000)).toEqual({ tools: true });
    const fourth = timesAt(9_000, third.state.saved);
    expect(fourth.changedSince(after(), 6_000)).toEqual({ tools: true });
    expect(fourth.changedSince(after(), 6_001)).toEqual({});
  });

  it('are written when something changed, and not else', () => {
    const { state, note } = timesAt(1_000);
    for (let i = 0; i < 3; i++) note(before());
    expect(state.writes).toBe(1);
    note(after());
    note(after());
    expect(state.writes).toBe(2);
  });

  it.each([null, '', 'null', '[]', '{"srv_one": 3}', '{"srv_one": {"tools": {}}}', '{'])(
    'begin anew from %j',
    (stored) => {
      const { changedSince } = timesAt(1_000, stored);
      expect(changedSince(before(), 1)).toEqual({});
    },
  );
});
