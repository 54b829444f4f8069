import { template } from '../errors.ts';

/** What can go wrong with people's own accounts at APIs. */
export const accountErrors = {
  needed: template(
    'account_needed',
    (v: { api: string; why: string; url: string }) =>
      `${v.api} is used with each person's own account, and ${v.why}. Nothing was sent. Show the user this link, where they connect it in their browser: ${v.url} – then make the same call again.`,
  ),
  personNeeded: template(
    'account_needed',
    (v: { slug: string; callerId: string }) =>
      `The API "${v.slug}" is used with each person's own account, and this call isn't a person's. Sign in to the server instead of using a shared key, or an operator stores a credential for this caller: handrail credentials set ${v.slug} --caller "${v.callerId}"`,
  ),
  notOffered: template(
    'not_found',
    (v: { api: string }) => `There is no API "${v.api}" that you can connect an account of your own to.`,
  ),
  notConnected: template(
    'not_found',
    (v: { slug: string }) => `No account of yours is connected to "${v.slug}".`,
  ),
  noPerson: template(
    'invalid_input',
    'Only people have accounts of their own, and the admin token belongs to no person: sign in as one.',
  ),
  entered: template(
    'invalid_input',
    (v: { slug: string; problems: string }) =>
      `An account at "${v.slug}" can't be connected with this: ${v.problems}.`,
  ),
  browserOnly: template(
    'invalid_input',
    (v: { slug: string }) => `An account at "${v.slug}" is connected by signing in there, in the browser.`,
  ),
  enteredOnly: template(
    'invalid_input',
    (v: { slug: string }) => `An account at "${v.slug}" is connected by entering its secret here.`,
  ),
  clientMissing: template(
    'credential_missing',
    (v: { slug: string }) =>
      `People can't connect accounts at "${v.slug}" yet: an operator must store its OAuth client first: handrail credentials set ${v.slug} --field clientId=… --field clientSecret=…`,
  ),
  linkForAnother: template(
    'forbidden',
    'This link was made for someone else. Open the link that your own app showed you, or sign in as the person whose app showed it.',
  ),
  linkExpired: template(
    'invalid_request',
    'This link has expired or is incomplete. Make the call again to get a new one, or connect the account on your own page, under "My accounts".',
  ),
  changedMeanwhile: template('conflict', 'This account was changed at the same moment. Try again.'),
};
