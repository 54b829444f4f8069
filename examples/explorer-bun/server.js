import { createHandler } from '@handrail/explorer';
import { handleCall, tools } from './tools.js';

const explorer = createHandler(tools, handleCall, { allowExecute: true, title: 'Bun tools' });

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  fetch: (request) => explorer(request, '/explorer'),
});

console.log(`http://127.0.0.1:${server.port}/explorer`);
