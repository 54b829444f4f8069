import { createHmac, randomUUID } from 'node:crypto';
import type { HmacScheme } from '../../domain/auth-scheme.ts';
import { credentialErrors } from '../../domain/error-messages/credentials.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';
import type { SecretFields } from '../seal.ts';
import { bodyBytes, bodySha256 } from './signed-body.ts';

/** The headers that sign a request as the scheme describes: the signature, and timestamp, nonce and key id if it names headers for them. */
export function hmacSignature(
  scheme: HmacScheme,
  fields: SecretFields,
  request: RequestPlan,
  nowMs: number,
  nonce: string = randomUUID(),
): Record<string, string> {
  const timestamp = formatTime(nowMs, scheme.timestampFormat ?? 'seconds');
  const keyId = fields['keyId'] ?? '';
  const text = scheme.parts
    .map((part) => partOf(part, request, { timestamp, nonce, keyId }))
    .reduce<Buffer>(
      (joined, part, i) => Buffer.concat(i === 0 ? [part] : [joined, Buffer.from(scheme.separator), part]),
      Buffer.alloc(0),
    );
  const signature = createHmac(scheme.algorithm, fields['secret'] ?? '')
    .update(text)
    .digest(scheme.encoding);
  return {
    ...(scheme.timestampHeader && { [scheme.timestampHeader.toLowerCase()]: timestamp }),
    ...(scheme.nonceHeader && { [scheme.nonceHeader.toLowerCase()]: nonce }),
    ...(scheme.keyIdHeader && { [scheme.keyIdHeader.toLowerCase()]: keyId }),
    [scheme.place.name.toLowerCase()]: `${scheme.place.prefix ?? ''}${signature}`,
  };
}

function partOf(
  part: string,
  request: RequestPlan,
  made: { timestamp: string; nonce: string; keyId: string },
): Buffer {
  const [path, query = ''] = splitTarget(request.target);
  if (part.startsWith('text:')) return Buffer.from(part.slice(5));
  if (part.startsWith('header:')) return Buffer.from(request.headers[part.slice(7).toLowerCase()] ?? '');
  switch (part) {
    case 'method':
      return Buffer.from(request.method);
    case 'path':
      return Buffer.from(path);
    case 'query':
      return Buffer.from(query);
    case 'target':
      return Buffer.from(request.target);
    case 'host':
      return Buffer.from(new URL(request.origin).host);
    case 'body':
      return bodyBytes(request);
    case 'body-sha256':
      return Buffer.from(bodySha256(request));
    case 'timestamp':
      return Buffer.from(made.timestamp);
    case 'nonce':
      return Buffer.from(made.nonce);
    case 'key-id':
      return Buffer.from(made.keyId);
    default:
      throw credentialErrors.unknownSignaturePart({ part: JSON.stringify(part) });
  }
}

function splitTarget(target: string): [string, string?] {
  const start = target.indexOf('?');
  return start === -1 ? [target] : [target.slice(0, start), target.slice(start + 1)];
}

function formatTime(nowMs: number, format: NonNullable<HmacScheme['timestampFormat']>): string {
  if (format === 'milliseconds') return String(nowMs);
  return format === 'seconds' ? String(Math.floor(nowMs / 1000)) : new Date(nowMs).toISOString();
}
