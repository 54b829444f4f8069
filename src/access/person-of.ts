import type { Snapshot } from '../registry/snapshot.ts';
import type { CurrentPerson } from './tokens/granted-tokens.ts';

/** Who a person is now; undefined once they were removed. */
export function personOf({ admins }: Pick<Snapshot, 'admins'>, personId: string): CurrentPerson | undefined {
  const admin = admins.get(personId);
  return admin && { id: admin.id, label: admin.name };
}
