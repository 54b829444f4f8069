import type { z } from 'zod';
import type { apiResource } from '../../http/contract/apis.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { readPiiRules } from './pii.ts';
import { showImports } from '../show-imports.ts';
import { showDone, showList, showWhole } from '../show.ts';

type ApiView = z.output<typeof apiResource>;

/** Registers and manages APIs. */
export const apis: Command = {
  summary: 'list, register, edit, refresh, enable, disable or delete APIs',
  usage:
    '[show|enable|disable|delete API] | refresh API [--dry-run] | agree|disagree API ORIGIN | create SLUG --base-url URL | update API [--auth JSON] [--limits JSON] [--pii-rules JSON]',
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
    'pii-rules': {
      type: 'string',
      value: 'JSON|none',
      about: 'What counts as personal data, such as [{"find":"card","actions":["mask-replies"]}].',
    },
  },
  examples: [
    'handrail apis',
    'handrail apis create pets --base-url https://pets.example.com/v1',
    `handrail apis update pets --auth '{"kind":"bearer"}'`,
    'handrail apis refresh pets --dry-run',
    'handrail apis delete demo',
  ],
  run(input) {
    const [action, reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === undefined) {
        return showList(input, await listAll<ApiView>(client, '/apis'), {
          empty: 'There are no APIs yet. "handrail import FILE" or "handrail apis create" adds one.',
          heading: ['API', 'NAME', 'BASE URL', 'TOOLS'],
          row: (api) => [
            api.enabled ? api.slug : `${api.slug} (off)`,
            api.name,
            api.baseUrl,
            String(api.toolCount),
          ],
        });
      }
      if (reference === undefined) throw new UsageError('the API is missing');
      const path = `/apis/${encodeURIComponent(reference)}`;
      switch (action) {
        case 'update': {
          const [baseUrl, name] = [text(input, 'base-url'), text(input, 'name')];
          const [given, variables] = [texts(input, 'header'), texts(input, 'variable')];
          const allowHeaders = texts(input, 'allow-header');
          const api = await client.request<ApiView>('PATCH', path, {
            ...(baseUrl !== undefined && { baseUrl }),
            ...(name !== undefined && { name }),
            ...(given.length > 0 && { headers: pairs(given, 'header') }),
            ...(allowHeaders.length > 0 && { allowHeaders }),
            ...(variables.length > 0 && { serverVariables: pairs(variables, 'variable') }),
            ...jsonOptions(input),
          });
          return showDone(input, `${api.slug}: saved`, api);
        }
        case 'create': {
          const baseUrl = text(input, 'base-url');
          if (baseUrl === undefined) throw new UsageError('--base-url is missing');
          const name = text(input, 'name');
          const headers = pairs(texts(input, 'header'), 'header');
          const allowHeaders = texts(input, 'allow-header');
          const api = await client.request<ApiView>('POST', '/apis', {
            slug: reference,
            baseUrl,
            headers,
            ...(allowHeaders.length > 0 && { allowHeaders }),
            ...jsonOptions(input),
            ...(name !== undefined && { name }),
          });
          return showDone(input, `${api.slug}: registered`, api);
        }
        case 'agree':
        case 'disagree': {
          const origin = input.words[2];
          if (origin === undefined)
            throw new UsageError('the origin is missing, such as https://files.example.com');
          const api = await client.request<ApiView>('POST', `${path}/origins`, {
            origin,
            agree: action === 'agree',
          });
          return showDone(
            input,
            `${api.slug}: its secrets ${action === 'agree' ? 'may be' : 'are no longer'} sent to ${origin}`,
            api,
          );
        }
        case 'refresh':
          showImports(
            input,
            await client.request('POST', `${path}/refresh`, { dryRun: input.options['dry-run'] === true }),
          );
          return exitCode.ok;
        case 'show':
          return showWhole(input, await client.request('GET', path));
        case 'enable':
        case 'disable':
          await client.request('PATCH', path, { enabled: action === 'enable' });
          return showDone(input, `${reference}: ${action}d`);
        case 'delete':
          await client.request('DELETE', path);
          return showDone(input, `${reference}: deleted`);
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

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
  const piiRules = readPiiRules(text(input, 'pii-rules'), 'pii-rules');
  return { ...found, ...(piiRules !== undefined && { piiRules }) };
}
