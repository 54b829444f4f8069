import type { z } from 'zod';
import type { auditResource } from '../../http/contract/audit.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, type OptionSpec, text, UsageError } from '../command.ts';
import { showList } from '../show.ts';

type AuditView = z.output<typeof auditResource>;

const filters: Readonly<Record<string, OptionSpec>> = {
  actor: { type: 'string', value: 'ID', about: 'Only actions of this admin; "token" is the admin token.' },
  kind: { type: 'string', value: 'KIND', about: 'Only changes of an api, tool, server, credential, key …' },
  action: { type: 'string', value: 'ACTION', about: 'Only this action, such as tool.update.' },
  subject: { type: 'string', value: 'ID', about: 'Only changes of the item with this id.' },
  search: { type: 'string', value: 'TEXT', about: 'Only entries that contain all these words.' },
  from: { type: 'string', value: 'TIME', about: 'At this time or later, such as 2026-01-31T00:00:00Z.' },
  to: { type: 'string', value: 'TIME', about: 'Before this time.' },
  limit: { type: 'string', value: 'N', about: 'Number of entries, 1 to 500; default 50.' },
};

/** Shows the audit log. */
export const audit: Command = {
  summary: 'show who changed what, newest first',
  usage: '[list] [--actor ID] [--kind KIND] [--subject ID] [--search TEXT] [--from TIME] [--limit N]',
  options: filters,
  needsStore: true,
  examples: [
    'handrail audit',
    'handrail audit --kind key --search laptop',
    'handrail audit --subject tool_01J… --json',
  ],
  run(input) {
    const [action = 'list', extra] = input.words;
    if (action !== 'list' || extra !== undefined) throw new UsageError(`unexpected "${extra ?? action}"`);
    return withAdminClient(input, async (client) => {
      const query = new URLSearchParams();
      for (const name of Object.keys(filters)) {
        const value = text(input, name);
        if (value !== undefined) query.set(name, value);
      }
      const { items } = await client.request<{ items: AuditView[] }>('GET', `/audit?${query.toString()}`);
      return showList(input, items, {
        empty: 'No matching entries in the audit log.',
        heading: ['TIME', 'WHO', 'ACTION', 'WHAT', 'CHANGED'],
        row: rowOf,
      });
    });
  },
};

function rowOf(entry: AuditView): string[] {
  const changed = new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})]);
  return [
    entry.at,
    entry.actor.name,
    entry.action,
    entry.subject.name ?? entry.subject.id ?? '',
    [...changed].join(', '),
  ];
}
