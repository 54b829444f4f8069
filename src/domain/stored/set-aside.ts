import type { Problem } from '../../lib/schema/problems.ts';
import type { EntityKind } from './read-stored.ts';

/** A stored row that cannot be read. It is kept as it is, serves nobody, and holds on to its names. */
export interface SetAsideRow {
  readonly kind: EntityKind | 'given-name';
  /** Its id; of a given name the ids of server and tool, with a slash between. */
  readonly id: string;
  /** The columns of its row that others look it up by, such as `slug`. */
  readonly columns: Readonly<Record<string, string | null>>;
  readonly problems: readonly Problem[];
}

/** What people know a row by, as far as its columns tell. */
export function labelOfRow({ id, columns }: SetAsideRow): string {
  return columns['slug'] ?? columns['name'] ?? columns['name_key'] ?? id;
}
