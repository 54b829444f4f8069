import type { z } from 'zod';
import type { apiResource } from '../http/contract/apis.ts';
import { listAll, withAdminClient } from './admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from './command.ts';
import { table } from './table.ts';

type ApiView = z.output<typeof apiResource>;

/** Registers and manages APIs. */
export const apis: Command = {
  summary: 'list APIs, register one, edit, enable, disable or delete it',
  usage:
    '[show|enable|disable|delete API] | create SLUG --base-url URL | update API [--auth JSON] [--limits JSON]',
  options: {
    'base-url': { type: 'string', value: 'URL', about: 'Where the API is.' },
    name: { type: 'string', about: 'What people call it.' },
    header: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'A header to send with every request.',
    },
    auth: {
      type: 'string',
      value: 'JSON',
      about: 'How it wants to be authenticated, such as {"kind":"bearer"}.',
    },
    limits: {
      type: 'string',
      value: 'JSON',
      about: 'Timeouts, retries and the like, such as {"retries":2}.',
    },
  },
  examples: [
    'handrail apis',
    'handrail apis create pets --base-url https://pets.example.com/v1',
    `handrail apis update pets --auth '{"kind":"bearer"}'`,
    'handrail apis delete demo',
  ],
  run(input) {
    const [action, reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === undefined) {
        const found = await listAll<ApiView>(client, '/apis');
        if (input.json) input.print(JSON.stringify(found));
        else if (found.length === 0)
          input.print('There are no APIs yet. "handrail import FILE" or "handrail apis create" adds one.');
        else
          for (const line of table(
            ['API', 'NAME', 'BASE URL', 'TOOLS'],
            found.map((api) => [
              api.enabled ? api.slug : `${api.slug} (off)`,
              api.name,
              api.baseUrl,
              String(api.toolCount),
            ]),
          ))
            input.print(line);
        return exitCode.ok;
      }
      if (reference === undefined) throw new UsageError('the API is missing');
      const path = `/apis/${encodeURIComponent(reference)}`;
      switch (action) {
        case 'update': {
          const [baseUrl, name] = [text(input, 'base-url'), text(input, 'name')];
          const given = texts(input, 'header');
          const api = await client.request<ApiView>('PATCH', path, {
            ...(baseUrl !== undefined && { baseUrl }),
            ...(name !== undefined && { name }),
            ...(given.length > 0 && { headers: Object.fromEntries(given.map(readHeader)) }),
            ...jsonOptions(input),
          });
          input.print(input.json ? JSON.stringify(api) : `${api.slug}: saved`);
          return exitCode.ok;
        }
        case 'create': {
          const baseUrl = text(input, 'base-url');
          if (baseUrl === undefined) throw new UsageError('--base-url is missing');
          const name = text(input, 'name');
          const headers = Object.fromEntries(texts(input, 'header').map(readHeader));
          const api = await client.request<ApiView>('POST', '/apis', {
            slug: reference,
            baseUrl,
            headers,
            ...jsonOptions(input),
            ...(name !== undefined && { name }),
          });
          input.print(input.json ? JSON.stringify(api) : `${api.slug}: registered`);
          return exitCode.ok;
        }
        case 'show':
          input.print(JSON.stringify(await client.request('GET', path), null, input.json ? 0 : 2));
          return exitCode.ok;
        case 'enable':
        case 'disable':
          await client.request('PATCH', path, { enabled: action === 'enable' });
          input.print(input.json ? '{}' : `${reference}: ${action}d`);
          return exitCode.ok;
        case 'delete':
          await client.request('DELETE', path);
          input.print(input.json ? '{}' : `${reference}: deleted`);
          return exitCode.ok;
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

function readHeader(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`--header ${pair} is not NAME=VALUE`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function jsonOptions(input: CommandInput): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of ['auth', 'limits']) {
    const value = text(input, name);
    if (value === undefined) continue;
    try {
      found[name] = JSON.parse(value);
    } catch {
      throw new UsageError(`--${name} must be JSON`);
    }
  }
  return found;
}
