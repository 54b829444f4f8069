import {
  byKey,
  choice,
  flag,
  type Infer,
  type InferFields,
  list,
  object,
  optional,
  record,
  text,
  variants,
} from '../lib/schema/schema.ts';
import type { Api, ApiSource } from './api.ts';
import type { AuthScheme } from './auth-scheme.ts';
import { composedContentFields } from './composed-tool.ts';
import type { ServerTemplate } from './fields/server-template.ts';
import { slugText, tagText, toolNameText } from './names.ts';
import type { Parameter } from './operation.ts';
import { policyFields, resourceFields, scopeText, serverFields, toolOverride } from './server.ts';
import type { Tool, ToolContent } from './tool.ts';

/** Something to know about an import: what was approximated or left out, why, and what to do. */
export interface ImportNote {
  /** A stable code for the kind of note, such as `media_type_chosen`. */
  readonly code: string;
  readonly message: string;
  /** JSON Pointer (or line) to the place in the document; `file.yaml#/pointer` in a bundle. */
  readonly at?: string;
}

/** How faithfully an operation was imported. */
export type Fidelity = 'exact' | 'noted' | 'skipped';

/** One operation of a description, and the tool made from it. */
export interface DescribedOperation {
  /** Identifies it within its document across versions, such as `GET /users/{id}`. */
  readonly key: string;
  /** Its name in the document, before it is adapted to a tool name. */
  readonly wantedName: string;
  readonly at: string;
  readonly notes: readonly ImportNote[];
  /** The tool it becomes; null if it cannot be imported (the notes say why). */
  readonly content: ToolContent | null;
  /** An operator's settings of the tool; only in Handrail's own export. */
  readonly settings?: ToolSettings;
}

/** The part of a tool that only an operator sets. */
export type ToolSettings = Partial<Pick<Tool, 'reply' | 'limits' | 'enabled' | 'scrubArguments' | 'source'>>;

/** The part of an API that only an operator sets. */
export type ApiSettings = Partial<
  Pick<
    Api,
    | 'limits'
    | 'egressAllow'
    | 'forwardHeaders'
    | 'allowHeaders'
    | 'sharedCredential'
    | 'ownAccounts'
    | 'identity'
    | 'probe'
    | 'listUnhealthy'
    | 'ignoreErrorBodies'
    | 'piiRules'
    | 'enabled'
    | 'agreedOrigins'
    | 'source'
  >
>;

/** The name of a tool across installations: `api/name`. */
const toolReference = text({ min: 1, max: 200 });

const describedComposedTool = object({
  ...composedContentFields,
  tools: list(toolReference, { max: 500 }),
  enabled: optional(flag()),
});

/** A composed tool in Handrail's own export: the current version only. */
export type DescribedComposedTool = Infer<typeof describedComposedTool>;

/** The fields of a server in Handrail's own export: without ids, APIs by slug and tools as `api/name`. */
export const describedServerFields = {
  ...serverFields,
  tools: list(
    byKey({
      all: object({ all: choice(true) }),
      tool: object({ tool: toolReference }),
      api: object({ api: slugText, tag: optional(tagText) }),
      tag: object({ tag: tagText }),
    }),
    { max: 100_000 },
  ),
  overrides: record(toolReference, toolOverride, { max: 100_000 }),
  /** The server's names for tools whose own names were taken. */
  givenNames: record(toolReference, toolNameText, { max: 100_000 }),
  policy: variants('kind', {
    ...policyFields,
    oauth: {
      ...policyFields.oauth,
      toolScopes: optional(record(scopeText, list(toolReference, { max: 100_000 }), { max: 10_000 })),
    },
  }),
  resources: optional(list(object({ ...resourceFields, tool: optional(toolReference) }), { max: 10_000 })),
  /** Its composed tools. */
  composedTools: optional(list(describedComposedTool, { max: 10_000 })),
};

export type DescribedServer = InferFields<typeof describedServerFields>;

/** Secret values from a description, kept separate from everything that is stored in plain text. */
export interface ProposedCredential {
  /** By field name of the API's `AuthScheme`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An input that is the same for a whole API: a version, a tenant, a format. */
export interface SharedInput {
  /** The name on the wire. */
  readonly name: string;
  readonly in: Parameter['in'];
  /** How many operations have it, out of how many. */
  readonly operations: number;
  readonly of: number;
  readonly required: boolean;
  /** A value from the document: its default, its only value, an example. */
  readonly suggestion?: string;
  readonly values?: readonly string[];
  readonly description?: string;
}

/** One API as described by a document of any format. */
export interface ApiDescription {
  readonly kind: ApiSource['kind'];
  /** The slug to use if the user specifies none. */
  readonly wantedSlug: string;
  readonly name: string;
  readonly description?: string;
  /** The document's own version text. */
  readonly version?: string;
  /** The first is the one to use; empty if the document names no server. */
  readonly baseUrls: readonly string[];
  /** The first server, if its URL has variables, which become settings of the API. */
  readonly serverTemplate?: ServerTemplate;
  /** Inputs that most operations share: if set once for the API, no tool has to ask for them. */
  readonly constants?: readonly SharedInput[];
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values the document masks: their current values are kept. */
  readonly maskedHeaders?: readonly string[];
  readonly auth: AuthScheme;
  /** Every authentication scheme in the document, by its name there. */
  readonly authChoices: readonly { readonly name: string; readonly auth: AuthScheme }[];
  readonly operations: readonly DescribedOperation[];
  /** About the document as a whole. */
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
  /** An operator's settings of the API; only in Handrail's own export. */
  readonly settings?: ApiSettings;
}

/** The code of notes about features that some clients don't support. They don't affect how exact an import is. */
export const portabilityCode = 'portability';

/** Whether an operation was imported exactly, with notes, or not at all. */
export function fidelityOf(operation: DescribedOperation): Fidelity {
  if (operation.content === null) return 'skipped';
  return operation.notes.some(({ code }) => code !== portabilityCode) ? 'noted' : 'exact';
}
