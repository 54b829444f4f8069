import { describe, expect, it } from 'vitest';
import {
  after,
  begun,
  branchesOf,
  callCount,
  type Exchange,
  expectedCalls,
  leafOf,
  messagesFor,
  pathTo,
} from './exchange.ts';

const play = (exchange: Exchange, events: readonly (readonly [string, unknown])[]) =>
  events.reduce((now, [name, data]) => after(now, name, data as never), exchange);

describe('an exchange', () => {
  it('collects text, calls, tokens and costs from events', () => {
    const ended = play(begun(1, null, 'Which?'), [
      ['begin', { version: 'abc', mode: 'search', runId: 'call_1' }],
      ['turn', { turn: 1 }],
      ['text', { text: 'Let me ' }],
      ['text', { text: 'look.' }],
      ['call', { id: 'a', name: 'search_tools', arguments: '{}' }],
      ['called', { id: 'a', ok: true, text: 'found', shown: '', durationMs: 3, tokens: 2, calls: [] }],
      ['usage', { tokens: { input: 10, output: 1 }, cost: 0.5, isEstimated: false }],
      ['turn', { turn: 2 }],
      ['text', { text: 'Seven.' }],
      ['usage', { tokens: { input: 20, output: 2 }, cost: 0.25, isEstimated: true }],
      ['end', { reason: 'answered', durationMs: 9, messages: [] }],
    ]);
    expect(ended).toMatchObject({
      state: 'ended',
      turns: 2,
      version: 'abc',
      tokens: { input: 30, output: 3 },
      cost: 0.75,
      isEstimated: true,
      parts: [
        { kind: 'text', text: 'Let me look.' },
        { kind: 'call', name: 'search_tools', result: { text: 'found' } },
        { kind: 'text', text: 'Seven.' },
      ],
    });
  });

  it('is found from its branches, and passes on the earlier messages', () => {
    const said = [{ role: 'assistant' as const, text: 'A.', calls: [] }];
    const all = [
      { ...begun(1, null, 'first'), messages: said },
      begun(2, 1, 'second'),
      begun(3, 1, 'second, edited'),
      begun(4, 3, 'third'),
    ];
    expect(pathTo(all, 4).map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(branchesOf(all, all[1]!).map(({ id }) => id)).toEqual([2, 3]);
    expect(leafOf(all, 3)).toBe(4);
    expect(messagesFor(pathTo(all, 1), 'again')).toEqual([
      { role: 'user', text: 'first' },
      ...said,
      { role: 'user', text: 'again' },
    ]);
  });
});

describe('the calls of an answer', () => {
  const called = (name: string, args: unknown, ...tools: string[]) => [
    ['call', { id: name, name, arguments: JSON.stringify(args) }] as const,
    [
      'called',
      { id: name, ok: true, text: '', durationMs: 1, tokens: 1, calls: tools.map((tool) => ({ tool })) },
    ] as const,
  ];
  const answer = play(begun(1, null, 'Which?'), [
    ...called('search_tools', { query: 'orders' }),
    ...called('list_orders', { state: 'open' }, 'list_orders'),
    ...called('call_read', { name: 'get_order', arguments: { id: 7 } }, 'get_order'),
    ...called('call_write', { name: 'ping', arguments: '{}' }, 'ping'),
    ...called('run_code', { code: '' }, 'run_code', 'list_items'),
  ]);

  it('are counted as the model made them', () => {
    expect(callCount(answer)).toBe(5);
  });

  it('become a check with the arguments that were sent', () => {
    expect(expectedCalls(answer)).toEqual([
      'list_orders {"state":"open"}',
      'get_order {"id":7}',
      'ping',
      'list_items',
    ]);
  });
});
