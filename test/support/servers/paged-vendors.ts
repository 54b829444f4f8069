import { all, everything, number, paged, type PagedList, records, size, whole } from './paged-api.ts';

const integer = (name: string) => ({ name, schema: { type: 'integer' } });
const text = { type: 'string' };
const replyOf = (properties: object) => ({ type: 'object', properties });
const list = { type: 'array', items: { type: 'object' } };

/** Lists as large vendors give them out, where names and places are not those that most have. */
export const vendors: readonly PagedList[] = [
  {
    name: 'cluster_objects',
    takes: [integer('limit'), 'continue'],
    reply: replyOf({ metadata: replyOf({ continue: text, remainingItemCount: {} }), items: list }),
    answer: ({ query }) => {
      const page = number(query.get('continue')?.slice(1) ?? null, 1);
      return { value: { items: paged(page), metadata: { continue: page < 4 ? `c${page + 1}` : '' } } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'token_of_another_name',
    takes: ['pagination_token', integer('max_results')],
    answer: ({ query }) => {
      const page = number(query.get('pagination_token')?.slice(1) ?? null, 1);
      return { value: { data: paged(page), meta: { ...(page < 4 && { next_token: `t${page + 1}` }) } } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'token_called_offset',
    takes: [{ name: 'offset', schema: text }, integer('pageSize')],
    reply: replyOf({ records: list, offset: text }),
    answer: ({ query }) => {
      const page = number(query.get('offset')?.slice(3) ?? null, 1);
      return { value: { records: paged(page), ...(page < 4 && { offset: `itr${page + 1}` }) } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'token_called_offset_untold',
    takes: [{ name: 'offset', schema: text }],
    answer: ({ query }) => {
      const page = number(query.get('offset')?.slice(3) ?? null, 1);
      return { value: { records: paged(page), ...(page < 4 && { offset: `itr${page + 1}` }) } };
    },
    ids: everything,
    told: /^\[All 35 records of \d pages\.\]$/,
    requests: 5,
  },
  {
    name: 'next_start_in_the_reply',
    takes: [integer('start'), integer('limit')],
    answer: ({ query }) => {
      const start = number(query.get('start'), 0);
      const more = start + size < all;
      return {
        value: {
          values: records(start + 1, start + size),
          isLastPage: !more,
          ...(more && { nextPageStart: start + size }),
        },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'more_items_in_collection',
    takes: [integer('start'), integer('limit')],
    answer: ({ query }) => {
      const start = number(query.get('start'), 0);
      const more = start + size < all;
      const pagination = { start, more_items_in_collection: more, ...(more && { next_start: start + size }) };
      return { value: { data: records(start + 1, start + size), additional_data: { pagination } } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'rows_from_a_start',
    takes: [integer('start'), integer('rows')],
    answer: ({ query }) => {
      const start = number(query.get('start'), 0);
      return { value: { response: { numFound: all, start, docs: records(start + 1, start + size) } } };
    },
    ids: everything,
    told: whole,
    requests: 5,
  },
  {
    name: 'hits_from_and_size',
    takes: [integer('from'), integer('size')],
    answer: ({ query }) => {
      const from = number(query.get('from'), 0);
      return { value: { hits: { total: { value: all }, hits: records(from + 1, from + size) } } };
    },
    ids: everything,
    told: whole,
    requests: 5,
  },
  {
    name: 'since_the_last_id',
    takes: [integer('limit'), integer('since_id')],
    answer: ({ query }) => {
      const since = number(query.get('since_id'), 0);
      return { value: { orders: records(since + 1, since + size) } };
    },
    ids: everything,
    told: /^\[All 35 records of \d pages\.\]$/,
    requests: 5,
  },
  {
    name: 'page_is_an_object',
    says: {
      parameters: [
        {
          name: 'page',
          in: 'query',
          style: 'deepObject',
          explode: true,
          schema: replyOf({ number: { type: 'integer' }, size: { type: 'integer' } }),
        },
      ],
    },
    answer: ({ query }) => ({
      value: { data: paged(number(query.get('page[number]'), 1)), meta: { total: all } },
    }),
    ids: everything,
    told: /^\[All 35 records of \d pages\.\]$/,
    requests: 6,
  },
  {
    name: 'next_is_an_object',
    takes: ['starting_after', integer('per_page')],
    answer: ({ query }) => {
      const page = number(query.get('starting_after')?.slice(1) ?? null, 1);
      const next = page < 4 && { next: { page: page + 1, starting_after: `W${page + 1}` } };
      return { value: { data: paged(page), total_count: all, pages: { page, total_pages: 4, ...next } } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    // The last page has a cursor as well, and leads to pages that begin anew.
    name: 'cursors_beside_an_address',
    takes: ['after', integer('limit')],
    answer: ({ query, origin, path }) => {
      const page = number(query.get('after'), 1);
      const next = page < 4 && { next: `${origin}${path}?after=${page + 1}` };
      return {
        value: { data: paged(page), paging: { cursors: { before: 'b', after: String(page + 1) }, ...next } },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'pages_of_an_offset',
    takes: [integer('page_no')],
    says: { 'x-fern-pagination': { offset: '$request.page_no', results: '$response.rows' } },
    answer: ({ query }) => ({ value: { rows: paged(number(query.get('page_no'), 1)) } }),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'variable_of_any_name',
    method: 'post',
    args: {
      query: 'query($n: Int, $c: String) { things(first: $n, after: $c) { nodes { id } } }',
      variables: { n: 10 },
    },
    answer: ({ body }) => {
      const { variables } = body as { variables: { c?: string } };
      const from = Number(variables.c ?? 0);
      const pageInfo = { hasNextPage: from + size < all, endCursor: String(from + size) };
      return { value: { data: { things: { nodes: records(from + 1, from + size), pageInfo } } } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'question_by_post',
    method: 'post',
    says: {
      requestBody: {
        content: {
          'application/json': {
            schema: replyOf({ start_cursor: text, page_size: { type: 'integer' } }),
          },
        },
      },
    },
    reply: replyOf({ results: list, next_cursor: text, has_more: { type: 'boolean' } }),
    answer: ({ body }) => {
      const page = Number((body as { start_cursor?: string } | null)?.start_cursor ?? 1);
      return {
        value: { results: paged(page), next_cursor: page < 4 ? String(page + 1) : null, has_more: page < 4 },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'breaks_behind_the_last',
    takes: [integer('page')],
    answer: ({ query }) => {
      const page = number(query.get('page'), 1);
      if (page > 4) return { status: 500, value: { message: 'index out of range' } };
      return { value: { page, total_pages: 4, data: paged(page) } };
    },
    ids: everything,
    told: /^\[All 35 records of 4 pages\.\]$/,
    requests: 5,
  },
  {
    name: 'says_nothing_of_pages',
    answer: () => ({ value: { things: paged(1) } }),
    ids: everything.slice(0, 10),
    told: /^\[10 records of 1 page: the reply does not say whether there are more\.\]$/,
    requests: 1,
  },
  {
    name: 'speaks_of_more_and_no_way',
    answer: () => ({ value: { things: paged(1), total: 35 } }),
    ids: everything.slice(0, 10),
    told: /^\[10 records of 1 page: possibly not all: the reply does not say how to request more\. The API reports 35/,
    requests: 1,
  },
];

const step = { name: 'lint', next: 'build' };

/** Replies of which nobody told that they are pages: whether they lead on, and how to go on. */
export const undeclared: readonly {
  readonly name: string;
  readonly takes?: readonly string[];
  readonly value: (origin: string) => unknown;
  readonly told: RegExp | null;
}[] = [
  {
    name: 'address_of_its_own',
    takes: ['after', 'limit'],
    value: (origin) => ({ next: `${origin}/address_of_its_own?after=7&limit=2`, rows: [{ id: 6 }] }),
    told: /^\[There are more pages: call again with \{"after":"7","limit":"2"\}, or with all: true/,
  },
  {
    name: 'relative_address',
    value: () => ({ rows: [{ id: 6 }], links: { next: '?p=2' } }),
    told: /^\[There are more pages: call again with all: true for every page\.\]$/,
  },
  {
    name: 'marker_for_an_argument',
    takes: ['Marker'],
    value: () => ({ Items: [{ id: 6 }], IsTruncated: true, NextMarker: 'm2' }),
    told: /^\[There are more pages: call again with \{"Marker":"m2"\}, or/,
  },
  {
    name: 'connection',
    takes: ['first', 'after'],
    value: () => ({ edges: [{ node: { id: 1 } }], pageInfo: { endCursor: 'c1', hasNextPage: true } }),
    told: /^\[There are more pages: call again with \{"after":"c1"\}, or/,
  },
  { name: 'next_of_a_step', value: () => ({ ...step, tags: ['a'] }), told: null },
  { name: 'next_of_records', value: () => ({ steps: [step, step] }), told: null },
  {
    name: 'next_post',
    value: (origin) => ({ title: 't', next: `${origin}/posts/8`, comments: [{ id: 1 }] }),
    told: null,
  },
  {
    name: 'next_elsewhere',
    value: () => ({ rows: [{ id: 1 }], next: 'https://elsewhere.test/next_elsewhere?p=2' }),
    told: null,
  },
  { name: 'no_next', value: () => ({ rows: [{ id: 1 }], next: null, next_cursor: '' }), told: null },
  {
    name: 'last_page_of_a_connection',
    takes: ['after'],
    value: () => ({ nodes: [{ id: 1 }], pageInfo: { endCursor: 'c1', hasNextPage: false } }),
    told: null,
  },
  { name: 'next_in_a_text', value: () => ({ rows: [{ id: 1 }], note: 'the next one' }), told: null },
  { name: 'next_without_a_list', takes: ['page'], value: () => ({ next_page: 2, name: 'x' }), told: null },
];
