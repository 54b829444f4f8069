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

/** Something a reader of an import should know: what was approximated or left out, why, and what to do. */
export interface ImportNote {
  /** A stable word for the kind of note, such as `media_type_chosen`. */
  readonly code: string;
  readonly message: string;
  /** JSON Pointer (or line) to the place in the document; `file.yaml#/pointer` in a bundle. */
  readonly at?: string;
}

/** How faithfully an operation was imported. */
export type Fidelity = 'exact' | 'noted' | 'skipped';

/** One operation of a description, with what became of it. */
export interface DescribedOperation {
  /** Names it within its document across versions, such as `GET /users/{id}`. */
  readonly key: string;
  /** What the document calls it, before it is made to fit a tool name. */
  readonly wantedName: string;
  readonly at: string;
  readonly notes: readonly ImportNote[];
  /** The tool it becomes; null when it cannot be imported (the notes say why). */
  readonly content: ToolContent | null;
  /** What an operator had set on the tool; only Handrail's own export carries it. */
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
    | 'probe'
    | 'listUnhealthy'
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

/** A script saved as a tool, as Handrail's own export describes it: as it is now, without its versions. */
export type DescribedComposedTool = Infer<typeof describedComposedTool>;

/** The fields of a server as Handrail's own export describes it: without ids, APIs by slug and tools as `api/name`. */
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
  /** What the server calls tools whose own names were taken. */
  givenNames: record(toolReference, toolNameText, { max: 100_000 }),
  policy: variants('kind', {
    ...policyFields,
    oauth: {
      ...policyFields.oauth,
      toolScopes: optional(record(scopeText, list(toolReference, { max: 100_000 }), { max: 10_000 })),
    },
  }),
  resources: optional(list(object({ ...resourceFields, tool: optional(toolReference) }), { max: 10_000 })),
  /** Scripts that were saved as tools of it. */
  composedTools: optional(list(describedComposedTool, { max: 10_000 })),
};

export type DescribedServer = InferFields<typeof describedServerFields>;

/** Secret values a description carried, kept apart from everything that is stored in the clear. */
export interface ProposedCredential {
  /** By field name of the API's `AuthScheme`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An input that is the same for a whole API: a version, a tenant, a format. */
export interface SharedInput {
  /** The name on the wire. */
  readonly name: string;
  readonly in: Parameter['in'];
  /** How many operations have it, and of how many. */
  readonly operations: number;
  readonly of: number;
  readonly required: boolean;
  /** A value that the document itself gives: its default, its only value, an example. */
  readonly suggestion?: string;
  readonly values?: readonly string[];
  readonly description?: string;
}

/** One API as a document describes it, whatever the document's kind. */
export interface ApiDescription {
  readonly kind: ApiSource['kind'];
  /** The slug to use when the user gives none. */
  readonly wantedSlug: string;
  readonly name: string;
  readonly description?: string;
  /** The document's own version text. */
  readonly version?: string;
  /** The first is the one to use; empty when the document names no server. */
  readonly baseUrls: readonly string[];
  /** The first server when its address has variables, which become settings of the API. */
  readonly serverTemplate?: ServerTemplate;
  /** Inputs that most operations share: set once for the API, no tool need ask for them. */
  readonly constants?: readonly SharedInput[];
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values the document masks: the one that stands is kept. */
  readonly maskedHeaders?: readonly string[];
  readonly auth: AuthScheme;
  /** Every way in that the document offers, by its name there. */
  readonly authChoices: readonly { readonly name: string; readonly auth: AuthScheme }[];
  readonly operations: readonly DescribedOperation[];
  /** About the document as a whole. */
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
  /** What an operator had set on the API; only Handrail's own export carries it. */
  readonly settings?: ApiSettings;
}

/** The code of notes about what some clients cannot read. They take nothing from how exact an import is. */
export const portabilityCode = 'portability';

/** Whether an operation was imported exactly, with notes, or not at all. */
export function fidelityOf(operation: DescribedOperation): Fidelity {
  if (operation.content === null) return 'skipped';
  return operation.notes.some(({ code }) => code !== portabilityCode) ? 'noted' : 'exact';
}
