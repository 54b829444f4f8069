import type { HttpResponse } from '../lib/http-exchange.ts';
import { holdWhileSending } from '../lib/memory/hold-while-sending.ts';

/** A JSON-RPC error as text; `id` is null if the request's ID could not be read. */
export function rpcError(
  id: string | number | null,
  code: number,
  message: string,
  detail?: unknown,
): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(detail !== undefined && { data: detail }) },
  });
}

/** Ends a response with JSON text. */
export function sendJson(
  res: HttpResponse,
  status: number,
  text: string | Buffer,
  headers?: Readonly<Record<string, string>>,
): void {
  if (res.destroyed || res.headersSent) return;
  const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
  holdWhileSending(res, length);
  res.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'content-length': length,
    ...headers,
  });
  res.end(text);
}

/** Ends a response without a body. */
export function sendEmpty(
  res: HttpResponse,
  status: number,
  headers?: Readonly<Record<string, string>>,
): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-length': '0', ...headers });
  res.end();
}
