import { describe, expect, it } from 'vitest';
import { chooseMediaType } from './choose-media-type.ts';

describe('the media type that is sent', () => {
  it.each([
    ['JSON before a form', ['application/x-www-form-urlencoded', 'application/json'], 'application/json'],
    ['plain JSON before its relatives', ['application/problem+json', 'application/json'], 'application/json'],
    ['a form before XML', ['application/xml', 'multipart/form-data'], 'multipart/form-data'],
    ['lines of JSON before XML', ['text/xml', 'application/x-ndjson'], 'application/x-ndjson'],
    [
      'a whole mail before reports about mails',
      ['message/imdn+xml', 'message/delivery-status', 'message/rfc822', 'message/s-http'],
      'message/rfc822',
    ],
    ['XML when nothing else is offered', ['message/imdn+xml', 'text/plain'], 'message/imdn+xml'],
  ])('is %s', (_what, types, wanted) => {
    expect(chooseMediaType(types)?.type).toBe(wanted);
  });
});
