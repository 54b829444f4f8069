import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.ts';
import type { SearchDocument } from './tool-document.ts';
import { SearchIndex } from './search-index.ts';
import type { SearchSegment } from './search-segment.ts';

const tool = (key: string, more: Partial<SearchDocument> = {}): SearchDocument => ({
  key,
  api: 'shop',
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

/** The same documents as a thread hands them over. */
function segmentOf(...documents: readonly SearchDocument[]): SearchSegment {
  return structuredClone(indexOf(...documents).toSegment(documents));
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

  it('takes a word as misspelled if only documents outside the scope have it', () => {
    const index = indexOf(tool('invoice'), tool('invoices_secret', { name: 'invoyce' }));
    const hits = index.search({ query: 'invoyce', limit: 5, scope: index.scope(() => ['invoice']) }).hits;
    expect(hits.map(({ key }) => key)).toEqual(['invoice']);
  });

  const things = indexOf(
    tool('update_customer', {
      method: 'POST',
      path: '/customers/{customer}',
      description: 'Updates a customer.',
    }),
    tool('delete_customer', {
      method: 'DELETE',
      path: '/customers/{customer}',
      description: 'Deletes a customer.',
    }),
    tool('update_source', {
      method: 'POST',
      path: '/customers/{customer}/sources/{id}',
      description: 'Updates a source of a customer, such as its email.',
    }),
    tool('create_refund', { method: 'POST', path: '/refunds', description: 'Returns a charge.' }),
    tool('list_members', {
      method: 'GET',
      path: '/members',
      description: 'Everyone here.',
      repliesMany: true,
    }),
    tool('create_pull', { method: 'POST', path: '/pulls', description: 'Opens a pull request.' }),
    tool('get_report', { method: 'GET', path: '/report', description: 'The report.', isDeprecated: true }),
    tool('read_report', { method: 'GET', path: '/v2/report', description: 'Report, second version.' }),
  );
  it.each([
    ['the verb and the depth', 'update customer email', 'update_customer'],
    ['everyday words', 'money back for a buyer', 'create_refund'],
    ['an abbreviation', 'PR', 'create_pull'],
    ['a question', 'who is here', 'list_members'],
    ['what is not deprecated', 'get report', 'read_report'],
  ])('ranks by %s', (_, query, expected) => {
    expect(find(things, query)[0]).toBe(expected);
  });

  it('has words of the query that the first results lack among the next ones', () => {
    const songs = ['one', 'two', 'three', 'four'].map((name) => tool(name, { description: 'song lyrics' }));
    const index = indexOf(
      ...songs,
      tool('five', { name: 'artist', description: 'a biography of an artist, in very many words' }),
    );
    expect(find(index, 'song lyrics artist', 3)).toContain('five');
  });

  it('depends on the query and the documents of its scope alone', () => {
    const word = fc.constantFrom(
      'order',
      'invoice',
      'list',
      'customer',
      'delete',
      'update',
      'refund',
      'ordr',
    );
    const text = fc.array(word, { maxLength: 5 }).map((some) => some.join(' '));
    const document = fc.record({
      api: fc.constantFrom('x', 'y'),
      group: fc.constantFrom('x a', 'x b', 'y a'),
      name: text,
      description: text,
      path: fc.constantFrom('/orders', '/orders/{order_id}', '/invoices/{id}', '/invoices'),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      isDeprecated: fc.boolean(),
    });
    const documents = (prefix: string) =>
      fc
        .array(document, { minLength: 1, maxLength: 8 })
        .map((some) =>
          some.map((one, n) => tool(`${prefix}${n}`, { ...one, name: `${one.name} ${prefix}${n}` })),
        );
    const queries = fc.array(text, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        documents('own'),
        documents('other'),
        queries,
        fc.integer(),
        (own, others, asked, order) => {
          const alone = indexOf(...own);
          const together = indexOf(
            ...(order % 2 === 0 ? [...others, ...own] : [...own, ...others.toReversed()]),
          );
          together.remove(others[0]!.key);
          const scope = together.scope(() => own.map(({ key }) => key));
          const other = together.scope(() => others.map(({ key }) => key));
          for (const query of asked) {
            together.search({ query, limit: 8, scope: other });
            expect(together.search({ query, limit: 8, scope })).toEqual(alone.search({ query, limit: 8 }));
          }
        },
      ),
    );
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
    const change = fc.tuple(documents, fc.constantFrom('add', 'remove', 'adopt'));
    const steps = fc.array(change, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(steps, text, (changes, query) => {
        const index = new SearchIndex();
        const there = new Map<string, SearchDocument>();
        let together = new Map<string, SearchDocument>();
        const adopt = () => {
          index.adopt(segmentOf(...together.values()), [...together.values()]);
          together = new Map();
        };
        for (const [{ key, ...rest }, how] of changes) {
          there.delete(key);
          together.delete(key);
          if (how === 'remove') index.remove(key);
          if (how !== 'remove') there.set(key, tool(key, rest));
          if (how === 'add') index.add(there.get(key)!);
          // What is indexed elsewhere comes in twos and threes, and replaces what is there.
          if (how === 'adopt') together.set(key, there.get(key)!);
          if (how === 'adopt' && together.size > 1 + (query.length % 2)) adopt();
        }
        adopt();
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

describe('an index that adopts segments', () => {
  const documents = Array.from({ length: 12 }, (_, n) =>
    tool(`get_order_${n}`, {
      path: `/orders-${n}/{id}`,
      method: 'GET',
      description: `Order ${n} of a buyer.`,
    }),
  );

  it('leaves out what is not wanted any more, and says what is left of a segment that lost most', () => {
    const index = indexOf(tool('get_order_3', { description: 'newer' }));
    index.adopt(
      segmentOf(...documents),
      documents.map((document) => (document.key === 'get_order_3' ? null : document)),
    );
    expect(index.size).toBe(12);
    expect(find(index, 'newer')).toEqual(['get_order_3']);
    expect(index.scattered()).toEqual([]);
    for (const { key } of documents.slice(4, 11)) index.remove(key);
    expect(index.scattered()).toEqual(['get_order_0', 'get_order_1', 'get_order_2', 'get_order_11']);
    for (const { key } of documents) index.remove(key);
    expect(index.size).toBe(0);
    expect(find(index, 'order')).toEqual([]);
  });

  it('uses the slots of a segment that is gone again, so that changes never fill it', () => {
    const index = new SearchIndex();
    for (let round = 0; round < 30; round++) index.adopt(segmentOf(...documents), documents);
    expect(index.size).toBe(12);
    for (const document of documents) index.add(document);
    expect(find(index, 'order 7')[0]).toBe('get_order_7');
    expect(index.scattered()).toEqual([]);
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

  it('comes after the hits, and a search comes before a list', () => {
    const { hits } = films.search({ query: 'what somebody played in', limit: 5 });
    expect(hits).toEqual([
      { key: 'credits', needs: ['search_person'] },
      { key: 'search_person', needs: [] },
    ]);
  });

  it('takes no place among the first five', () => {
    const index = indexOf(
      ...[1, 2, 3, 4, 5, 6].map((n) =>
        film(`image${n}`, `/person/{person_id}/image${n}`, { description: 'picture' }),
      ),
      film('search_person', '/search/person', { ...list, parameters: [searchBox] }),
    );
    const keys = (limit: number) => index.search({ query: 'picture', limit }).hits.map(({ key }) => key);
    const five = ['image1', 'image2', 'image3', 'image4', 'image5'];
    expect(keys(5)).toEqual([...five, 'search_person']);
    expect(keys(10)).toEqual([...five, 'search_person', 'image6']);
    expect(keys(2)).toEqual(['image1', 'image2', 'search_person']);
  });

  it('is something that may be shown', () => {
    const others = films.search({ query: 'picture', limit: 5, allows: (key) => key !== 'search_person' });
    expect(others.hits[0]).toEqual({ key: 'person_image', needs: [] });
    const scope = films.scope(() => ['person_image']);
    expect(films.search({ query: 'picture', limit: 5, scope }).hits).toEqual([
      { key: 'person_image', needs: [] },
    ]);
  });

  it.each([
    ['the collection itself', '/incidents/{id}', '/incidents', 'GET', ['other']],
    ['a collection with an extension', '/incidents/{Sid}.json', '/incidents.json', 'GET', ['other']],
    ['nothing that creates', '/incidents/{id}', '/incidents', 'POST', []],
    ['nothing of another noun', '/incidents/{id}', '/incident_workflows', 'GET', []],
    ['nothing of the same noun elsewhere', '/customers/{customer}/cards/{id}', '/issuing/cards', 'GET', []],
    ['nothing that needs another id', '/incidents/{id}', '/teams/{team_id}/incidents', 'GET', []],
    [
      'what shares the ids before it',
      '/teams/{team_id}/runs/{run_id}/jobs',
      '/teams/{team_id}/runs',
      'GET',
      ['other'],
    ],
  ])('is %s', (_, path, other, method, needs) => {
    const index = indexOf(
      film('one', path, { description: 'zebra' }),
      film('other', other, { ...list, method }),
    );
    expect(index.search({ query: 'zebra', limit: 1 }).hits[0]!.needs).toEqual(needs);
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
      film('baskets', '/shop/baskets', { replyFields: ['basketId'], repliesMany: true }),
      film('cart', '/cart', { replyFields: ['basketId'], repliesMany: false }),
    );
    expect(index.search({ query: 'profile', limit: 5 }).hits[0]).toEqual({ key: 'one', needs: ['all'] });
    expect(index.search({ query: 'purchase', limit: 5 }).hits[0]).toEqual({
      key: 'order',
      needs: ['baskets'],
    });
  });
});
