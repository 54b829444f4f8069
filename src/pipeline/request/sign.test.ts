import { describe, expect, it } from 'vitest';
import type { Operation, OperationBody } from '../../domain/operation.ts';
import type { Arguments } from '../arguments/checked-arguments.ts';
import type { RequestPlan } from './request-plan.ts';
import { bodyWriter } from './serialize-body.ts';
import { sign } from './sign.ts';

const secret = { in: 'body' as const, name: 'secret', value: 's3cret-value' };

function signed(method: string, body: OperationBody | null, args: Record<string, unknown> = { a: 'x' }) {
  const operation: Operation = {
    method,
    path: '/',
    parameters: body ? [{ name: 'a', in: 'body', schema: {}, required: false }] : [],
    ...(body && { body }),
  };
  const written = bodyWriter(operation, () => false)(args as Arguments);
  const plan: RequestPlan = {
    method,
    origin: 'https://api.example.com',
    target: '/',
    headers: written ? { 'content-type': written.contentType } : {},
    body: written,
  };
  return sign(plan, { placements: [secret], identity: 'i' }).reveal();
}

describe('a secret that belongs in the body', () => {
  it.each([
    ['application/json', '{"a":"x","secret":"s3cret-value"}'],
    ['application/x-www-form-urlencoded', 'a=x&secret=s3cret-value'],
  ])('is one more field of %s', (mediaType, content) => {
    expect(signed('POST', { mediaType, shape: 'fields' }).body?.content).toBe(content);
  });

  it('is one more field of a whole JSON object', () => {
    const body = signed('POST', { mediaType: 'application/json', shape: 'whole' }, { a: { b: 1 } }).body;
    expect(JSON.parse(body!.content as string)).toEqual({ b: 1, secret: 's3cret-value' });
  });

  it('is one more part of multipart, and the header names the boundary that was written', async () => {
    const { body, headers } = signed('POST', { mediaType: 'multipart/form-data', shape: 'fields' });
    const read = new Response(body!.content as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': headers['content-type']! },
    });
    expect([...(await read.formData()).entries()]).toEqual([
      ['a', 'x'],
      ['secret', 's3cret-value'],
    ]);
  });

  it('makes a body for a method that has one, and none for a GET that describes none', () => {
    expect(signed('POST', null).body?.content).toBe('{"secret":"s3cret-value"}');
    expect(signed('GET', null).body).toBeNull();
  });
});
