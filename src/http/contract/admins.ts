import { z } from 'zod';
import { pageOf, pageQuery, timestamp, versioned } from './common.ts';
import { defineRoute } from './route.ts';
import { name, role } from './session.ts';

/** An admin as the admin API shows it. */
export const adminResource = z
  .object({
    ...versioned,
    name: z.string(),
    role,
    state: z.enum(['active', 'invited']),
    invitationExpiresAt: timestamp.optional(),
  })
  .meta({ id: 'Admin' });

const withLink = adminResource.extend({
  invitationUrl: z.string().describe('Single-use link for choosing a password. Shown only once.'),
});

export const adminRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/admins',
    id: 'listAdmins',
    tag: 'admins',
    access: 'owner',
    summary: 'List admins',
    status: 200,
    query: pageQuery,
    reply: pageOf(adminResource),
  }),
  invite: defineRoute({
    method: 'POST',
    path: '/admins',
    id: 'inviteAdmin',
    tag: 'admins',
    access: 'owner',
    status: 201,
    summary: 'Invite an admin; the response has the link to send them',
    body: z.strictObject({ name, role }),
    reply: withLink,
  }),
  update: defineRoute({
    method: 'PATCH',
    path: '/admins/:admin',
    id: 'updateAdmin',
    tag: 'admins',
    access: 'owner',
    summary: 'Change an admin’s name or role',
    status: 200,
    body: z.strictObject({ name, role }).partial(),
    reply: adminResource,
  }),
  renew: defineRoute({
    method: 'POST',
    path: '/admins/:admin/invitation',
    id: 'renewInvitation',
    tag: 'admins',
    access: 'owner',
    status: 201,
    summary: 'Create a new link with which an admin can choose a password',
    reply: withLink,
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/admins/:admin/sessions',
    id: 'signOutAdmin',
    tag: 'admins',
    access: 'owner',
    status: 204,
    summary: 'End every session of an admin',
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/admins/:admin',
    id: 'deleteAdmin',
    tag: 'admins',
    access: 'owner',
    summary: 'Remove an admin and end their sessions',
    status: 204,
  }),
};
