import type { z } from 'zod';
import type { credentialResource, credentialRoutes } from '../../http/contract/credentials.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { runNounAction } from '../noun-actions.ts';
import { showDone } from '../show.ts';
import { readStream } from '../../lib/read-stream.ts';

type CredentialView = z.output<typeof credentialResource>;

/** Stores, tests and deletes the secrets for calling APIs. */
export const credentials: Command = {
  summary: 'list, set, test, connect or delete credentials',
  usage:
    '[list] [--api API] | set API [--field NAME=VALUE]… [--caller ID] | show|test|connect|delete CREDENTIAL-ID',
  options: {
    api: { type: 'string', value: 'API', about: 'List only those of this API.' },
    field: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about:
        'A secret value; NAME=@FILE reads it from a file. Without --field, a single value is read from standard input.',
    },
    caller: { type: 'string', value: 'ID', about: 'Only for this caller, such as key:key_01J….' },
    path: { type: 'string', value: 'PATH', about: 'Path for the test to request, relative to the base URL.' },
  },
  examples: [
    'handrail credentials set github --field token=@token.txt',
    'printf %s "$API_KEY" | handrail credentials set weather',
    'handrail credentials test cred_01J… --path /me',
  ],
  run: (input) =>
    withAdminClient(input, (client) => {
      const api = text(input, 'api');
      return runNounAction<CredentialView>(input, client, {
        noun: 'the id of the credential, or the API of a new one,',
        path: '/credentials',
        shape: {
          empty: 'There are no credentials yet. "handrail credentials set API" stores one.',
          heading: ['ID', 'API', 'KIND', 'FOR', 'FIELDS'],
          row: rowOf,
        },
        list: () =>
          listAll(client, api === undefined ? '/credentials' : `/credentials?api=${encodeURIComponent(api)}`),
        isEditable: false,
        own: {
          set: (reference) => store(input, client, reference),
          test: (id) => test(input, client, id),
          connect: (id) => connect(input, client, id),
        },
      });
    }),
};

async function store(input: CommandInput, client: AdminClient, api: string): Promise<number> {
  const callerId = text(input, 'caller');
  const made = await client.request<CredentialView>('POST', '/credentials', {
    api,
    ...(callerId !== undefined && { callerId }),
    ...(await readSecret(input)),
  });
  return showDone(input, `${made.id}: stored for ${made.api}`, made);
}

async function test(input: CommandInput, client: AdminClient, id: string): Promise<number> {
  const testPath = text(input, 'path');
  const result = await client.request<z.output<(typeof credentialRoutes.test)['reply']>>(
    'POST',
    `/credentials/${encodeURIComponent(id)}/test`,
    testPath === undefined ? {} : { path: testPath },
  );
  showDone(input, result.message, result);
  return result.ok === false ? exitCode.failed : exitCode.ok;
}

async function connect(input: CommandInput, client: AdminClient, id: string): Promise<number> {
  if (input.url === undefined)
    throw new UsageError('connecting needs a running gateway: add --url http://127.0.0.1:8080');
  const started = await client.request<z.output<(typeof credentialRoutes.connect)['reply']>>(
    'POST',
    `/credentials/${encodeURIComponent(id)}/connect`,
  );
  return showDone(input, `Open this link in a browser and allow access:\n${started.startUrl}`, started);
}

function rowOf(credential: CredentialView): string[] {
  return [
    credential.id,
    credential.api,
    credential.kind,
    credential.callerId ?? 'everyone',
    credential.fields
      .map((name) => {
        const reference = credential.references?.[name];
        return reference === undefined ? name : `${name}=${reference}`;
      })
      .join(', '),
  ];
}

/** The values given with `--field`, where `@FILE` is a file's content, or the only one from standard input. */
export async function readSecret(
  input: CommandInput,
): Promise<{ fields: Record<string, string> } | { secret: string }> {
  const given = texts(input, 'field');
  if (given.length === 0) return { secret: await readStdin() };
  const fields: Record<string, string> = {};
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError('--field must be NAME=VALUE');
    const value = pair.slice(equals + 1);
    fields[pair.slice(0, equals)] = value.startsWith('@') ? await readSecretFile(value.slice(1)) : value;
  }
  return { fields };
}

async function readSecretFile(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError(`the file ${path} cannot be read`);
  }
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('give --field NAME=VALUE, or the value on standard input');
  return (await readStream(process.stdin)).toString('utf8').replace(/\r?\n$/, '');
}
