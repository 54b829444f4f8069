import {
  type Answer,
  type Asked,
  everything,
  number,
  numbers,
  paged,
  type PagedList,
  records,
  size,
  whole,
} from './paged-api.ts';

type Records = ReturnType<typeof records>;
type Written = NonNullable<PagedList['written']>;

/** Reads the ids of what came back, and throws where it is not one document of its format. */
export function idsWritten(written: Written, text: string): unknown[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  switch (written) {
    case 'lines':
      return lines.map((line) => (line.startsWith('{') ? (JSON.parse(line) as { id: unknown }).id : line));
    case 'rows':
      // The names of the columns come once, in front.
      return (lines[0]!.startsWith('id') ? lines.slice(1) : lines)
        .filter((line) => !line.startsWith('which'))
        .map((line) => (/^\d/.test(line) ? Number.parseInt(line, 10) : line));
    case 'elements': {
      const [, name = ''] = /^<([\w:]+)/.exec(text)!;
      if (!text.trimEnd().endsWith(`</${name}>`)) throw new Error(`<${name}> is not closed`);
      if (text.split(`<${name}`).length !== 2) throw new Error(`<${name}> comes more than once`);
      return [...text.matchAll(/<(?:\w+:)?id>(\d+)</gi)].map(([, id]) => Number(id));
    }
  }
}

const typed = (type: string, text: string, headers: Record<string, string> = {}): ReturnType<Answer> => ({
  value: null,
  text,
  headers: { 'content-type': type, ...headers },
});

const lines = (of: Records) => of.map((record) => `${JSON.stringify(record)}\n`).join('');
const names = 'id,name,note';
const row = ({ id, name }: Records[number]) => `${id},"${name}","It says ""${id}"",\r\nwhich goes on"`;
const rows = (of: Records, head: readonly string[] = [names]) =>
  [...head, ...of.map(row)].map((line) => `${line}\r\n`).join('');
const elements = (of: Records, name = 'thing', prefix = '') =>
  of
    .map(
      (record) =>
        `  <${prefix}${name}>\n    <${prefix}id>${record.id}</${prefix}id><${prefix}name>A &amp; ${record.name}</${prefix}name>\n  </${prefix}${name}>`,
    )
    .join('\n');
const xml = (inner: string, root = 'things') =>
  `<?xml version="1.0"?>\n<${root}>\n${inner}\n</${root.split(' ')[0]}>`;

const pageOf = ({ query }: Asked, name = 'page') => number(query.get(name), 1);
const linkTo = ({ origin, path }: Asked, page: number): Record<string, string> =>
  page > 4 ? {} : { link: `<${origin}${path}?page=${page}>; rel="next"` };

/** Lists that are written in lines, rows and elements. */
export const otherFormats: readonly PagedList[] = [
  {
    name: 'lines_with_a_link_header',
    written: 'lines',
    answer: (asked) =>
      typed('application/x-ndjson', lines(paged(pageOf(asked))), linkTo(asked, pageOf(asked) + 1)),
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'lines_that_are_called_json',
    takes: ['page', 'per_page'],
    written: 'lines',
    answer: (asked) => typed('application/json', lines(paged(pageOf(asked)))),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'sequence_after_the_last',
    takes: ['starting_after', 'limit'],
    written: 'lines',
    answer: ({ query }) => {
      const after = number(query.get('starting_after'), 0);
      const some = records(after + 1, after + size);
      return typed(
        'application/json-seq',
        some.map((one) => `\u001e${JSON.stringify(one, null, 1)}\n`).join(''),
      );
    },
    ids: everything,
    told: whole,
    requests: 5,
  },
  {
    name: 'rows_by_offset',
    takes: ['offset', 'limit'],
    written: 'rows',
    args: { limit: 50 },
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return typed('text/csv; charset=utf-8', rows(records(offset + 1, offset + size)));
    },
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'rows_with_a_link_header',
    written: 'rows',
    answer: (asked) => typed('application/csv', rows(paged(pageOf(asked))), linkTo(asked, pageOf(asked) + 1)),
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'rows_with_a_cursor_in_a_header',
    takes: ['cursor'],
    written: 'rows',
    answer: (asked) => {
      const page = pageOf(asked, 'cursor');
      return typed('text/csv', rows(paged(page)), page < 4 ? { 'x-next-cursor': String(page + 1) } : {});
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'rows_named_on_the_first_page',
    takes: ['page'],
    written: 'rows',
    answer: (asked) => typed('text/csv', rows(paged(pageOf(asked)), pageOf(asked) === 1 ? [names] : [])),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'rows_without_names',
    takes: ['offset', 'limit'],
    written: 'rows',
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return typed('text/csv; header=absent', rows(records(offset + 1, offset + size), []));
    },
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'rows_between_tabs',
    takes: ['page'],
    written: 'rows',
    answer: (asked) =>
      typed(
        'text/tab-separated-values',
        ['id\tname, in words', ...paged(pageOf(asked)).map(({ id, name }) => `${id}\t${name}, yes`)].join(
          '\n',
        ),
      ),
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'feed_of_entries',
    written: 'elements',
    answer: (asked) => {
      const page = pageOf(asked);
      const next = page < 4 ? `<link rel="next" href="${asked.path}?page=${page + 1}"/>` : '';
      const head = `<title>Things</title><link rel="self" href="${asked.path}"/>${next}<author><name>x</name></author>`;
      return typed(
        'application/atom+xml',
        xml(`${head}${elements(paged(page), 'entry')}`, 'feed xmlns="http://www.w3.org/2005/Atom"'),
      );
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'listing_of_a_bucket',
    takes: ['continuation-token', 'max-keys'],
    written: 'elements',
    answer: ({ query }) => {
      const page = number(query.get('continuation-token')?.slice(5) ?? null, 1);
      const next = page < 4 ? `<NextContinuationToken>token${page + 1}</NextContinuationToken>` : '';
      return typed(
        'application/xml',
        xml(
          `<IsTruncated>${page < 4}</IsTruncated>${next}<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>${elements(paged(page), 'Contents')}`,
          'ListBucketResult',
        ),
      );
    },
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'elements_by_page',
    takes: ['page', 'per_page'],
    written: 'elements',
    args: { per_page: 17 },
    // The last page has a single one.
    answer: (asked) =>
      typed('text/xml', xml(`<total>35</total><list>${elements(paged(pageOf(asked), 17))}</list>`, 'answer')),
    ids: everything,
    told: whole,
    requests: 4,
  },
  {
    name: 'elements_with_prefixes',
    takes: ['offset', 'limit'],
    written: 'elements',
    says: { 'x-pagination': { type: 'offset', offset: 'offset', limit: 'limit' } },
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      return typed(
        'application/vnd.things+xml',
        xml(elements(records(offset + 1, offset + size), 'thing', 't:'), 't:things xmlns:t="urn:t"'),
      );
    },
    ids: everything,
    told: whole,
    requests: 6,
  },
];

/** The same, not keeping to what they say. */
export const misbehavingFormats: readonly PagedList[] = [
  {
    name: 'rows_whose_page_is_ignored',
    takes: ['page'],
    written: 'rows',
    answer: () => typed('text/csv', rows(paged(1))),
    ids: numbers(1, 10),
    told: /10 records of \d pages: the API kept sending records already received/,
    requests: 3,
  },
  {
    name: 'rows_in_another_order',
    takes: ['page'],
    written: 'rows',
    answer: (asked) =>
      typed('text/csv', rows(paged(pageOf(asked)), [pageOf(asked) === 1 ? names : 'name,id,note'])),
    ids: numbers(1, 10),
    told: /10 records of 1 page: not all: the next page failed \(its columns are in a different order\)/,
    requests: 3,
  },
  {
    name: 'rows_that_become_json',
    takes: ['page'],
    written: 'rows',
    answer: (asked) =>
      pageOf(asked) === 1
        ? typed('text/csv', rows(paged(1)))
        : typed('application/json', JSON.stringify({ error: 'session expired' })),
    ids: numbers(1, 10),
    told: /not all: the next page failed \(its reply is not text\/csv\)/,
    requests: 3,
  },
  {
    name: 'rows_behind_which_nothing_comes',
    takes: ['page'],
    written: 'rows',
    answer: (asked) =>
      pageOf(asked) <= 4
        ? typed('text/csv', rows(paged(pageOf(asked))))
        : { value: null, text: '', status: 204 },
    ids: everything,
    told: whole,
    requests: 6,
  },
  {
    name: 'rows_that_overlap',
    takes: ['page'],
    written: 'rows',
    answer: (asked) => {
      const page = pageOf(asked);
      const from = (page - 1) * size + 1 - (page > 1 ? 2 : 0);
      return typed('text/csv', rows(records(from, from + size - 1)));
    },
    ids: everything,
    told: /All 35 records of \d pages\. 2 repeated records left out/,
    requests: 6,
  },
  {
    name: 'last_lines_for_ever',
    takes: ['page'],
    written: 'lines',
    answer: (asked) => typed('application/x-ndjson', lines(paged(Math.min(4, pageOf(asked))))),
    ids: everything,
    told: /35 records of \d pages: the API kept sending records already received/,
    requests: 7,
  },
  {
    name: 'lines_that_fail_in_the_middle',
    takes: ['offset', 'limit'],
    written: 'lines',
    answer: ({ query }) => {
      const offset = number(query.get('offset'), 0);
      if (offset === 20) return { value: { message: 'out of order' }, status: 500 };
      return typed('application/x-ndjson', lines(records(offset + 1, offset + size)));
    },
    ids: numbers(1, 20),
    told: /20 records of 2 pages: not all: the next page failed \(.*500.*To continue, call with \{"offset":20\}/,
    requests: 3,
  },
  {
    name: 'lines_of_which_one_is_broken',
    written: 'lines',
    answer: (asked) =>
      typed(
        'application/x-ndjson',
        `${lines(paged(pageOf(asked)))}${pageOf(asked) === 2 ? 'cut off\n' : ''}`,
        linkTo(asked, pageOf(asked) + 1),
      ),
    ids: [...numbers(1, 20), 'cut off', ...numbers(21, 35)],
    told: /All 36 records of 4 pages/,
    requests: 4,
  },
  {
    name: 'lines_that_never_end',
    takes: ['cursor'],
    written: 'lines',
    answer: ({ before }) =>
      typed(
        'application/x-ndjson',
        numbers(before * 10 + 1, before * 10 + 10)
          .map((id) => `{"id":${id}}\n`)
          .join(''),
        { 'x-next-cursor': `c${before}` },
      ),
    ids: numbers(1, 120),
    told: /120 records of 12 pages: not all: the page limit for one call was reached/,
    requests: 12,
  },
  {
    name: 'feed_that_leads_back',
    written: 'elements',
    answer: (asked) => {
      const page = pageOf(asked);
      return typed(
        'application/atom+xml',
        xml(
          `<link rel="next" href="${asked.path}?page=${(page % 3) + 1}"/>${elements(paged(page), 'entry')}`,
          'feed',
        ),
      );
    },
    ids: numbers(1, 30),
    told: /30 records of \d pages: the API (?:led back|went on)/,
    requests: 5,
  },
  {
    name: 'feed_that_leads_to_another_host',
    written: 'elements',
    answer: () =>
      typed(
        'application/atom+xml',
        xml(`<link rel="next" href="http://169.254.169.254/"/>${elements(paged(1), 'entry')}`, 'feed'),
      ),
    ids: numbers(1, 10),
    told: /not followed, because it is at http:\/\/169\.254\.169\.254/,
    requests: 1,
  },
  {
    name: 'elements_that_become_an_error',
    takes: ['page'],
    written: 'elements',
    answer: (asked) =>
      typed(
        'text/xml',
        pageOf(asked) < 3 ? xml(elements(paged(pageOf(asked)))) : '<Error><Message>No</Message></Error>',
      ),
    ids: numbers(1, 20),
    told: /20 records of 2 pages: not all: the next page failed \(its reply is a different kind of XML\)/,
    requests: 4,
  },
  {
    name: 'elements_whose_total_lies',
    takes: ['page', 'per_page'],
    written: 'elements',
    args: { per_page: 10 },
    answer: (asked) => typed('text/xml', xml(`<totalCount>9</totalCount>${elements(paged(pageOf(asked)))}`)),
    ids: everything,
    told: /All 35 records of \d pages\. The API reports 9/,
    requests: 6,
  },
  {
    name: 'elements_that_are_not_closed',
    takes: ['page'],
    written: 'elements',
    answer: (asked) =>
      typed('text/xml', xml(elements(paged(pageOf(asked)))).replace(/<\/thing>\s*<\/things>$/, '')),
    ids: everything,
    told: whole,
    requests: 6,
  },
];
