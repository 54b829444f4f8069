// Everything that passes between the gateway and the threads that run scripts. What a script wrote is text throughout.

/** What a script asks its host for and waits for. */
export const requestKinds = ['call', 'search', 'describe', 'read', 'sleep'] as const;

export type RequestKind = (typeof requestKinds)[number];

/** An answer to a request, as JSON. */
export interface Answer {
  readonly id: number;
  readonly isDone: boolean;
  readonly text: string;
}

/** The picture that all machines are restored from, and the two functions in it, by their places. */
export interface Baseline {
  readonly memory: Uint8Array;
  readonly stackPointer: number;
  readonly runtimePtr: number;
  readonly contextPtr: number;
  readonly start: number;
  readonly deliver: number;
}

/** What tells a machine that waits from the baseline: pages that differ. */
export interface FrozenMachine {
  readonly byteLength: number;
  readonly stackPointer: number;
  readonly pages: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a thread is started with; the first makes the baseline that the others are given. */
export interface SandboxThreadData {
  readonly module: WebAssembly.Module | null;
  readonly baseline: Baseline | null;
  /** Tells the script that computes to stop; shared with the gateway. */
  readonly stop: Int32Array;
}

interface SliceRequest {
  readonly runId: number;
  readonly limits: RunLimits;
  /** What is left of the time to compute. */
  readonly cpuLeftMs: number;
  readonly requestsLeft: number;
  readonly outputLeft: number;
}

/** Lets a run compute until it waits or ends. */
export type ToThread =
  | (SliceRequest & {
      readonly kind: 'begin';
      readonly source: string;
      /** JSON that the prelude's `start` reads. */
      readonly setup: string;
    })
  | (SliceRequest & {
      readonly kind: 'resume';
      readonly answers: readonly Answer[];
      /** Null when the thread still holds the machine. */
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

/** Why a script was not let go on. */
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
      /** Whether the thread may hold on to memory, or to a parser that broke. */
      readonly isWorn: boolean;
    };

/** What one run may use. */
export interface RunLimits {
  readonly memoryBytes: number;
  /** Time in which the script itself computes. */
  readonly cpuMs: number;
  /** Time from its beginning to its end, waiting included. */
  readonly wallMs: number;
  readonly calls: number;
  readonly callsAtOnce: number;
  /** The longest text that it may return, and that one call may send. */
  readonly resultChars: number;
  /** All that it prints and shows together. */
  readonly outputChars: number;
}
