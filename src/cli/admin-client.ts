import { writeMarked } from '../lib/json/numbers/exact-numbers.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { errorCatalog, HandrailError, type Problem } from '../domain/errors.ts';
import type { CommandInput } from './command.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';
import { isEmbedded } from '../config/store-location.ts';
import { waitForProgress } from '../registry/progress.ts';
import { keysOf, isObject, objectOr, textOr } from '../lib/json/plain-object.ts';

const fileType = 'application/octet-stream';

/** The methods of the admin API. */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Speaks the admin API, to a running gateway or to the data folder: commands need not know which. */
export interface AdminClient {
  request<T>(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  /** Puts a file at a path of the gateway that carries the right to it, while it is read. */
  sendFile<T>(path: string, file: Readable): Promise<T>;
  /** The file at such a path, to be read as it comes. */
  receiveFile(path: string): Promise<Readable>;
  close(): Promise<void>;
}

/** Opens the client a command asked for: `--url`, else the data folder. What takes long says so to people. */
export async function openAdminClient(input: CommandInput): Promise<AdminClient> {
  const client =
    input.url === undefined
      ? await whileTelling(openLocal(input))
      : openRemote(input.url, input.config.adminToken);
  return {
    request: (method, path, body, headers) => whileTelling(client.request(method, path, body, headers)),
    sendFile: (path, file) => whileTelling(client.sendFile(path, file)),
    receiveFile: (path) => whileTelling(client.receiveFile(path)),
    close: () => client.close(),
  };
}

async function openLocal(input: CommandInput): Promise<AdminClient> {
  const { createGateway } = await import('../gateway.ts');
  // A token for this process alone: the data folder's owner needs no other proof, and none is made or stored.
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
    async close() {
      const { seq } = registry.snapshot;
      if (seq > knownBefore && isEmbedded(config)) await waitForProgress(store.meta, seq);
      await gateway.close();
    },
  };
}

function openRemote(url: string, adminToken: string | undefined): AdminClient {
  const base = trimEndOf(url, '/');
  if (adminToken === undefined) {
    throw new HandrailError(
      'config_invalid',
      'Talking to a server needs its admin token: set HANDRAIL_ADMIN_TOKEN (or --admin-token).',
    );
  }
  const ask = async (path: string, request: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${base}${path}`, request);
    } catch {
      throw noGateway(base);
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
      // Not `fetch`, which reads ahead of what it has sent.
      const sending = open(to, { method: 'PUT', headers: { 'content-type': fileType } });
      const answered: Promise<IncomingMessage[]> = once(sending, 'response');
      // A gateway that refuses it may answer before all of it was sent.
      const [answer] = await Promise.allSettled([answered, pipeline(file, sending)]);
      const [message] = answer.status === 'fulfilled' ? answer.value : [];
      if (message === undefined) throw noGateway(base);
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

function noGateway(base: string): HandrailError {
  return new HandrailError(
    'unavailable',
    `No gateway answers at ${base}. Is it running, and is the address right?`,
  );
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what a route answers is its contract, kept by the gateway
function readAnswer<T>(status: number, payload: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (status === 204) return undefined as T;
  let body: unknown;
  try {
    body = JSON.parse(payload);
  } catch {
    throw new HandrailError('unavailable', 'What answers there is not a Handrail gateway.');
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (status < 400) return body as T;
  const { code, detail, problems } = objectOr(body);
  const known = keysOf(errorCatalog).find((one) => one === code) ?? 'internal';
  throw new HandrailError(known, textOr(detail) ?? `The gateway answered HTTP ${status}.`, {
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

/** Waits for work and, at a terminal, tells on stderr for how long; the line is gone when the work is done. */
async function whileTelling<T>(work: Promise<T>): Promise<T> {
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
    // Back to the beginning of the line, and away with it.
    if (seconds > 0) stderr.write('\r\u001b[K');
  }
}
