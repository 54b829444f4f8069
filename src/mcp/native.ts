import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import type { ChangedLists } from './sessions/list-changes.ts';

/** A tool, prompt or resource that Handrail implements itself, in addition to those for REST operations. */
export interface NativeTool {
  readonly definition: Tool;
  call(args: Record<string, unknown>, context: NativeContext): Promise<CallToolResult | InputRequiredResult>;
}

export interface NativePrompt {
  readonly definition: Prompt;
  get(args: Record<string, string>, context: NativeContext): Promise<GetPromptResult | InputRequiredResult>;
}

export interface NativeResources {
  readonly list: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** The contents; undefined if there is no such resource here. */
  read(uri: string, context: NativeContext): Promise<ReadResourceResult | undefined>;
  readonly subscribable: boolean;
}

/** What a native feature may use of the exchange it runs in. */
export interface NativeContext {
  readonly mcp: ServerContext;
  readonly era: 'legacy' | 'modern';
  /** Notifies all listeners of this server that its lists or one of its resources changed. */
  announce(change: ChangedLists): void;
  /**
   * The value in the request's `requestState`; absent in the first round. A state that isn't ours is rejected
   * earlier.
   */
  readonly state?: { readonly value: unknown };
  /** A `requestState` for this caller and this request. */
  mintState(value: unknown): string;
}

/** The native features of one server. */
export interface NativeFeatures {
  readonly tools: ReadonlyMap<string, NativeTool>;
  readonly prompts: ReadonlyMap<string, NativePrompt>;
  readonly resources: NativeResources;
  readonly logging: boolean;
  complete?(ref: unknown, argument: { name: string; value: string }): CompleteResult | undefined;
}
