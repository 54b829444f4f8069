import { z } from 'zod';
import { group, person } from '../../domain/person.ts';
import { factorKind } from '../../domain/second-factor.ts';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';
import { name, role } from './session.ts';

/** A person as the admin API shows them. */
export const personResource = z
  .object({
    ...versioned,
    name: z.string(),
    email: z.string().optional().describe('A label: it grants, merges and matches nothing.'),
    issuer: z.string().describe('"local", or the issuer of the identity provider they sign in with.'),
    subject: z.string().optional().describe('What the issuer calls them, shortened.'),
    role: role.describe('The role they were given themselves.'),
    effectiveRole: role.describe('The highest of their own role and those of their groups.'),
    groups: z.array(z.string()).describe('IDs of the groups they were added to.'),
    memberOf: z.array(z.string()).describe('IDs of all their groups, those from their issuer included.'),
    claims: z
      .array(z.string())
      .describe('What their issuer said about groups and roles at the last sign-in.'),
    state: z.enum(['active', 'invited', 'disabled']),
    lastSignInAt: timestamp.optional(),
    invitationExpiresAt: timestamp.optional(),
    secondFactors: z
      .array(fromDomain(factorKind))
      .describe('What they sign in with in addition to a password.'),
  })
  .meta({ id: 'Person' });

const withLink = personResource.extend({
  invitationUrl: z.string().describe('Single-use link for choosing a password. Shown only once.'),
});

const email = z.string().trim().pipe(fromDomain(person.fields.email.optional));
const groups = z.array(z.string().min(1).max(200)).max(200).describe('Groups by ID or name.');

/** A group as the admin API shows it. */
export const groupResource = z
  .object({
    ...versioned,
    name: z.string(),
    description: z.string().optional(),
    role: role.describe('The role every member has at least.'),
    claims: z
      .array(z.object({ issuer: z.string(), value: z.string() }))
      .describe('Everyone with one of these values from that issuer is a member.'),
  })
  .meta({ id: 'Group' });

const groupFields = {
  description: z.string().max(1_000).nullable().optional(),
  role: role.optional(),
  claims: fromDomain(group.fields.claims.optional).optional(),
};

export const peopleRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/people',
    id: 'listPeople',
    tag: 'people',
    access: 'owner',
    summary: 'List people',
    status: 200,
    query: pageQuery.extend({
      search: z.string().max(200).optional().describe('Appears in a name, email address or subject.'),
    }),
    reply: pageOf(personResource),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/people/:person',
    id: 'getPerson',
    tag: 'people',
    access: 'owner',
    summary: 'Show a person',
    status: 200,
    reply: personResource,
  }),
  invite: defineRoute({
    method: 'POST',
    path: '/people',
    id: 'invitePerson',
    tag: 'people',
    access: 'owner',
    status: 201,
    summary: 'Invite a person; the response has the link to send them',
    body: z.strictObject({ name, role, email: email.optional(), groups: groups.optional() }),
    reply: withLink,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/people/:person',
    id: 'updatePerson',
    tag: 'people',
    access: 'owner',
    summary: 'Change a person’s name, role or groups, or disable them',
    status: 200,
    body: z.strictObject({ name, role, email: email.nullable(), groups, disabled: z.boolean() }).partial(),
    reply: personResource,
  }),
  renew: defineRoute({
    method: 'POST',
    path: '/people/:person/invitation',
    id: 'renewInvitation',
    tag: 'people',
    access: 'owner',
    status: 201,
    summary: 'Create a new link with which a person can choose a password',
    reply: withLink,
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/people/:person/sessions',
    id: 'signOutPerson',
    tag: 'people',
    access: 'owner',
    status: 204,
    summary: 'End every session of a person',
  }),
  resetSecondFactors: defineRoute({
    method: 'DELETE',
    path: '/people/:person/second-factors',
    id: 'resetSecondFactors',
    tag: 'people',
    access: 'owner',
    status: 204,
    summary: 'Remove the authenticator apps, passkeys and recovery codes of someone who lost them',
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/people/:person',
    id: 'deletePerson',
    tag: 'people',
    access: 'owner',
    summary: 'Remove a person and end their sessions and everything they connected',
    status: 204,
  }),
  listGroups: defineRoute({
    method: 'GET',
    path: '/groups',
    id: 'listGroups',
    tag: 'people',
    access: 'viewer',
    summary: 'List groups',
    status: 200,
    query: pageQuery,
    reply: pageOf(groupResource),
  }),
  getGroup: defineRoute({
    method: 'GET',
    path: '/groups/:group',
    id: 'getGroup',
    tag: 'people',
    access: 'viewer',
    summary: 'Show a group, by ID or name',
    status: 200,
    reply: groupResource,
  }),
  createGroup: defineRoute({
    method: 'POST',
    path: '/groups',
    id: 'createGroup',
    tag: 'people',
    access: 'owner',
    summary: 'Create a group',
    status: 201,
    body: z.strictObject({ name, ...groupFields }),
    reply: groupResource,
  }),
  updateGroup: defineRoute({
    method: 'PATCH',
    path: '/groups/:group',
    id: 'updateGroup',
    tag: 'people',
    access: 'owner',
    summary: 'Change a group, by ID or name',
    status: 200,
    body: z.strictObject({ name: name.optional(), ...groupFields }),
    reply: groupResource,
  }),
  removeGroup: defineRoute({
    method: 'DELETE',
    path: '/groups/:group',
    id: 'deleteGroup',
    tag: 'people',
    access: 'owner',
    summary: 'Delete a group; its members lose what it gave them',
    status: 204,
  }),
};
