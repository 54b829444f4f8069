import { describe, expect, it } from 'vitest';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';
import { awsSignature } from './aws-sigv4.ts';

// Credentials, clock and expected signatures of the test suite that AWS publishes for Signature Version 4.
const fields = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const scheme = { kind: 'aws-sigv4', region: 'us-east-1', service: 'service' } as const;
const nowMs = Date.UTC(2015, 7, 30, 12, 36, 0);

const request = (plan: Partial<RequestPlan>): RequestPlan => ({
  method: 'GET',
  origin: 'https://example.amazonaws.com',
  target: '/',
  headers: {},
  body: null,
  ...plan,
});

const signatureOf = (plan: Partial<RequestPlan>) =>
  /Signature=(\w+)$/.exec(awsSignature(scheme, fields, request(plan), nowMs)['authorization']!)![1];

describe('awsSignature', () => {
  it('signs a plain GET as AWS does', () => {
    expect(signatureOf({})).toBe('5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31');
  });

  it('signs a plain POST as AWS does', () => {
    expect(signatureOf({ method: 'POST' })).toBe(
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  it('orders query parameters by name as AWS does', () => {
    expect(signatureOf({ target: '/?Param2=value2&Param1=value1' })).toBe(
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    );
  });

  it('signs a form as AWS does', () => {
    const body = { contentType: 'application/x-www-form-urlencoded', content: 'Param1=value1' };
    expect(signatureOf({ method: 'POST', headers: { 'content-type': body.contentType }, body })).toBe(
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    );
  });

  it('names what it signed, and passes the session token', () => {
    const headers = awsSignature(scheme, { ...fields, sessionToken: 'tok' }, request({}), nowMs);
    expect(headers['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
    expect(headers['x-amz-security-token']).toBe('tok');
  });
});
