import { expect, it } from 'vitest';
import { clients as commandLineClients } from '../src/cli/connect-clients.ts';
import { clients } from '../web/admin/src/pages/servers/connect/clients.ts';

const keyed = {
  name: 'weather',
  url: 'http://localhost:8080/mcp/weather',
  headers: { Authorization: 'Bearer hrk_secret' },
  program: ['/usr/bin/node', '/opt/handrail/dist/main.js'],
  bridge: ['/usr/bin/node', '/opt/handrail/dist/main.js'],
} as const;

it.each(clients)('the app tells $name what the command line writes', (client) => {
  expect(readConfiguration(client.text(keyed))).toEqual(
    readConfiguration(commandLineClients[client.id]!.show(keyed)),
  );
});

/** JSON as its value, so that the order of fields does not count. */
function readConfiguration(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text;
}
