/** Two tools, as an MCP server would list them. Any legal name works, a slash included. */
export const tools = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number', default: 1 }, b: { type: 'number', default: 2 } },
      required: ['a', 'b'],
    },
  },
  {
    name: 'greetings/hello',
    description: 'Says hello.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
];

/** Runs a tool: its content, whether it failed, and a trace id when there is one. */
export async function handleCall(name, args) {
  if (name === 'add') return [[{ type: 'text', text: String(args.a + args.b) }], false];
  return [[{ type: 'text', text: `Hello, ${args.name}!` }], false];
}
