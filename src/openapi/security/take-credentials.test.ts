import { describe, expect, it } from 'vitest';
import type { ApiDescription } from '../../domain/description.ts';
import { inputSchemaOf } from '../../domain/tool.ts';
import { readDocument } from '../read-document.ts';

interface Operation {
  readonly parameters?: readonly Record<string, unknown>[];
  readonly body?: Record<string, unknown>;
}

/** A document with these operations, one path each. */
function read(operations: readonly Operation[], rest: Record<string, unknown> = {}): ApiDescription {
  const paths = Object.fromEntries(
    operations.map(({ parameters = [], body }, i) => [
      `/p${i}`,
      {
        [body ? 'post' : 'get']: {
          parameters: parameters.map((parameter) => ({ schema: { type: 'string' }, ...parameter })),
          ...(body && {
            requestBody: { required: true, content: { 'application/json': { schema: body } } },
          }),
        },
      },
    ]),
  );
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths, ...rest };
  return readDocument({ root: 'd', files: new Map([['d', document]]) });
}

const times = (count: number, operation: Operation): Operation[] =>
  Array.from({ length: count }, () => operation);
const header = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  in: 'header',
  required: true,
  ...more,
});
const query = (name: string, more: Record<string, unknown> = {}) => ({ name, in: 'query', ...more });
const asked = ({ operations }: ApiDescription): string[][] =>
  operations.map(({ content }) => Object.keys(inputSchemaOf(content!.operation)['properties'] as object));
const schemes = (declared: Record<string, unknown>, security?: unknown) => ({
  components: { securitySchemes: declared },
  ...(security !== undefined && { security }),
});
const taken = ({ notes }: ApiDescription) =>
  notes.filter(({ code }) => code === 'credential_taken_out').map(({ message }) => message);

describe('credentials that a document describes as parameters', () => {
  it('become headers that are sent with every request, with the plan saying so', () => {
    const api = read(
      times(5, {
        parameters: [header('ApiIntegrationCode'), header('UserName'), header('Secret'), query('search')],
      }),
    );
    expect(api.auth).toEqual({ kind: 'headers', names: ['ApiIntegrationCode', 'UserName', 'Secret'] });
    expect(asked(api)).toEqual(Array.from({ length: 5 }, () => ['search']));
    expect(taken(api)).toEqual([
      expect.stringContaining(
        '"Secret" (header of 5 operations) is a credential: it is part of the API’s authentication',
      ),
      expect.stringContaining('"ApiIntegrationCode"'),
      expect.stringContaining('"UserName"'),
    ]);
  });

  it.each([
    ['a query', { parameters: [query('key', { required: true, description: 'Your API key.' })] }, 'query'],
    ['a cookie', { parameters: [{ name: 'session', in: 'cookie', required: true }] }, 'cookie'],
  ])('are found in %s', (_where, operation, place) => {
    expect(read(times(3, operation)).auth).toMatchObject({ kind: 'api-key', in: place });
  });

  it('are found in bodies that nearly all have them, whichever way the schema is put together', () => {
    const secret = { client_id: { type: 'string' }, secret: { type: 'string' } };
    const flat = {
      type: 'object',
      required: ['client_id', 'secret', 'id'],
      properties: { ...secret, id: {} },
    };
    const api = read(
      [
        ...times(4, { body: flat }),
        { body: { allOf: [{ $ref: '#/components/schemas/Base' }, { minProperties: 1 }] } },
      ],
      { components: { schemas: { Base: { ...flat, additionalProperties: { type: 'string' } } } } },
    );
    expect(api.auth).toEqual({
      kind: 'all',
      schemes: [
        { kind: 'api-key', in: 'body', name: 'client_id' },
        { kind: 'api-key', in: 'body', name: 'secret' },
      ],
    });
    expect(asked(api)[0]).toEqual(['id']);
    expect(JSON.stringify(api.operations[4]!.content!.operation.parameters)).not.toMatch(/secret|client_id/);
  });

  it('stay where an operation is about them', () => {
    const account = {
      type: 'object',
      properties: { name: {}, password: { type: 'string' }, token: { type: 'string' } },
    };
    const api = read([
      { body: account },
      ...times(9, { body: { type: 'object', properties: { name: {} } } }),
      { parameters: [query('token', { description: 'The invitation to look at.' }), query('pageToken')] },
    ]);
    expect(api.auth).toEqual({ kind: 'none' });
    expect(asked(api)[0]).toEqual(['name', 'password', 'token']);
    expect(asked(api).at(-1)).toEqual(['token', 'pageToken']);
    expect(taken(api)).toEqual([]);
  });

  it('give way to what the document declares', () => {
    const google = ['access_token', 'key', 'oauth_token', 'alt'].map((name) => query(name));
    const api = read(
      times(4, { parameters: google }),
      schemes({ o: { type: 'http', scheme: 'bearer' } }, [{ o: [] }]),
    );
    expect(api.auth).toEqual({ kind: 'bearer' });
    expect(asked(api)[0]).toEqual(['alt']);
    expect(api.authChoices.map(({ name }) => name)).toEqual([
      'o',
      'access_token (query)',
      'key (query)',
      'oauth_token (query)',
    ]);
    expect(taken(api)[0]).toContain('replaces it');
  });

  it('join what the document declares when they are demanded and something else', () => {
    const api = read(
      times(3, { parameters: [header('X-Api-Key')] }),
      schemes({ o: { type: 'http', scheme: 'basic' }, k: { type: 'http', scheme: 'bearer' } }, [{ k: [] }]),
    );
    expect(api.auth).toEqual({
      kind: 'all',
      schemes: [{ kind: 'bearer' }, { kind: 'api-key', in: 'header', name: 'X-Api-Key' }],
    });
  });

  it('are not asked for where a declared key is listed as a parameter once more', () => {
    const api = read(
      [{ parameters: [header('x-license')] }, ...times(20, {})],
      schemes({ k: { type: 'apiKey', in: 'header', name: 'X-License' } }, [{ k: [] }]),
    );
    expect(api.auth).toEqual({ kind: 'api-key', in: 'header', name: 'X-License' });
    expect(asked(api)[0]).toEqual([]);
  });

  it('are hidden where few operations have them, so that a value can still be fixed', () => {
    const api = read([{ parameters: [header('bucketSecretKey', { required: true })] }, ...times(19, {})]);
    expect(api.operations[0]!.content!.operation.parameters).toEqual([
      { name: 'bucketSecretKey', in: 'header', schema: { type: 'string' }, required: false, hidden: true },
    ]);
    expect(taken(api)[0]).toContain('Fix a value for it');
  });

  it('are left to signing where requests are signed', () => {
    const names = [
      'X-Amz-Signature',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-SignedHeaders',
      'X-Amz-Target',
    ];
    const api = read(
      times(2, { parameters: names.map((name) => header(name)) }),
      schemes(
        {
          hmac: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            'x-amazon-apigateway-authtype': 'awsSigv4',
          },
        },
        [{ hmac: [] }],
      ),
    );
    expect(api.auth.kind).toBe('aws-sigv4');
    expect(asked(api)[0]).toEqual(['X-Amz-Target']);
    expect(api.notes.map(({ code }) => code)).toContain('signature_taken_out');
  });

  it.each([
    ['Bearer token of the user', { kind: 'bearer' }],
    ['Basic authentication', { kind: 'basic' }],
    ['The key', { kind: 'api-key', in: 'header', name: 'Authorization' }],
  ])('stand in an Authorization header that is described as %j', (description, auth) => {
    expect(read(times(2, { parameters: [header('Authorization', { description })] })).auth).toEqual(auth);
  });
});

describe('the way in that is proposed', () => {
  const oauth = {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: 'https://a.example/a',
        tokenUrl: 'https://a.example/t',
        scopes: {},
      },
    },
  };
  const bearer = { type: 'http', scheme: 'bearer' };
  const key = { type: 'apiKey', in: 'query', name: 'token' };

  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    ['the easier of several', { oauth, bearer }, [{ oauth: [] }, { bearer: [] }], { kind: 'bearer' }],
    [
      'a header before an address that is logged',
      { key, head: { type: 'apiKey', in: 'header', name: 'X-Token' } },
      [{ key: [] }, { head: [] }],
      { kind: 'api-key', in: 'header', name: 'X-Token' },
    ],
    ['one that no operation asks for, when there is no other', { bearer }, undefined, { kind: 'bearer' }],
    [
      'all keys of different names, when no operation says which',
      {
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
        secret: { type: 'apiKey', in: 'header', name: 'X-Secret' },
      },
      undefined,
      {
        kind: 'all',
        schemes: [
          { kind: 'api-key', in: 'header', name: 'X-Id' },
          { kind: 'api-key', in: 'header', name: 'X-Secret' },
        ],
      },
    ],
    [
      'a token of one’s own where the address to get one is not known',
      { oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } } },
      [{ oauth: [] }],
      { kind: 'bearer' },
    ],
    [
      'a key with the word that stands before it',
      {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Tokens must be prepended with "token" followed by a space.',
        },
      },
      [{ key: [] }],
      { kind: 'api-key', in: 'header', name: 'Authorization', prefix: 'token ' },
    ],
    [
      'a bearer token that is called a key',
      {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Enter: Bearer <your token>',
        },
      },
      [{ key: [] }],
      { kind: 'bearer' },
    ],
  ])('is %s', (_what, declared, security, auth) => {
    expect(read(times(2, {}), schemes(declared, security)).auth).toEqual(auth);
  });

  it('asks when the document says nothing, and not when it says that nothing is needed', () => {
    const codes = (rest: Record<string, unknown>) => read(times(2, {}), rest).notes.map(({ code }) => code);
    expect(codes({})).toContain('authentication_unknown');
    expect(codes({ security: [] })).not.toContain('authentication_unknown');
    expect(codes(schemes({ bearer }))).toContain('authentication_assumed');
  });
});
