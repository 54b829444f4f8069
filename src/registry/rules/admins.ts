import { type Admin, adminNameKey, type AdminRole } from '../../domain/admin.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { newId } from '../../domain/ids.ts';
import type { Decision } from '../registry.ts';
import { fresh, missing, type Moment, revise } from './find-and-revise.ts';
import type { Snapshot } from '../snapshot.ts';

/** Creates the first admin, who owns the installation. Rejected once there is one. */
export function createFirstAdmin(
  snapshot: Snapshot,
  input: { readonly name: string; readonly passwordHash: string },
  moment: Moment,
): Decision<Admin> {
  if (hasAdmin(snapshot)) {
    throw accessErrors.alreadySetUp();
  }
  return put({
    ...fresh(newId('admin', moment.nowMs), moment),
    ...input,
    name: input.name.trim(),
    role: 'owner',
  });
}

/** Whether this installation has been set up. */
export function hasAdmin(snapshot: Snapshot): boolean {
  return (
    // One that can't be read may be the owner, so no one else becomes the owner because of that.
    snapshot.setAside.hasAny('admin') ||
    [...snapshot.admins.values()].some((admin) => admin.passwordHash !== undefined)
  );
}

/** Adds an admin who still has to choose a password. */
export function inviteAdmin(
  _snapshot: Snapshot,
  input: {
    readonly name: string;
    readonly role: AdminRole;
    readonly invitation: NonNullable<Admin['invitation']>;
  },
  moment: Moment,
): Decision<Admin> {
  return put({ ...fresh(newId('admin', moment.nowMs), moment), ...input, name: input.name.trim() });
}

/** Gives an admin a new link for choosing a password; the old password works until the link is used. */
export function renewInvitation(
  snapshot: Snapshot,
  id: string,
  invitation: NonNullable<Admin['invitation']>,
  moment: Moment,
): Decision<Admin> {
  return put(revise(findAdmin(snapshot, id), { invitation }, undefined, moment));
}

/** Accepts an invitation, which works once. */
export function acceptInvitation(
  snapshot: Snapshot,
  hash: string,
  passwordHash: string,
  moment: Moment,
): Decision<Admin> {
  const admin = invitedBy(snapshot, hash, moment.nowMs);
  return put(revise(admin, { passwordHash, invitation: undefined }, undefined, moment));
}

/** The admin that an invitation is for; rejected if it was used or has expired. */
export function invitedBy(snapshot: Snapshot, hash: string, nowMs: number): Admin {
  const admin = [...snapshot.admins.values()].find((each) => each.invitation?.hash === hash);
  if (admin === undefined || admin.invitation!.expiresAtMs <= nowMs) {
    throw registryErrors.invitationUsed();
  }
  return admin;
}

/** Changes a name or role; the last owner stays an owner. */
export function updateAdmin(
  snapshot: Snapshot,
  id: string,
  patch: { readonly name?: string | undefined; readonly role?: AdminRole | undefined },
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<Admin> {
  const current = findAdmin(snapshot, id);
  if (patch.role !== undefined && patch.role !== 'owner') requireOtherOwner(snapshot, current);
  const changed: Partial<Admin> = {
    ...(patch.name !== undefined && { name: patch.name.trim() }),
    ...(patch.role !== undefined && { role: patch.role }),
  };
  return put(revise(current, changed, expectedRevision, moment));
}

/** Sets a new password. */
export function setPassword(
  snapshot: Snapshot,
  id: string,
  passwordHash: string,
  moment: Moment,
): Decision<Admin> {
  return put(revise(findAdmin(snapshot, id), { passwordHash }, undefined, moment));
}

/** Deletes an admin; the last owner stays. */
export function deleteAdmin(snapshot: Snapshot, id: string): Decision<Admin> {
  const admin = findAdmin(snapshot, id);
  requireOtherOwner(snapshot, admin);
  return { changes: [{ op: 'delete', kind: 'admin', id: admin.id }], result: admin };
}

/** Finds an admin by ID, or throws `not_found`. */
export function findAdmin(snapshot: Snapshot, id: string): Admin {
  return snapshot.admins.get(id) ?? missing('admin', id);
}

/** Finds an admin by name, ignoring case. */
export function findAdminByName(snapshot: Snapshot, name: string): Admin | undefined {
  const key = adminNameKey(name);
  return [...snapshot.admins.values()].find((admin) => adminNameKey(admin.name) === key);
}

function put(admin: Admin): Decision<Admin> {
  return { changes: [{ op: 'put', kind: 'admin', entity: admin }], result: admin };
}

function requireOtherOwner(snapshot: Snapshot, admin: Admin): void {
  if (admin.role !== 'owner' || admin.passwordHash === undefined) return;
  const others = [...snapshot.admins.values()].filter(
    (each) => each.id !== admin.id && each.role === 'owner' && each.passwordHash !== undefined,
  );
  if (others.length > 0) return;
  throw registryErrors.lastOwner();
}
