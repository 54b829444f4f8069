import type { z } from 'zod';
import type { toolResource } from '../http/contract/tools.ts';
import { listAll, withAdminClient } from './admin-client.ts';
import { type Command, exitCode, text, UsageError } from './command.ts';
import { table } from './table.ts';

type ToolView = z.output<typeof toolResource>;

/** Lists tools, shows one, or switches it on and off. */
export const tools: Command = {
  summary: 'list tools, show one, enable, disable or delete it',
  usage: '[show|enable|disable|delete TOOL] [--server SLUG] [--api SLUG] [--search TEXT]',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'Only tools of this server.' },
    api: { type: 'string', value: 'SLUG', about: 'Only tools of this API.' },
    search: { type: 'string', about: 'Only tools whose name, description or path contains this.' },
  },
  examples: [
    'handrail tools',
    'handrail tools --server my-weather-tools',
    'handrail tools show weather_get',
    'handrail tools disable demo/demo_slow',
  ],
  run(input) {
    const [action, reference] = input.words;
    return withAdminClient(input, async (client) => {
      const path = `/tools/${encodeURIComponent(reference ?? '')}`;
      switch (action) {
        case undefined: {
          const query = new URLSearchParams();
          for (const name of ['server', 'api', 'search']) {
            const value = text(input, name);
            if (value !== undefined) query.set(name, value);
          }
          const found = await listAll<ToolView>(
            client,
            `/tools${query.size > 0 ? `?${query.toString()}` : ''}`,
          );
          if (input.json) input.print(JSON.stringify(found));
          else if (found.length === 0)
            input.print(
              'There are no tools yet. "handrail import FILE" or "handrail apis create" adds some.',
            );
          else
            for (const line of table(['TOOL', 'API', 'REQUEST', 'DESCRIPTION'], found.map(rowOf)))
              input.print(line);
          return exitCode.ok;
        }
        case 'show':
        case 'enable':
        case 'disable':
        case 'delete': {
          if (reference === undefined) throw new UsageError('the tool is missing');
          if (action === 'delete') await client.request('DELETE', path);
          else {
            const tool =
              action === 'show'
                ? await client.request('GET', path)
                : await client.request('PATCH', path, { enabled: action === 'enable' });
            if (input.json || action === 'show') input.print(JSON.stringify(tool, null, input.json ? 0 : 2));
          }
          if (!input.json && action !== 'show') input.print(`${reference}: ${action}d`);
          return exitCode.ok;
        }
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

function rowOf(tool: ToolView): string[] {
  return [
    tool.enabled ? tool.name : `${tool.name} (off)`,
    tool.api,
    `${tool.operation.method} ${tool.operation.path}`,
    tool.description,
  ];
}
