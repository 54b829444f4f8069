import type { Admin } from '../../api/resources.ts';

/** Whether this is the only owner, who can't be removed or given another role. */
export function isOnlyOwner(
  admin: Pick<Admin, 'id' | 'role' | 'state'>,
  all: readonly Pick<Admin, 'id' | 'role' | 'state'>[],
): boolean {
  const owns = (each: Pick<Admin, 'role' | 'state'>) => each.role === 'owner' && each.state === 'active';
  return owns(admin) && !all.some((each) => each.id !== admin.id && owns(each));
}
