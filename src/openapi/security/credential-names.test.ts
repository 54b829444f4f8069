import { describe, expect, it } from 'vitest';
import type { ParameterPlace } from '../../domain/operation.ts';
import { describesCredential, type NameSays, nameSays } from './credential-names.ts';

describe('a name', () => {
  it.each<[NameSays, ParameterPlace, readonly string[]]>([
    [
      'credential',
      'header',
      [
        'Authorization',
        'X-Api-Key',
        'apikey',
        'APIKEY',
        'api_key',
        'X-Auth-Token',
        'Ocp-Apim-Subscription-Key',
        'X-App-Token',
        'System-Secret',
        'account-password',
        'Cookie',
        'X-Vendor-Signature',
        'WM_SEC.ACCESS_TOKEN',
      ],
    ],
    [
      'credential',
      'query',
      ['access_token', 'oauth_token', 'apiKey', 'client_secret', 'appSecret', 'developerKey'],
    ],
    ['credential', 'cookie', ['session', 'JSESSIONID', 'connect.sid', 'auth_token']],
    ['perhaps', 'query', ['token', 'key', 'secret', 'password', 'sig', 'signature', 'auth']],
    ['perhaps', 'header', ['Token', 'X-Server-Side-Token', 'X-Client-Authentication']],
    [
      'companion',
      'header',
      ['UserName', 'user', 'App-Id', 'client_id', 'Api-Username', 'ApiIntegrationCode', 'X-User'],
    ],
    [
      'nothing',
      'query',
      [
        'author',
        'keyboard',
        'keyword',
        'monkey',
        'pageToken',
        'NextToken',
        'continuation_token',
        'skipToken',
        'sort_key',
        'tagKeys',
        'public_key',
        'new_password',
        'password_reset',
        'token_type',
        'auth_method',
        'quotaUser',
        'twitter_username',
        'authorization_flow__slug',
        'X-Idempotency-Key',
        '',
        '-',
      ],
    ],
  ])('says %s in a %s', (says, place, names) => {
    expect(Object.fromEntries(names.map((name) => [name, nameSays(name, place)]))).toEqual(
      Object.fromEntries(names.map((name) => [name, says])),
    );
  });
});

describe('a description', () => {
  it.each([
    ['Your API key. Get one at example.com.', true],
    ['Authentication token bearing required scopes.', true],
    ['The login token returned from the session call', true],
    ['OAuth 2.0 token for the current user.', true],
    ['Password assigned to your app', true],
    ['A JSON Web Token', true],
    ['The key of the application property.', false],
    ['A token that lets you continue where the last page of credentials ended.', false],
    ['A unique token that makes the request idempotent; an access token of sorts.', false],
    ['Lock token', false],
    [undefined, false],
  ])('%j opens the API: %s', (text, opens) => {
    expect(describesCredential(text)).toBe(opens);
  });
});
