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

/** The state of the registry before an import. */
export interface CurrentState {
  /** The API to import into; null for a new one. */
  readonly api: Api | null;
  /** Its tools, including those that its document dropped. */
  readonly tools: readonly Tool[];
  readonly isSlugTaken: (slug: string) => boolean;
  /** Whether a tool of this name is stored but cannot be read. */
  readonly isNameHeld: (name: string) => boolean;
}

export interface PlanOptions {
  readonly slug?: string;
  /** A name for the API, instead of the document's title. */
  readonly name?: string;
  readonly baseUrl?: string;
  /** Values for the variables of the document's server URL. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How calls authenticate, instead of what the document says. */
  readonly auth?: AuthScheme;
  readonly selection?: ImportSelection;
  readonly rules?: ParameterRules;
  readonly overlays?: readonly DocumentOverlay[];
  readonly approveChanges?: boolean;
  readonly watchEveryMs?: number;
  /** If more than this share of a watched API's tools would be removed, that needs approval; 0 to 1. */
  readonly removesAtMost?: number;
  readonly documentHash: string;
  readonly sourceUrl?: string;
  readonly nowMs: number;
}

/** One argument of an operation, as the report shows it. */
export interface ReportedArgument {
  readonly name: string;
  /** The type in its schema, such as `string` or `string or null`; absent if unspecified. */
  readonly type?: string;
  readonly required: boolean;
}

/** One line of the fidelity report. */
export interface ReportLine {
  readonly operation: string;
  /** The tool's name; null if it was not imported or not selected. */
  readonly tool: string | null;
  readonly tags: readonly string[];
  /** The beginning of its description in the document. */
  readonly description?: string;
  /** The arguments that a model provides. */
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
  /** The document had it before; it returns as it was when it was dropped. */
  readonly returns: boolean;
  /** It is not served until an operator approves it. */
  readonly pending: boolean;
}

/** A tool that an import removes. */
export interface RemovedTool {
  readonly name: string;
  readonly operation: string;
  /** The tool in its remembered form. */
  readonly tool: Tool;
  /** It is still served until an operator approves the removal. */
  readonly pending: boolean;
}

/** A tool that an import changes. */
export interface ChangedTool {
  readonly name: string;
  readonly operation: string;
  /** Exactly what changed in the document since the last import. */
  readonly fields: readonly FieldChange[];
  /** Paths where a manual edit wins over a change in the document. */
  readonly kept: readonly string[];
  /** It waits for an operator's approval. */
  readonly pending: boolean;
  readonly tool: Tool;
}

/** An origin that a document names for operations, other than the API's own. */
export interface DocumentOrigin {
  readonly origin: string;
  /** How many tools are sent there. */
  readonly tools: number;
  /** Someone agreed to send the API's secrets there. */
  readonly agreed: boolean;
}

/** What an import would add, change and remove, shown before it is applied. */
export interface ImportPlan {
  readonly api: Api;
  readonly isNewApi: boolean;
  /** What changed about the API itself. */
  readonly apiFields: readonly FieldChange[];
  readonly writesApi: boolean;
  readonly added: readonly AddedTool[];
  readonly changed: readonly ChangedTool[];
  readonly removed: readonly RemovedTool[];
  /** Tools that were dropped before and exceed the limit of remembered ones. */
  readonly forgotten: readonly Tool[];
  readonly unchanged: readonly { readonly name: string; readonly operation: string }[];
  readonly report: readonly ReportLine[];
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
  /** Inputs common to the whole API that tools still ask for: a value can be fixed for each. */
  readonly constants: readonly SharedInput[];
  /** Origins that the document names for operations, other than the API's own. */
  readonly origins: readonly DocumentOrigin[];
  /** Every authentication scheme in the document, by its name there. */
  readonly authChoices: ApiDescription['authChoices'];
}

/** The tools that a decision is about: one, or the listed tools of an API (all pending ones without a list). */
export type DecidedTools =
  | { readonly tool: string }
  | { readonly api: string; readonly tools?: readonly string[] | undefined };
