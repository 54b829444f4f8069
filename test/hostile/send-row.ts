import { request } from 'node:http';
import { connect } from 'node:net';
import type { WayIn } from './row.ts';
import type { UnderAttack } from './under-attack.ts';

/** What came back. `status` 0 means that the connection was closed without an answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

const longestAnswerMs = 60_000;

/** Sends one row its way. Never rejects for what the gateway does; only for what a test got wrong. */
export async function sendRow(at: UnderAttack, way: WayIn): Promise<Answer> {
  switch (way.by) {
    case 'socket':
      return overSocket(at.port, way.bytes);
    case 'http':
      return overHttp(at, way.method, way.path, way.headers ?? {}, way.body);
    case 'admin':
      return overHttp(
        at,
        way.method,
        `/api/v1${way.path}`,
        adminHeaders(at),
        way.body === '' ? undefined : way.body,
      );
    case 'import': {
      const files = [
        { name: way.name ?? 'document.json', content: Buffer.from(way.document).toString('base64') },
      ];
      return overHttp(at, 'POST', '/api/v1/imports', adminHeaders(at), JSON.stringify({ files }));
    }
    case 'reply':
      at.answerWith(way.bytes, way.thenHang === true);
      return call(at, way.tool ?? 'raw', {});
    case 'call':
      return call(at, way.tool ?? 'probe', way.arguments);
  }
}

function adminHeaders(at: UnderAttack): Record<string, string> {
  return { authorization: `Bearer ${at.adminToken}`, 'content-type': 'application/json' };
}

function call(at: UnderAttack, name: string, args: unknown): Promise<Answer> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  return overHttp(
    at,
    'POST',
    '/mcp',
    { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  );
}

function overHttp(
  at: UnderAttack,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port: at.port,
        host: '127.0.0.1',
        method,
        path,
        agent: false,
        timeout: longestAnswerMs,
        headers: {
          host: 'localhost',
          ...latin1(headers),
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          if (text.length < 5_000_000) text += chunk;
          // A stream that listens never ends: that it began is its answer.
          if (answer.headers['content-type']?.startsWith('text/event-stream') && text.includes('\n\n'))
            asked.destroy();
        });
        const done = () => resolve({ status: answer.statusCode ?? 0, text });
        answer.on('end', done).on('close', done).on('error', done);
      },
    );
    asked.on('timeout', () => reject(new Error('no answer within a minute')));
    asked.on('error', () => resolve({ status: 0, text: '' }));
    asked.end(body);
  });
}

function latin1(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  );
}

function overSocket(port: number, bytes: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error('the connection was neither answered nor closed within a minute'));
    }, longestAnswerMs);
    socket.on('data', (chunk: Buffer) => {
      if (text.length < 1_000_000) text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text });
    });
    socket.end(bytes);
  });
}
