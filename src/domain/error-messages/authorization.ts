import { template } from '../errors.ts';

/** What can go wrong when people sign in through an app. */
export const authorizationErrors = {
  appNotFound: template(
    'not_found',
    (v: { id: string }) => `There is no connected app "${v.id}". It may have been disconnected already.`,
  ),
  notUsed: template(
    'not_found',
    'No server of this gateway uses sign-in. An owner can turn it on in the settings of a server.',
  ),
  tooManyRegistrations: template(
    'rate_limited',
    (v: { seconds: number }) =>
      `Too many apps were registered from this address. Try again in ${v.seconds} s.`,
  ),
  registrationTooLarge: template('payload_too_large', 'The registration is too large: 16 KB is the limit.'),
};
