import { writeMarked } from '../lib/json/numbers/exact-numbers.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { cliErrors } from '../domain/error-messages/cli.ts';
import { errorCatalog, HandrailError, type Problem } from '../domain/errors.ts';
import type { Gateway } from '../gateway.ts';
import type { CommandInput } from './command.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';
import { isEmbedded } from '../config/store-location.ts';
import { waitForProgress } from '../registry/progress.ts';
import { keysOf, isObject, objectOr, textOr } from '../lib/json/plain-object.ts';

const fileType = 'application/octet-stream';

/** The methods of the admin API. */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A client of the admin API of a running gateway or of the data folder; commands don't need to know which. */
export interface AdminClient {
  request<T>(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  /** Streams a file to an upload path of the gateway. */
  sendFile<T>(path: string, file: Readable): Promise<T>;
  /** Streams the file at a download path of the gateway. */
  receiveFile(path: string): Promise<Readable>;
  close(): Promise<void>;
}

/** Opens the client for a command: `--url` or the data folder. Shows progress at a terminal. */
export async function openAdminClient(input: CommandInput): Promise<AdminClient> {
  const client =
    input.url === undefined
      ? await withProgress(openLocal(input))
      : openRemote(input.url, input.config.adminToken);
  return {
    request: (method, path, body, headers) => withProgress(client.request(method, path, body, headers)),
    sendFile: (path, file) => withProgress(client.sendFile(path, file)),
    receiveFile: (path) => withProgress(client.receiveFile(path)),
    close: () => client.close(),
  };
}

async function openLocal(input: CommandInput): Promise<AdminClient> {
  const { createGateway } = await import('../gateway.ts');
  // A token for this process only: access to the data folder is proof enough, so none is created or stored.
  const adminToken = randomUUID();
  const config = {
    ...input.config,
    adminToken,
    demo: false,
    logLevel: input.config.logLevel === 'info' ? ('warn' as const) : input.config.logLevel,
  };
  const gateway = await createGateway(config);
  const { registry, store } = gateway;
  const knownBefore = registry.snapshot.seq;
  return {
    ...localClient(gateway, adminToken),
    async close() {
      const { seq } = registry.snapshot;
      if (seq > knownBefore && isEmbedded(config)) await waitForProgress(store.meta, seq);
      await gateway.close();
    },
  };
}

/** A client of a gateway in this process; closing it leaves the gateway as it is. */
export function localClient(gateway: Pick<Gateway, 'app'>, adminToken: string): AdminClient {
  return {
    async request<T>(
      method: Method,
      path: string,
      body?: unknown,
      headers?: Readonly<Record<string, string>>,
    ) {
      const answer = await gateway.app.inject({
        method,
        url: `/api/v1${path}`,
        headers: {
          ...headers,
          host: 'localhost',
          authorization: `Bearer ${adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: writeMarked(JSON.stringify(body)) }),
      });
      return readAnswer<T>(answer.statusCode, answer.payload);
    },
    async sendFile<T>(path: string, file: Readable) {
      const headers = { host: 'localhost', 'content-type': fileType };
      const answer = await gateway.app.inject({ method: 'PUT', url: path, headers, payload: file });
      return readAnswer<T>(answer.statusCode, answer.payload);
    },
    async receiveFile(path) {
      const headers = { host: 'localhost' };
      const answer = await gateway.app.inject({ method: 'GET', url: path, headers, payloadAsStream: true });
      const content = answer.stream();
      return answer.statusCode < 400 ? content : readAnswer(answer.statusCode, await textOf(content));
    },
    close: () => Promise.resolve(),
  };
}

function openRemote(url: string, adminToken: string | undefined): AdminClient {
  const base = trimEndOf(url, '/');
  if (adminToken === undefined) {
    throw cliErrors.adminTokenMissing();
  }
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${base}${path}`, init);
    } catch {
      throw cliErrors.gatewayUnreachable({ url: base });
    }
  };
  return {
    async request<T>(
      method: Method,
      path: string,
      body?: unknown,
      headers?: Readonly<Record<string, string>>,
    ) {
      const answer = await ask(`/api/v1${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: writeMarked(JSON.stringify(body)) }),
      });
      return readAnswer<T>(answer.status, await answer.text());
    },
    async sendFile<T>(path: string, file: Readable) {
      const to = new URL(`${base}${path}`);
      const open = to.protocol === 'https:' ? requestByTls : request;
      // Not `fetch`, which buffers more than it has sent.
      const sending = open(to, { method: 'PUT', headers: { 'content-type': fileType } });
      const answered: Promise<IncomingMessage[]> = once(sending, 'response');
      // A gateway that rejects the file may respond before it was sent completely.
      const [answer] = await Promise.allSettled([answered, pipeline(file, sending)]);
      const [message] = answer.status === 'fulfilled' ? answer.value : [];
      if (message === undefined) throw cliErrors.gatewayUnreachable({ url: base });
      return readAnswer<T>(message.statusCode ?? 0, await textOf(message));
    },
    async receiveFile(path) {
      const answer = await ask(path, {});
      if (answer.status >= 400 || answer.body === null) return readAnswer(answer.status, await answer.text());
      return Readable.fromWeb(answer.body);
    },
    close: () => Promise.resolve(),
  };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the gateway guarantees the reply type of each route
function readAnswer<T>(status: number, payload: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (status === 204) return undefined as T;
  let body: unknown;
  try {
    body = JSON.parse(payload);
  } catch {
    throw cliErrors.notAGateway();
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (status < 400) return body as T;
  const { code, detail, problems } = objectOr(body);
  const known = keysOf(errorCatalog).find((one) => one === code) ?? 'internal';
  throw new HandrailError(known, textOr(detail) ?? cliErrors.gatewayFailed({ status }).message, {
    ...(Array.isArray(problems) && { problems: problems.filter(isProblem) }),
  });
}

function isProblem(value: unknown): value is Problem {
  return isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';
}

/** Reads every page of a list. */
export async function listAll<T>(client: AdminClient, path: string): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: T[]; nextCursor: string | null } = await client.request(
      'GET',
      `${path}${separator}limit=500${next}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** Runs a command's work with a client and closes it afterwards. */
export async function withAdminClient<T>(
  input: CommandInput,
  work: (client: AdminClient) => Promise<T>,
): Promise<T> {
  const client = await openAdminClient(input);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const silentMs = 1_000;

/** Waits for work and, at a terminal, shows the elapsed seconds on stderr until it is done. */
async function withProgress<T>(work: Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work;
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    stderr.write(`\r… ${seconds} s`);
  }, silentMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    // Clear the line.
    if (seconds > 0) stderr.write('\r\u001b[K');
  }
}
