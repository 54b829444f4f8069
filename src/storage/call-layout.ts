import type { CallRecord } from '../domain/call.ts';
import { keysOf } from '../lib/json/plain-object.ts';

// What is stored stays as it was written, for ever. So a record has a layout, a number that says which fields it can
// hold, and a field that comes later gets a line here. docs/adr/0007-migrations-layouts-and-unreadable-rows.md lists the steps.

interface LaterField {
  /** The layout that it came with. */
  readonly since: number;
  /** What a record has that was written without it. Nothing is stored for it. */
  readonly absent: string | number | boolean | null;
  /** Whether calls are looked for by it. */
  readonly isTerm: boolean;
}

/** The fields that records did not have at first. What is not listed here is part of layout 1. */
export const laterFields = {
  parentId: { since: 2, absent: null, isTerm: true },
  readTokens: { since: 3, absent: null, isTerm: false },
  readText: { since: 3, absent: null, isTerm: false },
  replyOutline: { since: 3, absent: null, isTerm: false },
} as const satisfies Partial<Record<keyof CallRecord, LaterField>>;

export type LaterFieldName = keyof typeof laterFields;

/** Those of them that calls are looked for by. */
export type LaterTermName = {
  [Name in LaterFieldName]: (typeof laterFields)[Name]['isTerm'] extends true ? Name : never;
}[LaterFieldName];

/** What a record has besides the fields of layout 1. */
export type LaterFields = Pick<CallRecord, LaterFieldName>;

/** The fields that every record has had from the beginning. */
export type FirstFields = Omit<CallRecord, LaterFieldName>;

export const laterFieldNames = keysOf(laterFields);

export const laterTermNames = laterFieldNames.filter(
  (name): name is LaterTermName => laterFields[name].isTerm,
);

/** The layout of what has none of the later fields. */
export const firstLayout = 1;

/** The newest layout that this version knows. What has a newer one is left alone. */
export const newestLayout = Math.max(firstLayout, ...laterFieldNames.map((name) => laterFields[name].since));

/** What a record of layout 1 has in the later fields. */
export const withoutLaterFields: LaterFields = {
  parentId: laterFields.parentId.absent,
  readTokens: laterFields.readTokens.absent,
  readText: laterFields.readText.absent,
  replyOutline: laterFields.replyOutline.absent,
};

// As a list, because every call that is recorded is asked for each of them.
const asked = laterFieldNames.map((name) => ({ name, ...laterFields[name] }));

/** The oldest layout that holds a record: versions that do not know the newest can read it. */
export function layoutOf(record: LaterFields): number {
  let layout = firstLayout;
  for (const { name, since, absent } of asked) if (record[name] !== absent && since > layout) layout = since;
  return layout;
}
