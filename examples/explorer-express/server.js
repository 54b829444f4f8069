import { createNodeHandler } from '@handrail/explorer';
import express from 'express';
import { handleCall, tools } from './tools.js';

const app = express();

// Express takes the mount path off the address itself. A body parser before this line does no harm.
app.use('/explorer', createNodeHandler(tools, handleCall, { allowExecute: true, title: 'Express tools' }));

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/explorer`);
});
