import { template } from '../errors.ts';

/** What can go wrong between us and an API. */
export const upstreamErrors = {
  compressedTooOften: template('reply_invalid', 'The API compressed its reply more than twice.'),
  unexpectedEncoding: template(
    'reply_invalid',
    (v: { encoding: string }) =>
      `The API sent its reply in an encoding we did not accept (${v.encoding.slice(0, 20)}).`,
  ),
};
