import { describe, expect, it } from 'vitest';
import { WorkBudget } from '../../lib/work-budget.ts';
import { threadLimits } from './reply-thread.ts';
import { rewriteInThread } from './rewrite-in-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';

const items = JSON.stringify({
  items: Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}`, more: 'x'.repeat(20) })),
});

async function rewriteLong(rewriting: Rewriting, text: string) {
  const { others, ...shaped } = await rewriteInThread('me', { rewriting, text, others: [], secrets: [] });
  expect(others).toEqual([]);
  return shaped;
}

const budget = () => new WorkBudget(threadLimits(items.length));

describe('rewriting a long reply in a thread', () => {
  it.each([
    [{ select: 'items[?id < `3`].name' }],
    [{ select: '/items/7/name' }],
    [{ maxBytes: 1_000 }],
    [{ select: 'items', template: '{{id}}: {{name}}', maxBytes: 500 }],
  ])('gives what rewriting it here gives: %j', async (mapping) => {
    const rewriting = { isPage: false, ...mapping };
    expect(await rewriteLong(rewriting, items)).toEqual(rewriteText(rewriting, items, budget()));
  });

  it('reads the words of a page', async () => {
    const page = `<html><h1>Title</h1>${'<p>word</p>'.repeat(50_000)}</html>`;
    const rewriting = { isPage: true, maxBytes: 100 };
    expect(await rewriteLong(rewriting, page)).toEqual(rewriteText(rewriting, page, budget()));
  });

  it('rejects with the reason when it does not fit', async () => {
    await expect(rewriteLong({ select: 'sum(items)', isPage: false }, items)).rejects.toThrow(
      /^The reply does not fit how this tool shapes it/,
    );
  });

  it('takes many at once, in turn', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, () => rewriteLong({ select: 'items[0].id', isPage: false }, items)),
    );
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => '0'));
  });

  it('masks what it rewrote and what leaves along with it', async () => {
    const shown = await rewriteInThread('me', {
      rewriting: { isPage: true },
      text: '<p>key: sk-<b>live</b>-12345</p>',
      others: ['sk&#45;live-12345', 'nothing'],
      secrets: ['sk-live-12345'],
    });
    expect(shown.text).toContain('key: [masked]');
    expect(shown.others).toEqual(['[masked]', 'nothing']);
  });
});
