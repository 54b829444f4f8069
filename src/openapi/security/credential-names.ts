import type { ParameterPlace } from '../../domain/operation.ts';

/**
 * What an input's name suggests. `credential`: hardly anything else has that name. `perhaps`: a secret of some kind; only
 * the number of operations that need it shows whether it authenticates. `companion`: identifies the account, together with
 * a secret.
 */
export type NameSays = 'credential' | 'perhaps' | 'companion' | 'nothing';

// A key or token of one of these grants access to an API.
const owners = new Set([
  'access',
  'account',
  'api',
  'app',
  'application',
  'auth',
  'authentication',
  'bearer',
  'consumer',
  'developer',
  'dev',
  'id',
  'integration',
  'jwt',
  'license',
  'login',
  'master',
  'oauth',
  'oauth2',
  'partner',
  'personal',
  'private',
  'sdk',
  'secret',
  'security',
  'server',
  'service',
  'subscription',
  'user',
]);

// Often written as one word.
const joined = new Set([
  'accesskey',
  'accesstoken',
  'apikey',
  'apisecret',
  'apitoken',
  'appkey',
  'apptoken',
  'appsecret',
  'authkey',
  'authorization',
  'authorization',
  'authtoken',
  'clientsecret',
  'csrftoken',
  'devtoken',
  'jwt',
  'oauthtoken',
  'privatekey',
  'sdkkey',
  'secretkey',
  'sessiontoken',
  'subscriptionkey',
  'usertoken',
  'xsrftoken',
]);

const secrets = new Set([
  'auth',
  'authentication',
  'bearer',
  'credential',
  'credentials',
  'key',
  'pass',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'secret',
  'sig',
  'signature',
  'token',
]);

// With one of these, a name is about a secret but not one itself, or a token for a list, a device or a form.
const harmless = new Set([
  'algorithm',
  'card',
  'confirm',
  'confirmation',
  'continuation',
  'count',
  'cursor',
  'customer',
  'date',
  'delta',
  'device',
  'enabled',
  'encryption',
  'endpoint',
  'expires',
  'expiry',
  'foreign',
  'format',
  'idempotency',
  'idempotence',
  'invitation',
  'invite',
  'kms',
  'length',
  'limit',
  'lock',
  'md5',
  'method',
  'methods',
  'mode',
  'name',
  'new',
  'next',
  'old',
  'page',
  'partition',
  'payment',
  'policy',
  'preferred',
  'prefix',
  'previous',
  'primary',
  'provider',
  'public',
  'push',
  'range',
  'registration',
  'required',
  'reset',
  'routing',
  'scheme',
  'share',
  'skip',
  'sort',
  'state',
  'supported',
  'sync',
  'tag',
  'time',
  'ttl',
  'type',
  'uri',
  'url',
  'verification',
]);

const persons = new Set([
  'user',
  'username',
  'login',
  'userid',
  'clientid',
  'appid',
  'apiuser',
  'apiusername',
]);
// Words that may precede one of them without meaning another person.
const ofTheApi = new Set(['account', 'api', 'app', 'auth', 'client', 'service', 'x']);
const identities = new Set([
  'app',
  'application',
  'client',
  'consumer',
  'key',
  'partner',
  'user',
  'api',
  'developer',
]);

/** Checks a name word by word, so that `author`, `keyboard` and `page_token` suggest nothing. */
export function nameSays(name: string, place: ParameterPlace): NameSays {
  const words = wordsOf(name);
  if (words.length === 0) return 'nothing';
  if (place === 'header' && words.join('') === 'cookie') return 'credential';
  if (isCompanion(words)) return 'companion';
  if (words.some((word) => harmless.has(word))) return 'nothing';
  if (joined.has(words.at(-1)!) || opensSomething(words, place)) return 'credential';
  if (place === 'cookie' && words.some((word) => /^(?:.*sess(?:ion)?(?:id)?|sid)$/.test(word)))
    return 'credential';
  const last = words.at(-1)!;
  if (place === 'header' && (last === 'secret' || last.startsWith('passw'))) return 'credential';
  return secrets.has(last) ? 'perhaps' : 'nothing';
}

function opensSomething(words: readonly string[], place: ParameterPlace): boolean {
  const word = words.at(-1)!;
  const before = words.at(-2);
  if (word === 'key' || word === 'token' || word === 'secret' || word === 'password')
    return before !== undefined && (owners.has(before) || (word === 'secret' && before === 'client'));
  return (word === 'signature' || word === 'credential') && place === 'header' && before !== undefined;
}

function isCompanion(words: readonly string[]): boolean {
  const last = words.at(-1);
  const before = words.at(-2);
  if (last !== undefined && persons.has(last)) return words.slice(0, -1).every((word) => ofTheApi.has(word));
  if (last === 'id') return before !== undefined && identities.has(before);
  // `ApiIntegrationCode`, `partner_code`.
  if (last === 'code') return words.some((word) => word === 'integration' || word === 'partner');
  return last === 'name' && before === 'user' && words.slice(0, -2).every((word) => ofTheApi.has(word));
}

/** The words of a name in any of the usual spellings: `X-Api-Key`, `apiKey`, `API_KEY`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const opens =
  /\b(?:api|access|authentication|auth|authorization|oauth2?|security|session|login|subscription|application|app|secret|developer|user|account|unique|license)[ -]?(?:key|token|secret)s?\b|\bauthenticat|\bauthori[sz]ation\b|\bcredentials?\b|\boauth\b|\bbearer\b|\bjwt\b|\bjson web token\b|\byour (?:[a-z]+ )?(?:key|token|secret)\b|assigned to (?:you|your)\b/i;
const continues = /idempoten|pagina|next page|next set|continu|cursor/i;

/** Whether a description says that the input authenticates. */
export function describesCredential(description: string | undefined): boolean {
  if (description === undefined) return false;
  const text = description.slice(0, 400);
  return opens.test(text) && !continues.test(text);
}

/** Whether a description says that the input is for pagination or idempotency. */
export function describesPosition(description: string | undefined): boolean {
  return description !== undefined && continues.test(description.slice(0, 400));
}
