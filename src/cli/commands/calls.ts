import type { z } from 'zod';
import type { callResource } from '../../http/contract/calls.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text } from '../command.ts';
import { table } from '../table.ts';

type CallView = z.output<typeof callResource>;

const filters = [
  'tool',
  'api',
  'server',
  'caller',
  'outcome',
  'parent',
  'text',
  'from',
  'to',
  'limit',
] as const;

/** Shows recorded calls. */
export const calls: Command = {
  summary: 'show recorded calls, newest first',
  usage: '[CALL-ID] [--tool NAME] [--server SLUG] [--outcome ok|waiting|error|refused|CODE] [--limit N]',
  options: Object.fromEntries(filters.map((name) => [name, { type: 'string', about: `Filter: ${name}.` }])),
  examples: [
    'handrail calls',
    'handrail calls --outcome error --limit 10',
    'handrail calls --outcome refused',
    'handrail calls call_01J… --json',
  ],
  run(input) {
    return withAdminClient(input, async (client) => {
      const [id] = input.words;
      if (id !== undefined) {
        input.print(
          JSON.stringify(
            await client.request('GET', `/calls/${encodeURIComponent(id)}`),
            null,
            input.json ? 0 : 2,
          ),
        );
        return exitCode.ok;
      }
      const query = new URLSearchParams();
      for (const name of filters) {
        const value = text(input, name);
        if (value !== undefined) query.set(name, value);
      }
      const page = await client.request<{ items: CallView[]; total: number }>(
        'GET',
        `/calls?${query.toString()}`,
      );
      if (input.json) input.print(JSON.stringify(page));
      else if (page.items.length === 0)
        input.print('No calls are recorded yet. "handrail call TOOL" makes one.');
      else
        for (const line of table(
          ['TIME', 'TOOL', 'SERVER', 'CALLER', 'OUTCOME', 'MS', 'ID'],
          page.items.map(rowOf),
        ))
          input.print(line);
      return exitCode.ok;
    });
  },
};

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
