import { describe, expect, it } from 'vitest';
import { WorkBudget } from '../../lib/work-budget.ts';
import { threadLimits } from './reply-thread.ts';
import { rewriteInThread } from './rewrite-in-thread.ts';
import { rewriteText } from './rewrite-text.ts';

const items = JSON.stringify({
  items: Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}`, more: 'x'.repeat(20) })),
});

const budget = () => new WorkBudget(threadLimits(items.length));

describe('rewriting a long reply in a thread', () => {
  it.each([
    [{ select: 'items[?id < `3`].name' }],
    [{ select: '/items/7/name' }],
    [{ maxBytes: 1_000 }],
    [{ select: 'items', template: '{{id}}: {{name}}', maxBytes: 500 }],
  ])('gives what rewriting it here gives: %j', async (mapping) => {
    const rewriting = { isPage: false, ...mapping };
    expect(await rewriteInThread('me', rewriting, items)).toEqual(rewriteText(rewriting, items, budget()));
  });

  it('reads the words of a page', async () => {
    const page = `<html><h1>Title</h1>${'<p>word</p>'.repeat(50_000)}</html>`;
    const rewriting = { isPage: true, maxBytes: 100 };
    expect(await rewriteInThread('me', rewriting, page)).toEqual(rewriteText(rewriting, page, budget()));
  });

  it('rejects with the reason when it does not fit', async () => {
    await expect(rewriteInThread('me', { select: 'sum(items)', isPage: false }, items)).rejects.toThrow(
      /^The reply does not fit how this tool shapes it/,
    );
  });

  it('takes many at once, in turn', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, () => rewriteInThread('me', { select: 'items[0].id', isPage: false }, items)),
    );
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => '0'));
  });
});
