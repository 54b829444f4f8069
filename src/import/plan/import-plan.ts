import type { Api, DocumentOverlay, ImportSelection, ParameterRules } from '../../domain/api.ts';
import type { AuthScheme } from '../../domain/auth-scheme.ts';
import type {
  ApiDescription,
  Fidelity,
  ImportNote,
  ProposedCredential,
  SharedInput,
} from '../../domain/description.ts';
import type { Tool } from '../../domain/tool.ts';
import type { FieldChange } from '../../domain/field-changes.ts';

/** What stands in the registry before an import. */
export interface CurrentState {
  /** The API that the import goes into; null for a new one. */
  readonly api: Api | null;
  /** Its tools, those that its document dropped included. */
  readonly tools: readonly Tool[];
  readonly isSlugTaken: (slug: string) => boolean;
  /** Whether a tool of this name stands there and cannot be read. */
  readonly isNameHeld: (name: string) => boolean;
}

export interface PlanOptions {
  readonly slug?: string;
  /** What the API is called here, instead of what its document calls it. */
  readonly name?: string;
  readonly baseUrl?: string;
  /** Values for the variables of the document's address. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How the API signs in, instead of what the document says. */
  readonly auth?: AuthScheme;
  readonly selection?: ImportSelection;
  readonly rules?: ParameterRules;
  readonly overlays?: readonly DocumentOverlay[];
  readonly approveChanges?: boolean;
  readonly watchEveryMs?: number;
  /** Of an API that is watched, a larger share of its tools than this goes only when somebody agrees; 0 to 1. */
  readonly removesAtMost?: number;
  readonly documentHash: string;
  readonly sourceUrl?: string;
  readonly nowMs: number;
}

/** One argument of an operation, as the report shows it. */
export interface ReportedArgument {
  readonly name: string;
  /** The words of its schema for what it is, such as `string` or `string or null`; absent where it does not say. */
  readonly type?: string;
  readonly required: boolean;
}

/** One line of the fidelity report. */
export interface ReportLine {
  readonly operation: string;
  /** The tool's name; null when it was not imported or not chosen. */
  readonly tool: string | null;
  readonly tags: readonly string[];
  /** The beginning of what the document says about it. */
  readonly description?: string;
  /** What a model gives. */
  readonly arguments?: readonly ReportedArgument[];
  readonly fidelity: Fidelity;
  readonly selected: boolean;
  readonly at: string;
  readonly notes: readonly ImportNote[];
}

/** A tool that an import adds. */
export interface AddedTool {
  readonly name: string;
  readonly operation: string;
  readonly tool: Tool;
  /** The document had it before, and it comes back as it was when it went. */
  readonly returns: boolean;
  /** It is not served until an operator lets it in. */
  readonly pending: boolean;
}

/** A tool that an import takes away. */
export interface RemovedTool {
  readonly name: string;
  readonly operation: string;
  /** As it is remembered. */
  readonly tool: Tool;
  /** It is served until an operator agrees. */
  readonly pending: boolean;
}

/** A tool that an import changes. */
export interface ChangedTool {
  readonly name: string;
  readonly operation: string;
  /** Exactly what changed in the document since the last import. */
  readonly fields: readonly FieldChange[];
  /** Where a hand edit stands against a change upstream. */
  readonly kept: readonly string[];
  /** It waits for an operator's approval. */
  readonly pending: boolean;
  readonly tool: Tool;
}

/** An origin that a document sends operations to, besides the API's own. */
export interface DocumentOrigin {
  readonly origin: string;
  /** How many tools are sent there. */
  readonly tools: number;
  /** A person agreed that the API's secrets go there. */
  readonly agreed: boolean;
}

/** The add, change and remove list shown before an import is applied. */
export interface ImportPlan {
  readonly api: Api;
  readonly isNewApi: boolean;
  /** What changed about the API itself. */
  readonly apiFields: readonly FieldChange[];
  readonly writesApi: boolean;
  readonly added: readonly AddedTool[];
  readonly changed: readonly ChangedTool[];
  readonly removed: readonly RemovedTool[];
  /** Tools that were dropped before and are too many to remember. */
  readonly forgotten: readonly Tool[];
  readonly unchanged: readonly { readonly name: string; readonly operation: string }[];
  readonly report: readonly ReportLine[];
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
  /** Inputs of the whole API that tools still ask for: a value can be fixed for each. */
  readonly constants: readonly SharedInput[];
  /** Where the document sends operations besides the API's own address. */
  readonly origins: readonly DocumentOrigin[];
  /** Every way in that the document offers, by its name there. */
  readonly authChoices: ApiDescription['authChoices'];
}

/** What a decision about waiting tools is about: one, or those of an API that are listed (all that wait without a list). */
export type DecidedTools =
  | { readonly tool: string }
  | { readonly api: string; readonly tools?: readonly string[] | undefined };
