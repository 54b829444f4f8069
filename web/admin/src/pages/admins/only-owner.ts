import type { Admin } from '../../api/resources.ts';

/** Whether nobody else owns the installation, so that this admin can neither be removed nor given another role. */
export function isOnlyOwner(
  admin: Pick<Admin, 'id' | 'role' | 'state'>,
  all: readonly Pick<Admin, 'id' | 'role' | 'state'>[],
): boolean {
  const owns = (each: Pick<Admin, 'role' | 'state'>) => each.role === 'owner' && each.state === 'active';
  return owns(admin) && !all.some((each) => each.id !== admin.id && owns(each));
}
