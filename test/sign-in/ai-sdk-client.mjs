// Signs in to a server with @ai-sdk/mcp: prints the address to open, reads the redirect from standard input, lists and calls.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , library, url] = process.argv;
const { auth, createMCPClient, UnauthorizedError } = await import(pathToFileURL(library).href);

const kept = {};
const redirectUrl = 'http://127.0.0.1:7009/callback';
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'AI SDK', redirect_uris: [redirectUrl] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (address) => console.log(`OPEN ${address.href} `),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
};

try {
  await auth(authProvider, { serverUrl: url });
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const [line] = await once(createInterface({ input: process.stdin }), 'line');
const back = new URL(line).searchParams;
await auth(authProvider, {
  serverUrl: url,
  authorizationCode: back.get('code'),
  callbackState: back.get('state'),
});
const client = await createMCPClient({ transport: { type: 'http', url, authProvider } });
const tools = await client.tools();
console.log(`TOOLS ${Object.keys(tools).join(' ')}`);
const reply = await tools['list_orders'].execute({}, { messages: [], toolCallId: '1' });
console.log(`CALLED ${reply.content[0].type}`);
await client.close();
process.exit(0);
