import { afterEach, describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.ts';
import { createTokenCounter } from './token-counter.ts';

describe('tokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['{"type":"object","properties":{"id":{"type":"integer"}}}', 14],
    ['<|endoftext|>', 7],
    ['天気予報', 4],
  ])('of %j are counted as the models count them', (text, expected) => {
    expect(countTokens(text)).toBe(expected);
  });

  it('are counted of words of any length', () => {
    expect(countTokens('x'.repeat(300_000))).toBeGreaterThan(10_000);
    expect(countTokens('='.repeat(300_000))).toBeGreaterThan(1_000);
  });
});

describe('a token counter', () => {
  const counter = createTokenCounter();
  afterEach(() => counter.close());

  it('counts aside what several ask for, tools as a list shows them, and nothing once it is closed', async () => {
    const counts = await Promise.all([
      counter.count(['hello world', '']),
      counter.count([]),
      counter.count(['a']),
    ]);
    expect(counts).toEqual([[2, 0], [], [1]]);
    const entry = (more: object) => ({ name: 'a', inputSchema: { type: 'object', ...more } });
    const titled = JSON.stringify(entry({ title: 'Something long to say' }));
    expect(await counter.countEntries([titled])).toEqual(await counter.count([JSON.stringify(entry({}))]));
    const left = counter.count(['a']);
    await Promise.all([expect(left).rejects.toThrow('closed'), counter.close()]);
    await expect(counter.count(['a'])).rejects.toThrow('closed');
  });
});
