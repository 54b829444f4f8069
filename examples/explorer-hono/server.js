import { createHandler } from '@handrail/explorer';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { handleCall, tools } from './tools.js';

const explorer = createHandler(tools, handleCall, { allowExecute: true, title: 'Hono tools' });

const app = new Hono();
app.all('/explorer', (c) => explorer(c.req.raw, '/explorer'));
app.all('/explorer/*', (c) => explorer(c.req.raw, '/explorer'));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/explorer`);
});
