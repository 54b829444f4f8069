import { createHandler } from '@handrail/explorer';
import { handleCall, tools } from './tools.js';

const explorer = createHandler(tools, handleCall, { allowExecute: true, title: 'Deno tools' });

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: Number(Deno.env.get('PORT') ?? 3000),
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/explorer`),
  },
  (request) => explorer(request, '/explorer'),
);
