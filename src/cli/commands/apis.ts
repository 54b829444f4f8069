import type { z } from 'zod';
import type { apiResource } from '../../http/contract/apis.ts';
import { type AdminClient, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { showImports } from '../show-imports.ts';
import { fieldsSet, runNounAction, setOption } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type ApiView = z.output<typeof apiResource>;

/** Registers and manages APIs. */
export const apis: Command = {
  summary: 'list, register, edit, refresh, enable, disable or delete APIs',
  usage:
    '[list] | show|enable|disable|delete API | refresh API [--dry-run] | agree|disagree API ORIGIN | create SLUG --base-url URL | update API [--auth JSON] [--limits JSON] [--set FIELD=VALUE]…',
  options: {
    'base-url': { type: 'string', value: 'URL', about: 'Base URL of the API.' },
    name: { type: 'string', about: 'Display name.' },
    header: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'A header to send with every request.',
    },
    'allow-header': {
      type: 'string',
      multiple: true,
      value: 'NAME',
      about: 'A header about the sender, origin or method of a request that tools may set.',
    },
    auth: {
      type: 'string',
      value: 'JSON',
      about: 'Authentication scheme, such as {"kind":"bearer"}.',
    },
    variable: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'Value for a variable in the base URL.',
    },
    'dry-run': { type: 'boolean', about: 'With refresh: only show what would change.' },
    limits: {
      type: 'string',
      value: 'JSON',
      about: 'Timeouts, retries and other limits, such as {"retries":2}.',
    },
    ...setOption,
  },
  examples: [
    'handrail apis',
    'handrail apis create pets --base-url https://pets.example.com/v1',
    `handrail apis update pets --auth '{"kind":"bearer"}'`,
    'handrail apis refresh pets --dry-run',
    'handrail apis delete demo',
  ],
  run: (input) =>
    withAdminClient(input, (client) => {
      const turn = (enabled: boolean) => async (reference: string) => {
        const api = await client.request('PATCH', `/apis/${encodeURIComponent(reference)}`, { enabled });
        return showDone(input, `${reference}: ${enabled ? 'enabled' : 'disabled'}`, api);
      };
      return runNounAction<ApiView>(input, client, {
        noun: 'the API',
        path: '/apis',
        shape: {
          empty: 'There are no APIs yet. "handrail import FILE" or "handrail apis create" adds one.',
          heading: ['API', 'NAME', 'BASE URL', 'TOOLS'],
          row: (api) => [
            api.enabled ? api.slug : `${api.slug} (off)`,
            api.name,
            api.baseUrl,
            String(api.toolCount),
          ],
        },
        changes: readOptions,
        saved: (api) => `${api.slug}: saved`,
        own: {
          async create(slug) {
            if (text(input, 'base-url') === undefined) throw new UsageError('--base-url is missing');
            const fields = { slug, ...readOptions(input), ...fieldsSet(input) };
            const api = await client.request<ApiView>('POST', '/apis', fields);
            return showDone(input, `${api.slug}: registered`, api);
          },
          agree: (reference) => agree(input, client, reference, true),
          disagree: (reference) => agree(input, client, reference, false),
          async refresh(reference) {
            showImports(
              input,
              await client.request('POST', `/apis/${encodeURIComponent(reference)}/refresh`, {
                dryRun: input.options['dry-run'] === true,
              }),
            );
            return exitCode.ok;
          },
          enable: turn(true),
          disable: turn(false),
        },
      });
    }),
};

/** Allows or disallows sending an API's secrets to another origin. */
async function agree(
  input: CommandInput,
  client: AdminClient,
  reference: string,
  agrees: boolean,
): Promise<number> {
  const [, , origin] = input.words;
  if (origin === undefined) throw new UsageError('the origin is missing, such as https://files.example.com');
  const api = await client.request<ApiView>('POST', `/apis/${encodeURIComponent(reference)}/origins`, {
    origin,
    agree: agrees,
  });
  return showDone(
    input,
    `${api.slug}: its secrets ${agrees ? 'may be' : 'are no longer'} sent to ${origin}`,
    api,
  );
}

function readOptions(input: CommandInput): object {
  const [baseUrl, name] = [text(input, 'base-url'), text(input, 'name')];
  const [headers, variables] = [texts(input, 'header'), texts(input, 'variable')];
  const allowHeaders = texts(input, 'allow-header');
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(name !== undefined && { name }),
    ...(headers.length > 0 && { headers: pairs(headers, 'header') }),
    ...(allowHeaders.length > 0 && { allowHeaders }),
    ...(variables.length > 0 && { serverVariables: pairs(variables, 'variable') }),
    ...jsonOptions(input),
  };
}

function pairs(given: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--${option} ${pair} is not NAME=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
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
