// What a program that uses the package writes; compiled, not run.
import {
  callTool,
  compileTools,
  createGateway,
  type Gateway,
  HandrailError,
  importDocument,
  type ImportedDocument,
  loadConfig,
  type ToolReply,
} from 'handrail';
import { handrail, type CallRecord, type Handrail, type MountOptions } from 'handrail/mount';
import { code } from 'handrail/mount/code';
import { fetchFromRoutes } from 'handrail/mount/next';
import { fetchFromInject, fetchFromListener } from 'handrail/mount/node';

declare const listener: (req: { url: string }, res: { end(text: string): void }) => void;

const options: MountOptions = {
  document: '/openapi.json',
  fetch: (request, { tool, host }) => new Response(`${request.method} ${tool} ${host.user?.name}`),
  select: ['tag:public'],
  forward: ['authorization'],
  mode: 'auto',
  code: code(),
  explorer: true,
  allow: ({ kind }, host) => kind === 'read' || host['isAdmin'] === true,
  onCall: (record: CallRecord) => void record.toolName.length,
  tools: { rename: { getBook: 'read_book' }, hide: (tool) => tool.kind === 'destructive' },
  native: {
    greet: {
      description: 'Greets.',
      call({ name }, { host, signal }) {
        if (signal.aborted) throw new HandrailError('cancelled', 'Too late.');
        return `Hello ${String(name)} of ${host.tenant}`;
      },
    },
  },
  limits: { callsPerMinute: 60 },
};
const mcp: Handrail = await handrail(options);
const response: Response = await mcp.fetch(new Request('http://app.test/mcp'), { user: { id: 'u1' } });
mcp.tools().map(({ name, inputSchema, kind }) => [name, inputSchema['type'], kind]);
await mcp.refresh();
await mcp.close();

for (const fetch of [
  fetchFromListener(listener),
  fetchFromInject({ inject: (_options: object) => Promise.resolve() }),
  fetchFromRoutes({ '/api/books/[id]': { GET: (_request: Request) => response } }),
]) {
  const imported: ImportedDocument = await importDocument({ openapi: '3.1.0' }, { readOnly: true });
  const tools = compileTools(imported, { fetch });
  const reply: ToolReply = await callTool(tools, 'getBook', { id: 7 }, { headers: { authorization: 'x' } });
  if (!reply.ok) throw reply.error ?? new Error(reply.text);
}

const gateway: Gateway = await createGateway(loadConfig({ flags: { port: 0 } }));
await gateway.close();

// @ts-expect-error: a document is required
void handrail({ fetch: () => response });
// @ts-expect-error: there is no such mode
void handrail({ ...options, mode: 'fast' });
