import { jsonText, parseExactly } from '../lib/json/numbers/exact-numbers.ts';
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { LineChannel } from '../mcp/stdio/line-channel.ts';
import { type ParamHeader, paramHeadersOf, paramValue } from '../mcp/param-headers.ts';
import { UsageError } from './command.ts';
import { errorCode, errorMessage } from '../lib/thrown-errors.ts';
import { arrayOr, isObject, objectOr, textOr } from '../lib/json/plain-object.ts';
import { readStream } from '../lib/read-stream.ts';

type Message = { id?: string | number; method?: string; params?: Record<string, unknown> };

/** A running request of the modern era; over HTTP it is canceled by closing its connection. */
interface RunningRequest {
  cancelled: boolean;
  sent: ClientRequest | null;
}

// A restarting gateway is back within seconds; after this time the client gets an error.
const maxWaitMs = 30_000;
const reconnectMs = 500;
const acknowledged = '"notifications/subscriptions/acknowledged"';
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/**
 * Forwards messages between a line channel and a gateway over HTTP, in the era that the client speaks. It waits for a
 * gateway that restarts and reopens a session that the gateway no longer knows, so that the client doesn't notice.
 */
export async function bridge(
  channel: LineChannel,
  address: string,
  key: string | undefined,
  { drainMs, stopped }: { readonly drainMs: number; readonly stopped: Promise<unknown> },
): Promise<void> {
  const url = parseAddress(address);
  const secure = url.protocol === 'https:';
  const send = secure ? requestHttps : requestHttp;
  const agent = new (secure ? SecureAgent : Agent)({ keepAlive: true });
  let session: string | undefined;
  let revision: string | undefined;
  let opening: Message | null = null;
  let listening = false;
  let ended = false;
  const running = new Map<string | number, RunningRequest>();
  // Clients on a pipe send no headers, so the headers that mirror parameters are learned from the tool lists they
  // received.
  const mirrors = new Map<string, readonly ParamHeader[]>();

  function post(
    body: string,
    headers: Record<string, string>,
    method = 'POST',
    state?: RunningRequest,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const req = send(
        url,
        {
          method,
          agent,
          headers: {
            accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
            ...(method === 'POST' && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...headers,
          },
        },
        resolve,
      );
      req.on('error', reject);
      if (state) state.sent = req;
      req.end(body);
    });
  }

  function headersFor(message: Message): Record<string, string> {
    const claimed = claimedRevision(message);
    if (claimed !== undefined) {
      const name = message.params?.['name'] ?? message.params?.['uri'];
      const mirrored = message.method === 'tools/call' ? mirrors.get(String(name)) : undefined;
      return {
        ...(mirrored && mirroredHeaders(mirrored, message.params?.['arguments'])),
        'mcp-protocol-version': claimed,
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      };
    }
    return {
      ...(session !== undefined && message.method !== 'initialize' && { 'mcp-session-id': session }),
      ...(revision !== undefined && message.method !== 'initialize' && { 'mcp-protocol-version': revision }),
    };
  }

  async function reach(message: Message, state?: RunningRequest): Promise<IncomingMessage> {
    const body = jsonText(message);
    const deadline = Date.now() + maxWaitMs;
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        const answer = await post(body, headersFor(message), 'POST', state);
        const away = answer.statusCode === 502 || answer.statusCode === 503 || answer.statusCode === 504;
        if (!away || Date.now() + waitMs > deadline) return answer;
        answer.resume();
      } catch (error) {
        const refused = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(errorCode(error) ?? '');
        // A call that may already have been executed is not sent twice.
        const safe = refused || message.method !== 'tools/call';
        if (!safe || ended || state?.cancelled || Date.now() + waitMs > deadline) throw error;
      }
      await delay(waitMs);
    }
  }

  async function openAgain(): Promise<boolean> {
    if (!opening) return false;
    session = undefined;
    const answer = await reach(opening);
    session = sessionIdOf(answer);
    answer.resume();
    const ready = await post(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      headersFor({}),
    );
    ready.resume();
    return answer.statusCode === 200;
  }

  async function carry(message: Message): Promise<void> {
    try {
      if (message.method === 'notifications/cancelled' && cancel(message.params?.['requestId'])) return;
      if (message.method === 'initialize') opening = message;
      if (message.id !== undefined && message.method !== undefined && isModern(message)) {
        await carryModern(message, message.id);
        return;
      }
      let answer = await reach(message);
      if (answer.statusCode === 404 && session !== undefined && message.method !== 'initialize') {
        answer.resume();
        if (await openAgain()) answer = await reach(message);
      }
      await deliver(answer, message);
      if (message.method === 'notifications/initialized') void listen();
    } catch (error) {
      fail(message, -32_000, `The gateway at ${url.origin} cannot be reached: ${errorMessage(error)}`);
    }
  }

  async function carryModern(message: Message, id: string | number): Promise<void> {
    const state: RunningRequest = { cancelled: false, sent: null };
    running.set(id, state);
    try {
      // A client on a pipe listens until it cancels; a restart of the gateway is only an interruption.
      for (let again = false; ; again = true) {
        const answer = await reach(message, state);
        if (state.cancelled) answer.destroy();
        else await deliver(answer, message, again);
        const streamed = answer.headers['content-type']?.startsWith('text/event-stream');
        if (message.method !== 'subscriptions/listen' || !streamed || state.cancelled || ended) return;
        await delay(reconnectMs);
      }
    } catch (error) {
      if (!state.cancelled) throw error;
    } finally {
      if (running.get(id) === state) running.delete(id);
    }
  }

  /** Cancels a running modern request; false when there is none with this id. */
  function cancel(id: unknown): boolean {
    const state = typeof id === 'string' || typeof id === 'number' ? running.get(id) : undefined;
    if (!state) return false;
    state.cancelled = true;
    state.sent?.destroy();
    return true;
  }

  async function deliver(answer: IncomingMessage, message: Message, again = false): Promise<void> {
    if (message.method === 'initialize') session = sessionIdOf(answer);
    if (answer.headers['content-type']?.startsWith('text/event-stream')) {
      await readEvents(answer, (line) => {
        note(message, line);
        if (!(again && line.includes(acknowledged))) channel.write(line);
      }).catch((error: unknown) => {
        // An interrupted stream is reopened; an interrupted response is lost.
        if (message.method !== 'subscriptions/listen') throw error;
      });
      return;
    }
    const body = (await readStream(answer)).toString('utf8').trim();
    if (answer.statusCode === 202 || (body === '' && message.id === undefined)) return;
    if (Array.isArray(message) && body.startsWith('[')) {
      channel.write(jsonText(parseExactly(body)));
      return;
    }
    if (isRpc(body) && (message.id !== undefined || Array.isArray(message))) {
      note(message, body);
      // An error from before the protocol has no request id, but the client waits for a response with its own.
      const { id, error } = objectOr(JSON.parse(body));
      const advice = answer.statusCode === 401 ? ' Set it as HANDRAIL_KEY or with --key.' : '';
      if (id === null && isObject(error))
        fail(
          message,
          typeof error['code'] === 'number' ? error['code'] : -32_000,
          `${textOr(error['message']) ?? ''}${advice}`,
        );
      else channel.write(body.includes('\n') ? jsonText(parseExactly(body)) : body);
      return;
    }
    fail(message, -32_000, `The gateway responded with HTTP ${answer.statusCode}${detailOf(body)}`);
  }

  function note(message: Message, line: string): void {
    if (message.method === 'tools/list') noteMirrors(line);
    if (message.method !== 'initialize') return;
    const { result } = objectOr(JSON.parse(line));
    if (isObject(result)) revision = textOr(result['protocolVersion']);
  }

  function noteMirrors(line: string): void {
    if (mirrors.size === 0 && !line.includes('"x-mcp-header"')) return;
    const { tools } = objectOr(objectOr(JSON.parse(line))['result']);
    for (const tool of arrayOr(tools)) {
      const { name, inputSchema } = objectOr(tool);
      if (typeof name === 'string') mirrors.set(name, paramHeadersOf(objectOr(inputSchema)) ?? []);
    }
  }

  function fail(message: Message, code: number, text: string): void {
    // As JSON-RPC requires, a message without an id gets an error with the id null.
    const id =
      Array.isArray(message) || (message.method === undefined && !isAnswer(message)) ? null : message.id;
    if (id !== undefined && !isAnswer(message)) {
      channel.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } }));
    } else process.stderr.write(`handrail: ${text}\n`);
  }

  // Messages that the gateway sends on its own arrive on a separate stream, for as long as the client is connected.
  async function listen(): Promise<void> {
    if (listening || session === undefined) return;
    listening = true;
    let lastEventId: string | undefined;
    for (;;) {
      if (ended || session === undefined) return;
      try {
        const headers = {
          ...headersFor({}),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        };
        const answer = await post('', headers, 'GET');
        if (answer.statusCode !== 200) {
          answer.resume();
          if (answer.statusCode === 405) return;
        } else {
          await readEvents(
            answer,
            (line) => channel.write(line),
            (id) => (lastEventId = id),
          );
        }
      } catch {
        // The gateway is unreachable; the next iteration tries again.
      }
      await delay(1_000, undefined, { ref: false });
    }
  }

  const underWay = new Set<Promise<void>>();
  let opened = Promise.resolve();
  channel.listen((value) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel only passes JSON-RPC messages and batches
    const message = value as Message;
    // Messages after `initialize` belong to the session that it opens.
    const carrying = message.method === 'initialize' ? carry(message) : opened.then(() => carry(message));
    if (message.method === 'initialize') opened = carrying;
    // A listening request has no final response to wait for.
    if (message.method === 'subscriptions/listen') return;
    underWay.add(carrying);
    void carrying.finally(() => underWay.delete(carrying));
  });
  await Promise.race([channel.ended, stopped]);
  ended = true;
  await Promise.race([Promise.all(underWay), stopped, delay(drainMs, undefined, { ref: false })]);
  if (session !== undefined) {
    const endSession = async () => {
      try {
        (await post('', headersFor({}), 'DELETE')).resume();
      } catch {
        // A gateway that is gone has no session left to end.
      }
    };
    await Promise.race([endSession(), delay(500)]);
  }
  agent.destroy();
}

function claimedRevision(message: Message): string | undefined {
  return textOr(objectOr(message.params?.['_meta'])[versionKey]);
}

function isModern(message: Message): boolean {
  return claimedRevision(message) !== undefined;
}

function parseAddress(address: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new UsageError(`--url ${address} is not a valid URL such as https://host/mcp/slug`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('--url must start with http:// or https://');
  if (url.pathname === '/') url.pathname = '/mcp';
  return url;
}

/** Encodes a header value for MCP: unchanged when that is safe, otherwise as wrapped base64. */
function headerValue(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function mirroredHeaders(mirrored: readonly ParamHeader[], args: unknown): Record<string, string> {
  return Object.fromEntries(
    mirrored.flatMap((one) => {
      const value = paramValue(one, args);
      return value === undefined ? [] : [[one.header, headerValue(String(value))]];
    }),
  );
}

/** The reason for an error, if the response is problem details (RFC 9457). */
function detailOf(body: string): string {
  try {
    const { detail } = objectOr(JSON.parse(body));
    return typeof detail === 'string' ? `: ${detail}` : '';
  } catch {
    return '';
  }
}

function isAnswer(message: Message): boolean {
  return 'result' in message || 'error' in message;
}

function isRpc(body: string): boolean {
  return body.startsWith('{') && body.includes('"jsonrpc"');
}

function sessionIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

async function readEvents(
  answer: IncomingMessage,
  onLine: (line: string) => void,
  onId?: (id: string) => void,
): Promise<void> {
  const parser = createParser({
    onEvent({ id, data }) {
      if (id !== undefined) onId?.(id);
      // A resumable stream starts with an id without a message.
      if (data !== '') onLine(data);
    },
  });
  answer.setEncoding('utf8');
  for await (const chunk of answer) parser.feed(String(chunk));
}
