import type { Person } from '../../api/resources.ts';

/** Whether this is the only owner, who can't be removed or given another role. */
export function isOnlyOwner(
  person: Pick<Person, 'id' | 'role' | 'state'>,
  all: readonly Pick<Person, 'id' | 'role' | 'state'>[],
): boolean {
  const owns = (each: Pick<Person, 'role' | 'state'>) => each.role === 'owner' && each.state === 'active';
  return owns(person) && !all.some((each) => each.id !== person.id && owns(each));
}
