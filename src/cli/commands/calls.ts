import { withPseudonyms } from '../../access/pseudonyms.ts';
import { type Command, type CommandInput, exitCode, text, UsageError } from '../command.ts';
import type { z } from 'zod';
import { storeLocation } from '../../config/store-location.ts';
import { callRoutes, type callResource } from '../../http/contract/calls.ts';
import { listCalls, showCall } from '../../http/admin/routes/calls.ts';
import { openStore } from '../../storage/open-store.ts';
import { withAdminClient } from '../admin-client.ts';
import { cliErrors } from '../../domain/error-messages/cli.ts';
import { paint, showDone, showWhole, table } from '../show.ts';
import { counted } from '../../lib/text/amounts.ts';

type CallView = z.output<typeof callResource>;

const filters = {
  tool: { value: 'NAME', about: 'Calls of this tool: its name or id.' },
  api: { value: 'SLUG', about: 'Calls of this API.' },
  server: { value: 'SLUG', about: 'Calls through this server.' },
  caller: { value: 'ID', about: 'Calls of this caller, such as key:key_… or anonymous.' },
  outcome: {
    value: 'OUTCOME',
    about: 'ok, waiting, error, agent, api or gateway (by who caused the error), refused, or an error code.',
  },
  parent: { value: 'CALL-ID', about: 'Calls made by this call.' },
  text: { value: 'TEXT', about: 'Calls whose arguments, reply or message contain this text.' },
  from: { value: 'TIME', about: 'At this time or later, such as 2026-01-31T12:00:00Z.' },
  to: { value: 'TIME', about: 'Before this time.' },
  limit: { value: 'N', about: 'Maximum number of calls.' },
} as const;

/** Where calls are read from: a running gateway, or directly from the store without loading the registry. */
interface CallSource {
  get(id: string): Promise<object>;
  list(query: URLSearchParams): Promise<{ readonly items: readonly CallView[]; readonly total?: number }>;
}

/** Shows recorded calls. */
export const calls: Command = {
  summary: 'show recorded calls, newest first',
  usage:
    '[list] [--tool NAME] [--server SLUG] [--outcome OUTCOME] [--limit N] | show CALL-ID | purge --before TIME',
  options: {
    ...Object.fromEntries(
      Object.entries(filters).map(([name, { value, about }]) => [name, { type: 'string', value, about }]),
    ),
    before: {
      type: 'string',
      value: 'TIME',
      about: 'With purge: delete the records of calls before this time, such as 2026-01-31T12:00:00Z.',
    },
  },
  needsStore: true,
  examples: [
    'handrail calls',
    'handrail calls --outcome error --limit 10',
    'handrail calls --outcome refused',
    'handrail calls show call_01J… --json',
    'handrail calls purge --before 2026-01-31T00:00:00Z',
  ],
  run(input) {
    const [action = 'list', id] = input.words;
    if (action === 'purge') return purge(input);
    // An id alone shows its call.
    const shown = action === 'show' ? id : action === 'list' ? undefined : action;
    if (action === 'show' && id === undefined) throw new UsageError('the id of the call is missing');
    return withCalls(input, async (source) => {
      if (shown !== undefined) return showWhole(input, await source.get(shown));
      const query = new URLSearchParams();
      for (const name of Object.keys(filters)) {
        const value = text(input, name);
        if (value !== undefined) query.set(name, value);
      }
      const page = await source.list(query);
      if (input.json) input.print(JSON.stringify(page));
      else if (page.items.length === 0)
        input.print(
          [...query.keys()].every((name) => name === 'limit')
            ? 'No calls are recorded yet. "handrail call TOOL" makes one.'
            : 'No recorded call matches.',
        );
      else
        for (const line of table(
          ['TIME', 'TOOL', 'SERVER', 'CALLER', 'OUTCOME', 'MS', 'ID'],
          page.items.map(rowOf),
          input,
        ))
          input.print(input.color ? colored(line) : line);
      return exitCode.ok;
    });
  },
};

function purge(input: CommandInput): Promise<number> {
  const before = text(input, 'before');
  if (before === undefined) throw new UsageError('--before TIME is missing');
  return withAdminClient(input, async (client) => {
    const result = await client.request<{ deleted: number }>('POST', '/calls/purge', { before });
    return showDone(input, `${counted(result.deleted, 'call record')} deleted`, result);
  });
}

async function withCalls<T>(input: CommandInput, work: (source: CallSource) => Promise<T>): Promise<T> {
  if (input.url !== undefined)
    return withAdminClient(input, (client) =>
      work({
        get: (id) => client.request('GET', `/calls/${encodeURIComponent(id)}`),
        list: (query) => client.request('GET', `/calls?${query.toString()}`),
      }),
    );
  const store = withPseudonyms(await openStore(storeLocation(input.config)));
  try {
    return await work({
      get: (id) => showCall(store.calls, id),
      list: (query) => listCalls(store.calls, readQuery(query)),
    });
  } finally {
    await store.close();
  }
}

function readQuery(query: URLSearchParams): z.output<(typeof callRoutes.list)['query']> {
  const read = callRoutes.list.query.safeParse(Object.fromEntries(query));
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw cliErrors.invalidOption({
    option: first?.path.join('.') ?? '',
    problem: first?.message ?? 'is not valid',
  });
}

function rowOf(call: CallView): string[] {
  return [
    call.startedAt,
    call.toolName || '–',
    call.server,
    call.caller,
    call.outcome,
    String(call.durationMs),
    call.id,
  ];
}

/** Highlights calls that did not succeed. */
function colored(line: string): string {
  return / {2}(?:ok|OUTCOME) {2}/.test(line) ? line : paint('bad', line);
}
