import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.ts';
import type { SearchDocument } from './tool-document.ts';
import { SearchIndex } from './search-index.ts';

const tool = (key: string, more: Partial<SearchDocument> = {}): SearchDocument => ({
  key,
  group: 'shop',
  groupWords: ['shop'],
  name: key,
  path: '',
  description: '',
  parameters: [],
  replyFields: [],
  ...more,
});

function indexOf(...documents: readonly SearchDocument[]): SearchIndex {
  const index = new SearchIndex();
  for (const document of documents) index.add(document);
  return index;
}

const find = (index: SearchIndex, query: string, limit = 5) =>
  index.search({ query, limit }).hits.map(({ key }) => key);

const shop = indexOf(
  tool('listOrders', { method: 'GET', path: '/orders', description: 'Lists the orders of a customer.' }),
  tool('createOrder', { method: 'POST', path: '/orders', description: 'Places an order.' }),
  tool('deleteOrder', { method: 'DELETE', path: '/orders/{orderId}', description: 'Cancels an order.' }),
  tool('getInvoice', { method: 'GET', path: '/invoices/{invoiceId}', description: 'One invoice as PDF.' }),
  tool('weather', {
    group: 'meteo',
    groupWords: ['Météo'],
    method: 'GET',
    path: '/forecast',
    description: '天気予報を取得します',
  }),
);

describe('a search', () => {
  it.each([
    ['a name that is split', 'list orders', 'listOrders'],
    ['another word for what a method does', 'remove an order', 'deleteOrder'],
    ['a verb that nothing here says', 'retrieve the invoice', 'getInvoice'],
    ['another ending', 'creating orders', 'createOrder'],
    ['a letter that is wrong', 'invioce', 'getInvoice'],
    ['the path', '/forecast', 'weather'],
    ['the API', 'meteo', 'weather'],
    ['a script without spaces', '今日の天気', 'weather'],
    [
      'what is asked for among much else',
      'Hello! Could you please show me the weather, if that is possible?',
      'weather',
    ],
  ])('finds by %s', (_, query, expected) => {
    expect(find(shop, query)[0]).toBe(expected);
  });

  it.each([
    '',
    '   ',
    '???',
    'the of and',
    'qwertzuiop',
    'данные клиента',
    '{"query":1}',
    '__proto__ constructor',
  ])('has an answer to %j, if an empty one', (query) => {
    expect(shop.search({ query, limit: 5 }).hits.length).toBeLessThanOrEqual(5);
  });

  it('shows what may be shown, and counts only that', () => {
    const allows = (key: string) => key !== 'listOrders';
    const { hits, total } = shop.search({ query: 'orders', limit: 5, allows });
    expect(hits.map(({ key }) => key)).not.toContain('listOrders');
    expect(total).toBe(2);
  });

  it('takes a word as misspelt where only what may not be shown has it', () => {
    const index = indexOf(tool('invoice'), tool('invoices_secret', { name: 'invoyce' }));
    const hits = index.search({ query: 'invoyce', limit: 5, allows: (key) => key === 'invoice' }).hits;
    expect(hits.map(({ key }) => key)).toEqual(['invoice']);
  });

  it('lets the tools of the API that is spoken of go first', () => {
    const index = indexOf(
      tool('a', { group: 'mail', groupWords: ['mail'], name: 'send', description: 'Sends.' }),
      tool('b', {
        group: 'mail',
        groupWords: ['mail'],
        name: 'draft',
        description: 'A message with attachments.',
      }),
      tool('c', { group: 'chat', groupWords: ['chat'], name: 'send', description: 'Sends.' }),
    );
    expect(find(index, 'send attachments').indexOf('a')).toBeLessThan(
      find(index, 'send attachments').indexOf('c'),
    );
  });

  it('has a limit', () => {
    expect(find(shop, 'order invoice weather', 2)).toHaveLength(2);
  });
});

describe('an index that changes', () => {
  it('forgets what was taken out and takes the new for the old', () => {
    const index = indexOf(tool('a', { description: 'apples' }), tool('b', { description: 'pears' }));
    index.add(tool('a', { description: 'plums' }));
    index.remove('b');
    index.remove('never there');
    expect(find(index, 'apples')).toEqual([]);
    expect(find(index, 'pears')).toEqual([]);
    expect(find(index, 'plums')).toEqual(['a']);
    expect(index.size).toBe(1);
  });

  it('answers as one that was built from what is there', () => {
    const words = fc.constantFrom('order', 'invoice', 'get', 'list', 'customer', 'create', 'by', 'id');
    const text = fc.array(words, { maxLength: 6 }).map((some) => some.join(' '));
    const documents = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      group: fc.constantFrom('x', 'y'),
      name: text,
      description: text,
      path: fc.constantFrom('/orders', '/orders/{order_id}', '/invoices/{id}'),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
    });
    const steps = fc.array(fc.tuple(documents, fc.boolean()), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(steps, text, (changes, query) => {
        const index = new SearchIndex();
        const there = new Map<string, SearchDocument>();
        for (const [{ key, ...rest }, removes] of changes) {
          there.delete(key);
          index.remove(key);
          if (removes) continue;
          there.set(key, tool(key, rest));
          index.add(there.get(key)!);
        }
        const byKey = (one: { key: string }, other: { key: string }) => (one.key < other.key ? -1 : 1);
        const answer = (one: SearchIndex) => {
          const { hits, total } = one.search({ query, limit: 10 });
          return { hits: [...hits].sort(byKey), total };
        };
        expect(answer(index)).toEqual(answer(indexOf(...there.values())));
      }),
    );
  });
});

describe('what an operation needs', () => {
  const film = (key: string, path: string, more: Partial<SearchDocument> = {}) =>
    tool(key, { group: 'film', groupWords: ['film'], method: 'GET', path, name: key, ...more });
  const searchBox = { name: 'query', description: '', place: 'query', freeText: true } as const;
  const list = { replyFields: ['results', 'id', 'name'], repliesMany: true };
  const films = indexOf(
    film('credits', '/person/{person_id}/credits', { description: 'What somebody played in.' }),
    film('search_person', '/search/person', { ...list, parameters: [searchBox] }),
    film('popular_people', '/person/popular', list),
    film('add_person', '/person', { method: 'POST', ...list }),
    film('person_image', '/person/{person_id}/image', { description: 'A picture.' }),
  );

  it('comes along in a place of its own, a search before a list', () => {
    const { hits } = films.search({ query: 'what somebody played in', limit: 5 });
    expect(hits.slice(0, 2)).toEqual([
      { key: 'credits', needs: ['search_person'] },
      { key: 'search_person', needs: [] },
    ]);
  });

  it('is something that may be shown', () => {
    const { hits } = films.search({ query: 'picture', limit: 5, allows: (key) => key !== 'search_person' });
    expect(hits[0]).toEqual({ key: 'person_image', needs: ['popular_people'] });
    const none = films.search({ query: 'picture', limit: 5, allows: (key) => key === 'person_image' });
    expect(none.hits).toEqual([{ key: 'person_image', needs: [] }]);
  });

  it('is found by the path where an id has no name, and told by a field of that name', () => {
    const index = indexOf(
      film('one', '/users/{id}', { description: 'profile' }),
      film('all', '/users', list),
      film('order', '/orders', {
        method: 'POST',
        description: 'purchase',
        parameters: [{ name: 'basket_id', description: '', place: 'body', required: true }],
      }),
      film('cart', '/cart', { replyFields: ['basketId'], repliesMany: false }),
    );
    expect(index.search({ query: 'profile', limit: 5 }).hits[0]).toEqual({ key: 'one', needs: ['all'] });
    expect(index.search({ query: 'purchase', limit: 5 }).hits[0]).toEqual({ key: 'order', needs: ['cart'] });
  });
});
