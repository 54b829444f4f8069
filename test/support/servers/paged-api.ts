import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, json } from './http-server.ts';

/** One list of an API: how its document describes it, how it answers, and what a call that gathers it has to come to. */
export interface PagedList {
  readonly name: string;
  /** The names of its arguments; a schema where it needs one. */
  readonly takes?: readonly (string | { readonly name: string; readonly schema: object })[];
  /** What else its operation says. */
  readonly says?: object;
  /** The schema of its reply. */
  readonly reply?: object;
  readonly headers?: object;
  readonly method?: 'get' | 'post';
  readonly args?: object;
  readonly maxItems?: number;
  readonly answer: Answer;
  /** How its records are written where that is not JSON. */
  readonly written?: 'lines' | 'rows' | 'elements';
  /** The ids that come, in order. */
  readonly ids: readonly (number | string)[];
  /** What the line behind the records says. */
  readonly told: RegExp;
  /** The most requests that this may take. */
  readonly requests: number;
}

export interface Asked {
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** How often this list was asked before. */
  readonly before: number;
  readonly origin: string;
  readonly path: string;
}

export type Answer = (asked: Asked) => {
  readonly value: unknown;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Sent in place of the value, as the type that the headers name. */
  readonly text?: string;
};

export const all = 35;
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
export const records = (from: number, to: number) =>
  numbers(from, Math.min(to, all)).map((id) => ({
    id,
    name: `Thing ${id} of this list, which goes on for a while`,
  }));
export const everything = numbers(1, all);
export const size = 10;
/** The records of a page, the first of which is 1. */
export const paged = (page: number, of = size) => records((page - 1) * of + 1, page * of);
export const number = (text: string | null, otherwise: number) => (text === null ? otherwise : Number(text));
export const whole = /^\[All 35 records of \d+ pages\.\]$/;

const plain: readonly PagedList[] = [
  {
    name: 'header_with_links',
    takes: ['per_page'],
    headers: { Link: { schema: { type: 'string' } } },
    answer: ({ query, origin, path }) => {
      const page = number(query.get('page'), 1);
      const links = [`<${origin}${path}?page=1>; rel="first"`];
      if (page < 4) links.unshift(`<${origin}${path}?page=${page + 1}>; rel="next"`);
      return { value: paged(page), headers: { link: links.join(', ') } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'next_url_in_body',
    reply: {
      type: 'object',
      properties: { next: { type: 'string' }, results: { type: 'array', items: {} } },
    },
    answer: ({ query, origin, path }) => {
      const page = number(query.get('p'), 1);
      return {
        value: { count: all, next: page < 4 ? `${origin}${path}?p=${page + 1}` : null, results: paged(page) },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'relative_next_url',
    says: { 'x-ms-pageable': { nextLinkName: '@odata.nextLink' } },
    answer: ({ query, path }) => {
      const skip = number(query.get('$skip'), 0);
      const next = skip + size < all && { '@odata.nextLink': `${path}?$skip=${skip + size}` };
      return { value: { value: records(skip + 1, skip + size), ...next } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'linked_list',
    answer: ({ query, path }) => {
      const page = number(query.get('page'), 1);
      const _links = {
        self: { href: path },
        ...(page < 4 && { next: { href: `${path}?page=${page + 1}` } }),
      };
      return { value: { _embedded: { things: paged(page) }, _links } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'next_token',
    takes: ['pageToken', 'maxResults'],
    answer: ({ query }) => {
      const page = number(query.get('pageToken')?.slice(1) ?? null, 1);
      // The last page has neither a token nor, when it is empty, a list.
      return {
        value: {
          ...(page < 5 && { items: paged(page) }),
          ...(page < 5 && { nextPageToken: `t${page + 1}` }),
        },
      };
    },
    ids: everything,
    told: /^\[All 35 records of 5 pages\.\]$/,
    requests: 5,
  },
  {
    name: 'cursor_in_holder',
    takes: ['cursor', 'limit'],
    answer: ({ query }) => {
      const page = number(query.get('cursor'), 101) - 100;
      return {
        value: {
          ok: true,
          channels: paged(page),
          response_metadata: { next_cursor: page < 4 ? String(page + 101) : '' },
        },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'page_and_size',
    takes: ['page', 'per_page'],
    args: { per_page: 10 },
    answer: ({ query }) => ({ value: { data: paged(number(query.get('page'), 1)), total: all } }),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'pages_from_zero',
    takes: ['page', 'size'],
    answer: ({ query }) => {
      const page = number(query.get('page'), 0);
      return {
        value: { content: paged(page + 1), number: page, last: page === 3, totalElements: all, sort: ['x'] },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'untold_pages_from_zero',
    takes: ['page'],
    answer: ({ query }) => ({ value: paged(number(query.get('page'), 0) + 1) }),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'offset_and_limit',
    takes: ['offset', 'limit'],
    // Asked for fifty, it gives ten.
    args: { limit: 50 },
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return { value: { rows: records(offset + 1, offset + size) } };
    },
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'after_the_last',
    takes: ['starting_after', 'limit'],
    answer: ({ query }) => {
      const after = number(query.get('starting_after'), 0);
      return {
        value: { object: 'list', data: records(after + 1, after + size), has_more: after + size < all },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'graphql_connection',
    method: 'post',
    args: {
      query:
        'query($first: Int, $after: String) { things(first: $first, after: $after) { edges { node { id } } } }',
      variables: { first: 10 },
    },
    answer: ({ body }) => {
      const { after, first } = (body as { variables: { after?: string; first: number } }).variables;
      const from = after === undefined ? 0 : Number(atob(after));
      const last = Math.min(from + first, all);
      return {
        value: {
          data: {
            things: {
              edges: records(from + 1, last).map((node) => ({ node, cursor: btoa(String(node.id)) })),
              pageInfo: { hasNextPage: last < all, endCursor: btoa(String(last)) },
            },
          },
        },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'told_by_an_extension',
    takes: ['from', 'howMany'],
    says: {
      'x-speakeasy-pagination': {
        type: 'offsetLimit',
        inputs: [
          { name: 'from', in: 'parameters', type: 'offset' },
          { name: 'howMany', in: 'parameters', type: 'limit' },
        ],
        outputs: { results: '$.payload.list' },
      },
    },
    answer: ({ query }) => {
      const offset = number(query.get('from'), 0);
      return { value: { payload: { list: records(offset + 1, offset + size) }, tags: [{ a: 1 }] } };
    },
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'next_page_in_headers',
    takes: ['page', 'per_page'],
    answer: ({ query }) => {
      const page = number(query.get('page'), 1);
      return {
        value: paged(page),
        headers: { 'x-next-page': page < 4 ? String(page + 1) : '', 'x-total': '35' },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
];

/** More of the same, with lists that are harder to find. */
const harder: readonly PagedList[] = [
  {
    name: 'list_beside_others',
    takes: ['after', 'limit'],
    answer: ({ query }) => {
      const after = number(query.get('after'), 0);
      const next = after + size < all && {
        next: { after: String(after + size), link: 'https://elsewhere.test/x' },
      };
      return {
        value: {
          errors: [],
          facets: [{ name: 'a' }],
          data: { users: records(after + 1, after + size) },
          paging: { ...next },
        },
      };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'address_without_a_slash',
    answer: ({ query }) => {
      const page = number(query.get('p'), 1);
      return { value: { rows: paged(page), next: page < 4 ? `address_without_a_slash?p=${page + 1}` : '' } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'told_in_a_header',
    takes: ['pageNumber', 'pageSize'],
    answer: ({ query }) => {
      const page = number(query.get('pageNumber'), 1);
      const told = { TotalCount: all, CurrentPage: page, HasNext: page < 4 };
      return { value: paged(page), headers: { 'x-pagination': JSON.stringify(told) } };
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
];

/** Lists that do not keep to what they say. */
export const misbehaving: readonly PagedList[] = [
  {
    name: 'loop_of_cursors',
    takes: ['cursor'],
    answer: ({ query }) => {
      const page = number(query.get('cursor'), 1);
      return { value: { items: paged(page), next_cursor: String((page % 3) + 1) } };
    },
    ids: numbers(1, 30),
    told: /30 records of \d pages: the API (?:led back|kept sending)/,
    requests: 5,
  },
  {
    name: 'loop_of_addresses',
    answer: ({ path }) => ({ value: { results: paged(1), next: `${path}?again=1` } }),
    ids: numbers(1, 10),
    told: /the API (?:led back|kept sending)/,
    requests: 3,
  },
  {
    name: 'page_is_ignored',
    takes: ['page', 'per_page'],
    answer: () => ({ value: { data: paged(1) } }),
    ids: numbers(1, 10),
    told: /10 records of \d pages: the API kept sending records already received/,
    requests: 3,
  },
  {
    name: 'last_page_for_ever',
    takes: ['page'],
    answer: ({ query }) => ({ value: { data: paged(Math.min(4, number(query.get('page'), 1))), page: 1 } }),
    ids: everything,
    told: /35 records of \d pages: the API kept sending records already received/,
    requests: 6,
  },
  {
    name: 'total_too_low',
    takes: ['page', 'per_page'],
    args: { per_page: 10 },
    answer: ({ query }) => ({ value: { data: paged(number(query.get('page'), 1)), total: 10 } }),
    ids: everything,
    told: /All 35 records of \d pages\. The API reports 10/,
    requests: 6,
  },
  {
    name: 'total_too_high',
    takes: ['offset', 'limit'],
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return { value: { data: records(offset + 1, offset + size), total: 1_000 } };
    },
    ids: everything,
    told: /All 35 records of 5 pages\. The API reports 1000/,
    requests: 5,
  },
  {
    name: 'fails_in_the_middle',
    takes: ['cursor'],
    answer: ({ query }) => {
      const page = number(query.get('cursor'), 1);
      if (page === 3) return { status: 500, value: { message: 'out of order' } };
      return { value: { items: paged(page), next_cursor: page < 4 ? String(page + 1) : null } };
    },
    ids: numbers(1, 20),
    told: /20 records of 2 pages: not all: the next page failed \(.*500.*To continue, call with \{"cursor":"3"\}/,
    requests: 3,
  },
  {
    name: 'busy_in_the_middle',
    takes: ['page'],
    answer: ({ query, before }) => {
      const page = number(query.get('page'), 1);
      if (before === 2)
        return { status: 429, value: { message: 'slow down' }, headers: { 'retry-after-ms': '30' } };
      return { value: { page, data: paged(page), has_more: page < 4 } };
    },
    ids: everything,
    told: whole,
    requests: 5,
  },
  {
    name: 'cursor_that_never_ends',
    takes: ['cursor'],
    answer: ({ before }) => ({
      value: {
        items: numbers(before * 10 + 1, before * 10 + 10).map((id) => ({ id })),
        next_cursor: `c${before}`,
      },
    }),
    ids: numbers(1, 120),
    told: /120 records of 12 pages: not all: the page limit for one call was reached/,
    requests: 12,
  },
  {
    name: 'empty_pages_that_never_end',
    takes: ['cursor'],
    answer: ({ before }) => ({ value: { items: [], next_cursor: `c${before}` } }),
    ids: [],
    told: /0 records of 12 pages: not all: the page limit for one call was reached/,
    requests: 12,
  },
  {
    name: 'shifts_while_it_is_read',
    takes: ['page', 'per_page'],
    answer: ({ query }) => {
      // Two were added in front after the first page.
      const page = number(query.get('page'), 1);
      const from = (page - 1) * 10 + 1 - (page > 1 ? 2 : 0);
      return { value: { page, data: records(from, from + 9), last_page: 4 } };
    },
    ids: everything,
    told: /All 35 records of \d pages\. 2 repeated records left out/,
    requests: 6,
  },
  {
    name: 'short_page_in_the_middle',
    takes: ['offset', 'limit'],
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return { value: { data: records(offset + 1, offset + (offset === 10 ? 3 : 10)) } };
    },
    ids: everything,
    told: /All 35 records of \d pages/,
    requests: 6,
  },
  {
    name: 'refuses_the_page_behind_the_last',
    takes: ['page'],
    answer: ({ query }) => {
      const page = number(query.get('page'), 1);
      return page > 4
        ? { status: 404, value: { detail: 'Invalid page.' } }
        : { value: { page, results: paged(page) } };
    },
    ids: everything,
    told: /All 35 records of 4 pages/,
    requests: 5,
  },
  {
    name: 'page_is_ignored_and_records_change',
    takes: ['page', 'per_page'],
    answer: ({ before }) => ({ value: { data: paged(1).map((one) => ({ ...one, readAt: before })) } }),
    ids: numbers(1, 10),
    told: /10 records of \d pages: the API kept sending records already received/,
    requests: 3,
  },
  {
    name: 'record_twice_on_a_page',
    takes: ['cursor'],
    answer: ({ query }) => {
      const page = number(query.get('cursor'), 1);
      const twice = paged(page).flatMap((one) => (one.id === 12 ? [one, one] : [one]));
      return { value: { items: twice, next_cursor: page < 4 ? String(page + 1) : null } };
    },
    ids: everything,
    told: /All 35 records of 4 pages\. 1 repeated record left out/,
    requests: 4,
  },
  {
    name: 'busy_for_hours',
    takes: ['cursor'],
    answer: ({ query }) =>
      query.get('cursor') === null
        ? { value: { items: paged(1), next_cursor: 'x' } }
        : { value: {}, status: 503, headers: { 'retry-after': '7200' } },
    ids: numbers(1, 10),
    told: /10 records of 1 page: not all: the next page failed/,
    requests: 2,
  },
  {
    name: 'leads_to_another_host',
    answer: () => ({ value: { results: paged(1), next: 'http://169.254.169.254/latest/meta-data' } }),
    ids: numbers(1, 10),
    told: /not followed, because it is at http:\/\/169\.254\.169\.254/,
    requests: 1,
  },
  {
    name: 'page_that_is_no_json',
    takes: ['cursor'],
    answer: ({ query }) =>
      query.get('cursor') === null
        ? { value: { items: paged(1), next_cursor: 'x' } }
        : { value: undefined, headers: { 'content-type': 'text/html' } },
    ids: numbers(1, 10),
    told: /not all: the next page failed \(its reply is not JSON\)/,
    requests: 2,
  },
  {
    name: 'error_that_came_as_a_page',
    takes: ['cursor'],
    answer: ({ query }) =>
      query.get('cursor') === null
        ? { value: { ok: true, items: paged(1), next_cursor: 'x' } }
        : { value: { ok: false, error: 'ratelimited' } },
    ids: numbers(1, 10),
    told: /10 records of 1 page: not all: the next page failed \(The API answered HTTP 200, but its reply reports an error: ratelimited/,
    requests: 2,
  },
  {
    name: 'list_that_moves',
    takes: ['cursor'],
    answer: ({ query }) =>
      query.get('cursor') === null
        ? { value: { items: paged(1), next_cursor: 'x' } }
        : { value: { data: { list: paged(2) }, next_cursor: 'y' } },
    ids: numbers(1, 10),
    told: /10 records of 1 page: not all: the next page failed \(its list is in a different place\)/,
    requests: 2,
  },
  {
    name: 'list_of_one_without_a_list',
    takes: ['cursor'],
    answer: ({ query }) =>
      query.get('cursor') === null
        ? { value: { items: paged(1), next_cursor: 'x' } }
        : { value: { items: records(11, 11)[0], next_cursor: null } },
    ids: numbers(1, 11),
    told: /All 11 records of 2 pages/,
    requests: 2,
  },
  {
    name: 'more_than_was_asked_for',
    takes: ['page'],
    maxItems: 25,
    answer: ({ query }) => ({
      value: { page: number(query.get('page'), 1), data: paged(number(query.get('page'), 1)) },
    }),
    ids: numbers(1, 25),
    told: /25 records of 3 pages: not all: .*To continue, call with \{"page":3\}/,
    requests: 3,
  },
];

function typeOf(name: string): string {
  return /page$|size|limit|offset|from|howMany/i.test(name) ? 'integer' : 'string';
}

/** Ways in which APIs give out lists page by page. */
export const styles: readonly PagedList[] = [...plain, ...harder];

/** The document of an API with these lists. */
export function documentOf(lists: readonly PagedList[], origin: string): object {
  const paths = lists.map(({ name, takes = [], says, reply, headers, method = 'get' }) => [
    `/${name}`,
    {
      [method]: {
        operationId: name,
        summary: `Lists things: ${name}`,
        parameters: takes.map((one) => ({
          name: typeof one === 'string' ? one : one.name,
          in: 'query',
          schema: typeof one === 'string' ? { type: typeOf(one) } : one.schema,
        })),
        ...(method === 'post' && {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { query: { type: 'string' }, variables: { type: 'object' } },
                },
              },
            },
          },
        }),
        responses: {
          200: {
            description: 'ok',
            ...(headers && { headers }),
            content: { 'application/json': { schema: reply ?? {} } },
          },
        },
        ...says,
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Paged', version: '1' },
    servers: [{ url: origin }],
    paths: Object.fromEntries(paths),
  };
}

/** Answers for the lists, and counts what each is asked. */
export function answerLists(lists: readonly PagedList[]) {
  const counts = new Map<string, number>();
  return {
    counts,
    async listener(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const url = new URL(request.url!, `http://${request.headers.host}`);
      const name = url.pathname.slice(1);
      const list = lists.find((one) => one.name === name);
      if (list === undefined) return json(response, 404, { message: `no ${name}` });
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      const text = await bodyOf(request);
      const body: unknown = text === '' ? null : JSON.parse(text);
      const {
        value,
        status = 200,
        headers = {},
        text: written,
      } = list.answer({
        query: url.searchParams,
        body,
        before,
        origin: url.origin,
        path: url.pathname,
      });
      if (written !== undefined) response.writeHead(status, headers).end(written);
      else if (value === undefined) response.writeHead(status, headers).end('<html>Sign in</html>');
      else json(response, status, value, headers);
    },
  };
}
