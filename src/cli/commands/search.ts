import type { z } from 'zod';
import type { searchResult } from '../../http/contract/search.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text, UsageError } from '../command.ts';

interface SearchResults {
  readonly results: readonly z.output<typeof searchResult>[];
  readonly total: number;
  readonly indexing: boolean;
}

/** Finds tools by what they do. */
export const search: Command = {
  summary: 'find tools by what they do, as clients of a server in search mode do',
  usage: 'QUERY [--server SLUG] [--api SLUG] [--kind KIND] [--limit N]',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'Only tools of this server; default all tools.' },
    api: { type: 'string', value: 'SLUG', about: 'Only tools of this API.' },
    kind: { type: 'string', value: 'read|write|destructive', about: 'Only tools of this kind.' },
    limit: { type: 'string', value: 'N', about: 'Number of results, 1 to 100; default 5.' },
  },
  needsStore: true,
  examples: ['handrail search "cancel an order"', 'handrail search "open issues" --server support --json'],
  run(input) {
    const query = input.words.join(' ').trim();
    if (query === '') throw new UsageError('the query is missing: describe what the tool should do');
    return withAdminClient(input, async (client) => {
      // Without a running gateway, the index is built just for this search.
      const params = new URLSearchParams({ query, ...(input.url === undefined && { wait: 'true' }) });
      for (const name of ['server', 'api', 'kind', 'limit']) {
        const value = text(input, name);
        if (value !== undefined) params.set(name, value);
      }
      const found = await client.request<SearchResults>('GET', `/search?${params.toString()}`);
      if (input.json) input.print(JSON.stringify(found));
      else if (found.results.length === 0) input.print('Nothing was found. Try other words.');
      else
        for (const { signature, needs } of found.results)
          input.print(needs.length === 0 ? signature : `${signature} needs ${needs.join(', ')}`);
      if (found.indexing && !input.json)
        input.print(
          'The search index is still being built: results match by tool name only. Try again in a few seconds.',
        );
      return exitCode.ok;
    });
  },
};
