import type { z } from 'zod';
import type { credentialResource, credentialRoutes } from '../../http/contract/credentials.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';
import { readStream } from '../../lib/read-stream.ts';

type CredentialView = z.output<typeof credentialResource>;

/** Stores, tests and deletes the secrets for calling APIs. */
export const credentials: Command = {
  summary: 'list, set, test, connect or delete credentials',
  usage: '[--api API] | set API [--field NAME=VALUE]… [--caller ID] | test|connect|delete CREDENTIAL-ID',
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
  run(input) {
    const [action, reference] = input.words;
    if (action !== undefined && reference === undefined) {
      throw new UsageError(action === 'set' ? 'the API is missing' : 'the credential’s id is missing');
    }
    return withAdminClient(input, async (client) => {
      const path = `/credentials/${encodeURIComponent(reference ?? '')}`;
      switch (action) {
        case undefined: {
          const api = text(input, 'api');
          const found = await listAll<CredentialView>(
            client,
            api === undefined ? '/credentials' : `/credentials?api=${encodeURIComponent(api)}`,
          );
          return showList(input, found, {
            empty: 'There are no credentials yet. "handrail credentials set API" stores one.',
            heading: ['ID', 'API', 'KIND', 'FOR', 'FIELDS'],
            row: rowOf,
          });
        }
        case 'set': {
          const callerId = text(input, 'caller');
          const made = await client.request<CredentialView>('POST', '/credentials', {
            api: reference,
            ...(callerId !== undefined && { callerId }),
            ...(await readSecret(input)),
          });
          input.print(input.json ? JSON.stringify(made) : `${made.id}: stored for ${made.api}`);
          return exitCode.ok;
        }
        case 'test': {
          const testPath = text(input, 'path');
          const result = await client.request<z.output<(typeof credentialRoutes.test)['reply']>>(
            'POST',
            `${path}/test`,
            testPath === undefined ? {} : { path: testPath },
          );
          input.print(input.json ? JSON.stringify(result) : result.message);
          return result.ok === false ? exitCode.failed : exitCode.ok;
        }
        case 'connect': {
          if (input.url === undefined)
            throw new UsageError('connecting needs a running gateway: add --url http://127.0.0.1:8080');
          const started = await client.request<z.output<(typeof credentialRoutes.connect)['reply']>>(
            'POST',
            `${path}/connect`,
          );
          input.print(
            input.json
              ? JSON.stringify(started)
              : `Open this link in a browser and allow access:\n${started.startUrl}`,
          );
          return exitCode.ok;
        }
        case 'delete':
          await client.request('DELETE', path);
          return showDone(input, `${reference}: deleted`);
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

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

async function readSecret(
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
