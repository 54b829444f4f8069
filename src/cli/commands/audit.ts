import type { z } from 'zod';
import type { auditResource, auditVerification } from '../../http/contract/audit.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, type OptionSpec, text, UsageError } from '../command.ts';
import { counted } from '../../lib/text/amounts.ts';
import { showList } from '../show.ts';

type AuditView = z.output<typeof auditResource>;
type Verification = z.output<typeof auditVerification>;

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

/** Shows the audit log, or checks that no one changed it. */
export const audit: Command = {
  summary: 'show who changed what, newest first, or verify that the log was not changed',
  usage:
    '[list] [--actor ID] [--kind KIND] [--subject ID] [--search TEXT] [--from TIME] [--limit N] | verify [--expect SEQ:HASH]',
  options: {
    ...filters,
    expect: {
      type: 'string',
      value: 'SEQ:HASH',
      about: 'With verify: the newest line that an earlier verify printed.',
    },
  },
  needsStore: true,
  examples: [
    'handrail audit',
    'handrail audit --kind key --search laptop',
    'handrail audit --subject tool_01J… --json',
    'handrail audit verify',
  ],
  run(input) {
    const [action = 'list', extra] = input.words;
    if (action === 'verify' && extra === undefined) return verify(input);
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

function verify(input: CommandInput): Promise<number> {
  const expected = text(input, 'expect');
  const [, seq, hash] = /^([1-9]\d*):([0-9a-f]{64})$/.exec(expected ?? '') ?? [];
  if (expected !== undefined && (seq === undefined || hash === undefined))
    throw new UsageError('--expect must be a line as verify prints it: SEQ:HASH');
  const query =
    seq === undefined || hash === undefined ? '' : `?${new URLSearchParams({ seq, hash }).toString()}`;
  return withAdminClient(input, async (client) => {
    const result = await client.request<Verification>('GET', `/audit/verification${query}`);
    const { ok, lines, removedUpTo, last, faults } = result;
    if (input.json) input.print(JSON.stringify(result));
    else {
      const removed = removedUpTo === 0 ? '' : ` Retention removed the lines up to ${removedUpTo}.`;
      for (const { message } of faults) input.printError(message);
      input.print(
        ok
          ? `The audit log is unchanged: ${counted(lines, 'line')} checked.${removed}`
          : `The audit log was changed from outside.${removed}`,
      );
      if (last.seq > 0) input.print(`Newest line: ${last.seq}:${last.hash}`);
    }
    return ok ? exitCode.ok : exitCode.failed;
  });
}

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
