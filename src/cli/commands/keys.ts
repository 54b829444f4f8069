import type { z } from 'zod';
import type { keyResource, keyRoutes } from '../../http/contract/keys.ts';
import { type AdminClient, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { runNounAction, setOption } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type KeyView = z.output<typeof keyResource>;
type NewKeyView = z.output<(typeof keyRoutes.create)['reply']>;

/** Creates and manages access keys. */
export const keys: Command = {
  summary: 'list, create, edit, rotate, revoke or delete access keys',
  usage:
    '[list] | show|revoke|delete KEY-ID | update KEY-ID --set FIELD=VALUE | rotate KEY-ID [--overlap HOURS] | create NAME [--server SLUG]… [--tool TOOL]… [--expires-in DAYS]',
  options: {
    server: {
      type: 'string',
      multiple: true,
      value: 'SLUG',
      about: 'A server it gives access to; default all.',
    },
    tool: {
      type: 'string',
      multiple: true,
      value: 'TOOL',
      about: 'A tool it may call; default all.',
    },
    'expires-in': { type: 'string', value: 'DAYS', about: 'Days until it stops working.' },
    rate: { type: 'string', value: 'N', about: 'Calls per minute.' },
    overlap: {
      type: 'string',
      value: 'HOURS',
      about: 'How long a rotated key stays valid; default 24, 0 ends it now.',
    },
    ...setOption,
  },
  examples: [
    'handrail keys create laptop --server my-weather-tools',
    'handrail keys',
    `handrail keys update key_01J… --set 'tools=["weather_get"]'`,
    'handrail keys rotate key_01J… --overlap 48',
    'handrail keys revoke key_01J…',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<KeyView>(input, client, {
        noun: 'the id of the key, or the name of a new one,',
        path: '/keys',
        shape: {
          empty: 'There are no access keys yet. "handrail keys create NAME" creates one.',
          heading: ['ID', 'NAME', 'KEY', 'SERVERS', 'STATE'],
          row: rowOf,
        },
        own: {
          create: (name) => create(input, client, name),
          rotate: (id) => rotate(input, client, id),
          async revoke(id) {
            await client.request('POST', `/keys/${encodeURIComponent(id)}/revoke`);
            return showDone(input, `${id}: revoked`);
          },
        },
      }),
    ),
};

async function create(input: CommandInput, client: AdminClient, name: string): Promise<number> {
  const [days, rate] = [text(input, 'expires-in'), text(input, 'rate')];
  const [chosenServers, chosenTools] = [texts(input, 'server'), texts(input, 'tool')];
  const made = await client.request<NewKeyView>('POST', '/keys', {
    name,
    ...(chosenServers.length > 0 && { servers: chosenServers }),
    ...(chosenTools.length > 0 && { tools: chosenTools }),
    ...(days !== undefined && {
      expiresAt: new Date(Date.now() + readDays(days) * 86_400_000).toISOString(),
    }),
    ...(rate !== undefined && { ratePerMinute: Number(rate) }),
  });
  return showKey(
    input,
    made,
    `It gives access to ${made.servers?.join(', ') ?? 'every server'}; send it as "Authorization: Bearer …".`,
  );
}

async function rotate(input: CommandInput, client: AdminClient, id: string): Promise<number> {
  const hours = readHours(text(input, 'overlap') ?? '24');
  const made = await client.request<NewKeyView>('POST', `/keys/${encodeURIComponent(id)}/rotate`, {
    overlapMs: Math.round(hours * 3_600_000),
  });
  return showKey(
    input,
    made,
    hours === 0
      ? `The old key ${id} is no longer valid.`
      : `The old key ${id} stays valid for up to ${hours} h.`,
  );
}

// Only the key goes to stdout, so that scripts can capture it.
function showKey(input: CommandInput, made: NewKeyView, sentence: string): number {
  if (input.json) input.print(JSON.stringify(made));
  else {
    input.print(made.key);
    input.printError(`This key is shown only once. ${sentence}`);
  }
  return exitCode.ok;
}

function readHours(value: string): number {
  const hours = Number(value);
  if (value.trim() === '' || !Number.isFinite(hours) || hours < 0 || hours > 2_160)
    throw new UsageError('--overlap must be a number of hours, 0 to 2160');
  return hours;
}

function readDays(value: string): number {
  const days = Number(value);
  if (!Number.isFinite(days) || days <= 0) throw new UsageError('--expires-in must be a number of days');
  return days;
}

function rowOf(key: KeyView): string[] {
  const state =
    key.revokedAt !== undefined
      ? 'revoked'
      : key.expiresAt === undefined
        ? 'active'
        : `until ${key.expiresAt}`;
  return [key.id, key.name, `${key.hint}…`, key.servers?.join(', ') ?? 'all', state];
}
