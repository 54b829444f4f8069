import type { ErrorCode } from '../domain/errors.ts';
import type { RunUsage } from '../sandbox/sandbox.ts';
import type { ScriptCall } from './script-host.ts';

/** What became of a script. */
export interface Executed {
  readonly end: CodeEnd;
  readonly printed: readonly string[];
  /** Meant for the user alone. */
  readonly shown: readonly string[];
  readonly calls: readonly ScriptCall[];
  /** APIs in what it returned and printed whose replies are marked as untrusted. */
  readonly untrusted: readonly string[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly usage: RunUsage;
}

/** How a script ended: with JSON, which is empty where it returned nothing, or without a result. */
export type CodeEnd =
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly line?: number };
