import { createHash, createHmac } from 'node:crypto';
import type { AwsScheme } from '../../domain/auth-scheme.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';
import type { SecretFields } from '../seal.ts';
import { bodySha256 } from './signed-body.ts';

/**
 * The headers that sign a request with AWS Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
export function awsSignature(
  scheme: AwsScheme,
  fields: SecretFields,
  request: RequestPlan,
  nowMs: number,
): Record<string, string> {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const scope = `${day}/${scheme.region}/${scheme.service}/aws4_request`;
  const bodyHash = bodySha256(request);
  const added: Record<string, string> = {
    'x-amz-date': stamp,
    ...(scheme.service === 's3' && { 'x-amz-content-sha256': bodyHash }),
    ...(fields['sessionToken'] && { 'x-amz-security-token': fields['sessionToken'] }),
  };
  const signed = signedHeaders(request, added);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(request.target, scheme.service),
    canonicalQuery(request.target),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = ['aws4_request', scheme.service, scheme.region, day].reduceRight<string | Buffer>(
    (held, part) => hmac(held, part),
    `AWS4${fields['secretAccessKey'] ?? ''}`,
  );
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${fields['accessKeyId'] ?? ''}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

// Host, content type and Amazon's own headers; a proxy in between may change the others.
function signedHeaders(request: RequestPlan, added: Record<string, string>): [string, string][] {
  const all: Record<string, string> = { ...request.headers, ...added, host: new URL(request.origin).host };
  return Object.entries(all)
    .filter(([name]) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'))
    .map(([name, value]): [string, string] => [name, value.trim().replace(/ +/g, ' ')])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

// Every service except S3 requires the path's segments, which are already encoded, to be encoded again.
function canonicalPath(target: string, service: string): string {
  const path = target.split('?', 1)[0]! || '/';
  if (service === 's3') {
    return path
      .split('/')
      .map((segment) => encode(decodeLoosely(segment)))
      .join('/');
  }
  return path.split('/').map(encode).join('/');
}

function canonicalQuery(target: string): string {
  const start = target.indexOf('?');
  if (start === -1 || start === target.length - 1) return '';
  return target
    .slice(start + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [encode(decodeLoosely(name)), encode(decodeLoosely(value))] as const;
    })
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : x > y ? 1 : 0) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
