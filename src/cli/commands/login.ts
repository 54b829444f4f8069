import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { cliErrors } from '../../domain/error-messages/cli.ts';
import type { sessionResource, sessionRoutes } from '../../http/contract/session.ts';
import { openGateway, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';
import { addressOf, keepLogin, readLogins } from '../stored-logins.ts';

type Started = z.output<(typeof sessionRoutes.startLogin)['reply']>;
type Finished = z.output<(typeof sessionRoutes.finishLogin)['reply']>;

const askEveryMs = 2_000;

function urlOf(input: CommandInput): string {
  const [word, ...more] = input.words;
  if (more.length > 0) throw new UsageError(`unexpected "${more[0]}"`);
  const url = word ?? input.url;
  if (url === undefined) throw new UsageError('the address of the gateway is missing');
  if (!/^https?:\/\/[^/]/.test(url)) throw new UsageError(`"${url}" is not the address of a gateway`);
  return addressOf(url);
}

/** Signs the command line in as a person, with the browser. */
export const login: Command = {
  summary: 'sign in to a gateway with the browser, so that commands with --url act as you',
  usage: 'URL [--device]',
  options: {
    device: {
      type: 'boolean',
      about: 'For a machine without a browser: shows a code to enter in a browser elsewhere.',
    },
    machine: { type: 'string', value: 'NAME', about: 'What to call this machine; its host name by default.' },
  },
  examples: ['handrail login https://gw.example.com', 'handrail login https://gw.example.com --device'],
  async run(input) {
    const url = urlOf(input);
    const machine = (text(input, 'machine') ?? `${userInfo().username}@${hostname()}`).slice(0, 200);
    const client = openGateway(url, null);
    const start = (body: object) => client.request<Started>('POST', '/login', { machine, ...body });
    const finish = (deviceCode: string, code?: string) =>
      client.request<Finished>('POST', '/login/token', { deviceCode, ...(code !== undefined && { code }) });

    const done = input.options['device'] === true ? await byCode() : await byBrowser();
    const { token, name = '', expiresAt = '' } = done;
    if (token === undefined) throw cliErrors.loginExpired();
    keepLogin(url, { token, name, expiresAt });
    return showDone(input, `Signed in to ${url} as ${name} until ${expiresAt}.`, { url, name, expiresAt });

    async function byCode(): Promise<Finished> {
      const { deviceCode, userCode, url: page, expiresAt: until } = await start({});
      input.printError(`Open ${page.split('#', 1)[0]} in a browser and enter the code ${userCode}`);
      while (Date.now() < Date.parse(until)) {
        const answer = await finish(deviceCode);
        if (answer.state === 'done') return answer;
        await delay(askEveryMs);
      }
      throw cliErrors.loginExpired();
    }

    async function byBrowser(): Promise<Finished> {
      let onReturn = (_code: string): void => {};
      const returned = new Promise<string>((resolve) => (onReturn = resolve));
      const server = createServer((request, response) => {
        const code = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('code');
        response.writeHead(code === null ? 404 : 200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'",
          'referrer-policy': 'no-referrer',
          connection: 'close',
        });
        response.end(
          code === null ? '' : '<!doctype html><title>Handrail</title><p>You can close this window.</p>',
        );
        if (code !== null) onReturn(code);
      });
      const late = new AbortController();
      try {
        await new Promise<void>((resolve, reject) =>
          server.once('error', reject).listen(0, '127.0.0.1', () => resolve()),
        );
        const place = server.address();
        const port = typeof place === 'object' && place !== null ? place.port : 0;
        const { deviceCode, url: page, expiresAt: until } = await start({ port });
        input.printError(`Continue in the browser: ${page}`);
        openInBrowser(page);
        const expired = delay(Math.max(0, Date.parse(until) - Date.now()), null, { signal: late.signal });
        const code = await Promise.race([returned, expired.catch(() => null)]);
        if (code === null) throw cliErrors.loginExpired();
        return await finish(deviceCode, code);
      } finally {
        late.abort();
        server.close();
        server.closeAllConnections();
      }
    }
  },
};

/** Ends the login of this machine. */
export const logout: Command = {
  summary: 'end the login of this machine at a gateway',
  usage: 'URL',
  examples: ['handrail logout https://gw.example.com'],
  async run(input) {
    const url = urlOf(input);
    const kept = readLogins()[url];
    if (kept === undefined) return showDone(input, `You are not signed in to ${url}.`);
    keepLogin(url, null);
    try {
      await openGateway(url, kept.token).request('DELETE', '/session');
    } catch {
      // It may have ended already, or the gateway is away; then it expires by itself.
      input.printError(`The gateway did not respond. The login ends by itself at ${kept.expiresAt}.`);
    }
    return showDone(input, `Signed out of ${url}.`);
  },
};

/** Shows who commands act as. */
export const whoami: Command = {
  summary: 'show who commands act as at a gateway, or everywhere this machine is signed in',
  usage: '[URL]',
  examples: ['handrail whoami', 'handrail whoami https://gw.example.com'],
  async run(input) {
    if (input.words.length === 0 && input.url === undefined)
      return showList(
        input,
        Object.entries(readLogins()).map(([url, { name, expiresAt }]) => ({ url, name, expiresAt })),
        {
          empty: 'You are not signed in to any gateway. "handrail login URL" signs you in.',
          heading: ['GATEWAY', 'NAME', 'UNTIL'],
          row: ({ url, name, expiresAt }) => [
            url,
            name,
            Date.parse(expiresAt) > Date.now() ? expiresAt : 'expired',
          ],
        },
      );
    const url = urlOf(input);
    return withAdminClient({ ...input, url }, async (client) => {
      const session = await client.request<z.output<typeof sessionResource>>('GET', '/session');
      if (input.json) {
        const { id, name, role, via, expiresAt } = session;
        input.print(JSON.stringify({ id, name, role, via, ...(expiresAt !== undefined && { expiresAt }) }));
      } else {
        const until = session.expiresAt === undefined ? '' : `, until ${session.expiresAt}`;
        input.print(`${session.name} (${session.role})${until}`);
      }
      return exitCode.ok;
    });
  },
};

/** Tries to open a page, which can also be opened by hand. */
function openInBrowser(url: string): void {
  // Only our own address, and never through a shell.
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const opening = spawn(program, args, { stdio: 'ignore', detached: true });
  opening.on('error', () => {});
  opening.unref();
}
