import { choice, type Infer, list, object, optional, record, text } from '../lib/schema/schema.ts';
import { authKinds } from './auth-scheme.ts';
import { originText } from './fields/addresses.ts';
import { idText, rowFields } from './fields/row-fields.ts';

/** A sealed secret for calling an API. `fields` lists the names of its values, never the values. */
export const credential = object({
  ...rowFields,
  apiId: idText,
  /** The caller it belongs to; absent for the shared one. */
  callerId: optional(text({ min: 1, max: 1_000 })),
  name: text({ min: 1, max: 2_000 }),
  kind: choice(...authKinds),
  fields: list(text({ min: 1, max: 300 }), { max: 1_000 }),
  /** Fields whose secret is elsewhere, such as `${env:NAME}`; what is sealed is the reference. */
  references: optional(record(text({ min: 1, max: 300 }), text({ min: 1, max: 1_000 }), { max: 1_000 })),
  /** The origins it was entered for; it is never sent elsewhere, even if its API or tools are edited later. */
  origins: list(originText, { max: 100_000 }),
  /** AES-256-GCM envelope, bound to this row. */
  sealed: text({ min: 1, max: 50_000_000 }),
});

export type Credential = Infer<typeof credential>;
