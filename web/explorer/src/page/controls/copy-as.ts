/** A call to copy as code. */
export interface CallToCopy {
  url: string;
  tool: string;
  args: unknown;
  token: string;
}

/** The formats a call can be copied in. */
export const copyForms: { label: string; write: (call: CallToCopy) => string }[] = [
  { label: 'cURL', write: asCurl },
  { label: 'fetch', write: asFetch },
  { label: 'Python', write: asPython },
  { label: 'MCP JSON-RPC', write: asJsonRpc },
];

/** A command for any POSIX shell. `Authorization` is included only if there is a token. */
export function asCurl({ url, args, token }: CallToCopy): string {
  const lines = [`curl -X POST ${shellQuote(url)}`, `-H ${shellQuote('Content-Type: application/json')}`];
  if (token !== '') lines.push(`-H ${shellQuote(`Authorization: Bearer ${token}`)}`);
  lines.push(`--data-raw ${shellQuote(JSON.stringify(args))}`);
  return lines.join(' \\\n  ');
}

/** Inside single quotes, a shell reads everything literally except the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function asFetch({ url, args, token }: CallToCopy): string {
  const authorization = token === '' ? '' : `\n    authorization: ${JSON.stringify(`Bearer ${token}`)},`;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',${authorization}
  },
  body: JSON.stringify(${indent(JSON.stringify(args, null, 2), '  ')}),
});
console.log(await response.json());`;
}

function asPython({ url, args, token }: CallToCopy): string {
  const headers = token === '' ? '' : `    headers={"Authorization": ${pythonString(`Bearer ${token}`)}},\n`;
  return `import requests

response = requests.post(
    ${pythonString(url)},
${headers}    json=${indent(pythonLiteral(args, ''), '    ')},
)
print(response.json())`;
}

function asJsonRpc({ tool, args }: CallToCopy): string {
  return JSON.stringify(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
    null,
    2,
  );
}

function pythonLiteral(value: unknown, margin: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pythonString(value);
  const inner = `${margin}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`).join('')}${margin}]`;
  }
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  return `{\n${members.map(([name, member]) => `${inner}${pythonString(name)}: ${pythonLiteral(member, inner)},\n`).join('')}${margin}}`;
}

/** JSON's escapes mean the same in Python, and JSON text has no others. */
function pythonString(text: string): string {
  return JSON.stringify(text);
}

function indent(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}`);
}
