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
  readonly tools: readonly Tool[];
  readonly isSlugTaken: (slug: string) => boolean;
  /** Whether a tool of this name stands there and cannot be read. */
  readonly isNameHeld: (name: string) => boolean;
}

export interface PlanOptions {
  readonly slug?: string;
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
  readonly documentHash: string;
  readonly sourceUrl?: string;
  readonly nowMs: number;
}

/** One line of the fidelity report. */
export interface ReportLine {
  readonly operation: string;
  /** The tool's name; null when it was not imported or not chosen. */
  readonly tool: string | null;
  readonly tags: readonly string[];
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

/** The add, change and remove list shown before an import is applied. */
export interface ImportPlan {
  readonly api: Api;
  readonly isNewApi: boolean;
  /** What changed about the API itself. */
  readonly apiFields: readonly FieldChange[];
  readonly writesApi: boolean;
  readonly added: readonly AddedTool[];
  readonly changed: readonly ChangedTool[];
  readonly removed: readonly { readonly name: string; readonly operation: string; readonly tool: Tool }[];
  readonly unchanged: readonly { readonly name: string; readonly operation: string }[];
  readonly report: readonly ReportLine[];
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
  /** Inputs of the whole API that tools still ask for: a value can be fixed for each. */
  readonly constants: readonly SharedInput[];
  /** Every way in that the document offers, by its name there. */
  readonly authChoices: ApiDescription['authChoices'];
}
