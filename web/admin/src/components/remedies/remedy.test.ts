import { expect, it } from 'vitest';
import { actionableProblem } from './remedy.ts';

it.each([
  [
    'Handrail may not connect there: 127.0.0.1 is loopback. To allow it, an owner adds 127.0.0.1:8443 under "Network allowlist" in the settings, or the operator sets HANDRAIL_EGRESS_ALLOW=127.0.0.1:8443.',
    'Handrail may not connect there: 127.0.0.1 is loopback.',
    { kind: 'allow', entry: '127.0.0.1:8443' },
  ],
  [
    'The API "shop" needs a credential, but no credential is stored. An operator adds one with: handrail credentials set shop',
    'The API "shop" needs a credential, but no credential is stored.',
    { kind: 'credential', api: 'shop' },
  ],
  [
    'The credential stored for the API "shop" cannot be read: an operator must enter it again.',
    'The credential stored for the API "shop" cannot be read.',
    { kind: 'credential', api: 'shop' },
  ],
  ['The API answered 503.', 'The API answered 503.', null],
])('offers a remedy for %s', (message, text, remedy) => {
  expect(actionableProblem(message)).toEqual({ text, remedy });
});

it('leaves command-line-only advice unchanged', () => {
  const message =
    'The API "shop" needs a credential, but the caller key_1 has no credential of its own. An operator adds one with: handrail credentials set shop --caller "key_1"';
  expect(actionableProblem(message)).toEqual({ text: message, remedy: null });
});
