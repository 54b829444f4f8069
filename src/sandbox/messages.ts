// The messages between the gateway and the threads that run scripts. Everything a script wrote stays text.

/** The kinds of requests that a script makes to its host and waits for. */
export const requestKinds = ['call', 'search', 'describe', 'read', 'sleep'] as const;

export type RequestKind = (typeof requestKinds)[number];

/** An answer to a request, as JSON. */
export interface Answer {
  readonly id: number;
  readonly isDone: boolean;
  readonly text: string;
}

/** The image that all machines are restored from, and the addresses of its two functions. */
export interface Baseline {
  readonly memory: Uint8Array;
  readonly stackPointer: number;
  readonly runtimePtr: number;
  readonly contextPtr: number;
  readonly start: number;
  readonly deliver: number;
}

/** The difference between a waiting machine and the baseline: the pages that differ. */
export interface FrozenMachine {
  readonly byteLength: number;
  readonly stackPointer: number;
  readonly pages: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The data a thread is started with; the first thread creates the baseline that the others receive. */
export interface SandboxThreadData {
  readonly module: WebAssembly.Module | null;
  readonly baseline: Baseline | null;
  /** Set to stop the running script; shared with the gateway. */
  readonly stop: Int32Array;
}

interface SliceRequest {
  readonly runId: number;
  readonly limits: RunLimits;
  /** The computing time that is left. */
  readonly cpuLeftMs: number;
  readonly requestsLeft: number;
  readonly outputLeft: number;
}

/** Lets a run compute until it waits or ends. */
export type ToThread =
  | (SliceRequest & {
      readonly kind: 'begin';
      readonly source: string;
      /** JSON for the prelude's `start`. */
      readonly setup: string;
    })
  | (SliceRequest & {
      readonly kind: 'resume';
      readonly answers: readonly Answer[];
      /** Null if the thread still has the machine. */
      readonly frozen: FrozenMachine | null;
    })
  | { readonly kind: 'drop'; readonly runId: number };

/** An error that a script threw, as far as it could be read. */
export interface GuestError {
  readonly message: string;
  readonly name?: string;
  readonly code?: string;
  readonly status?: number;
  readonly line?: number;
}

/** Why a script was stopped. */
export type StopReason = 'cpu' | 'asked' | 'memory' | 'stack';

export type SliceEnd =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'threw'; readonly error: GuestError }
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly line?: number };

export type FromThread =
  | {
      readonly kind: 'ready';
      readonly threadId: number | null;
      readonly module: WebAssembly.Module;
      readonly baseline: Baseline;
    }
  | {
      readonly kind: 'request';
      readonly runId: number;
      readonly id: number;
      readonly request: RequestKind;
      readonly payload: string;
    }
  | {
      readonly kind: 'output';
      readonly runId: number;
      readonly output: 'print' | 'show';
      readonly text: string;
    }
  | { readonly kind: 'frozen'; readonly runId: number; readonly machine: FrozenMachine }
  | {
      readonly kind: 'slice';
      readonly runId: number;
      readonly end: SliceEnd;
      readonly cpuMs: number;
      readonly memoryBytes: number;
      /** Whether the thread may be holding memory, or a parser that broke. */
      readonly isWorn: boolean;
    };

/** The limits of one run. */
export interface RunLimits {
  readonly memoryBytes: number;
  /** Time the script itself spends computing. */
  readonly cpuMs: number;
  /** Time from start to end, including waiting. */
  readonly wallMs: number;
  readonly calls: number;
  readonly callsAtOnce: number;
  /** The longest text it may return, and that one call may send. */
  readonly resultChars: number;
  /** Everything it prints and shows together. */
  readonly outputChars: number;
}
