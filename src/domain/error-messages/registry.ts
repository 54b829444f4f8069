import { template } from '../errors.ts';

/** What the registry rejects. */
export const registryErrors = {
  // commits
  keepsChanging: template('unavailable', 'Other processes keep changing the registry. Try again.'),
  stale: template(
    'stale',
    (v: { edited: number; current: number }) =>
      `It was changed in the meantime: you edited revision ${v.edited}, and the current one is ${v.current}. Read it again and repeat your change.`,
  ),
  settingsStale: template(
    'stale',
    (v: { edited: number; current: number }) =>
      `The settings were changed in the meantime: you edited revision ${v.edited}, and the current one is ${v.current}. Read them again and repeat your change.`,
  ),
  notFound: template(
    'not_found',
    (v: { what: string; reference: string; suggestion: string }) =>
      `There is no ${v.what} ${JSON.stringify(v.reference.slice(0, 100))}.${v.suggestion}`,
  ),
  setAsideNotFound: template(
    'not_found',
    (v: { kind: string; id: string }) =>
      `No row ${JSON.stringify(`${v.kind} ${v.id}`.slice(0, 100))} is set aside.`,
  ),
  blockedBySetAside: template(
    'conflict',
    (v: { what: string; noun: string; label: string }) =>
      `${v.what}: ${v.noun} ${JSON.stringify(v.label)} is stored but cannot be read. An owner can inspect it with "handrail set-aside", and delete it.`,
  ),

  // names
  slugTaken: template(
    'conflict',
    (v: { noun: string; slug: string }) => `${v.noun} with the slug "${v.slug}" already exists.`,
  ),
  apiToolTaken: template(
    'conflict',
    (v: { api: string; name: string }) => `The API "${v.api}" already has a tool named "${v.name}".`,
  ),
  serverToolTaken: template(
    'conflict',
    (v: { server: string; name: string }) => `The server "${v.server}" already has a tool named "${v.name}".`,
  ),
  personTaken: template(
    'conflict',
    (v: { name: string }) => `Someone already signs in as "${v.name}". Choose another name.`,
  ),
  groupTaken: template('conflict', (v: { name: string }) => `There is already a group named "${v.name}".`),
  tooManyGroups: template(
    'conflict',
    (v: { max: number }) => `There can be at most ${v.max} groups. Delete one that is no longer used.`,
  ),
  groupUnknown: template(
    'invalid_input',
    (v: { group: string }) =>
      `There is no group ${JSON.stringify(v.group.slice(0, 100))}. Create it first, or use the ID or name of another.`,
  ),
  modelTaken: template('conflict', (v: { name: string }) => `There is already a model named "${v.name}".`),
  toolNameReserved: template(
    'invalid_input',
    (v: { name: string }) =>
      `The name "${v.name}" is reserved for one of Handrail's own tools. Choose another.`,
  ),
  slugReserved: template(
    'conflict',
    (v: { slug: string }) => `The slug "${v.slug}" is reserved. Choose another.`,
  ),
  toolAmbiguous: template(
    'conflict',
    (v: { name: string; choices: string }) =>
      `Several tools are named "${v.name}". Say which one: ${v.choices}.`,
  ),
  composedToolAmbiguous: template(
    'conflict',
    (v: { name: string; choices: string }) =>
      `Several composed tools are named "${v.name}". Say which one: ${v.choices}.`,
  ),

  // servers
  openServers: template(
    'config_invalid',
    (v: { servers: string; first: string }) =>
      `Others can reach this gateway (at its address, or through the proxy set with HANDRAIL_PUBLIC_URL or HANDRAIL_TRUST_PROXY), but ${v.servers} would let anyone call your APIs. Require access keys (handrail servers update ${v.first} --policy key), or set HANDRAIL_ALLOW_OPEN=true if that is what you want.`,
  ),
  openWithRules: template(
    'invalid_input',
    'An open server knows no one, so rules for groups and people would never match. Choose another policy, or remove the rules.',
  ),
  openNotAllowed: template(
    'invalid_input',
    'An open server would let anyone who can reach this address call your APIs. Use the policy "key", or set HANDRAIL_ALLOW_OPEN=true if that is what you want.',
  ),
  unknownToolInServer: template(
    'invalid_input',
    (v: { entry: number }) =>
      `The server cannot be saved: entry ${v.entry} of its tools refers to something that does not exist.`,
  ),
  defaultServerSlug: template('forbidden', 'The slug of the default server cannot be changed.'),
  defaultServerTools: template(
    'forbidden',
    'The default server always has every tool. To choose tools, create another server.',
  ),
  defaultServerKept: template('forbidden', 'The default server cannot be deleted. Disable it instead.'),

  // APIs, credentials, keys and models
  demoFixed: template(
    'forbidden',
    'The address and slug of the built-in demo API cannot be changed. Delete the API if you do not need it.',
  ),
  noCredentialNeeded: template(
    'invalid_input',
    (v: { slug: string }) =>
      `The API "${v.slug}" is set to need no credential. First set how it authenticates (its "auth").`,
  ),
  credentialFields: template(
    'invalid_input',
    (v: { slug: string; kind: string; fields: string; problems: string }) =>
      `A credential for "${v.slug}" (${v.kind}) takes the fields ${v.fields}: ${v.problems}.`,
  ),
  originNotInDocument: template(
    'invalid_input',
    (v: { slug: string; origin: string; known: string }) =>
      `The document of "${v.slug}" sends no operation to ${v.origin.slice(0, 200)}${v.known}.`,
  ),
  originNotAllowed: template(
    'invalid_input',
    (v: { slug: string; origin: string; known: string }) =>
      `Secrets of "${v.slug}" may not be sent to ${v.origin.slice(0, 200)} anyway${v.known}.`,
  ),
  revokedKey: template('conflict', 'A revoked key cannot be rotated. Create a new one.'),
  modelKeyElsewhere: template(
    'invalid_input',
    (v: { name: string; origin: string }) =>
      `The key of "${v.name}" was entered for ${v.origin} and is not sent anywhere else. Enter the key for the new address, or null for none.`,
  ),
  modelKeyInvalid: template(
    'invalid_input',
    'The key must be one line of printable characters without spaces. Check that only the key was copied.',
  ),

  // people
  invitationUsed: template(
    'forbidden',
    'This link has expired or was already used. Ask an owner for a new one.',
  ),
  lastOwner: template(
    'conflict',
    'An installation needs an owner who can sign in here with a password: make someone else one first.',
  ),
};
