import type { ClientName, Surface } from '../../domain/call.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Era, McpContext } from '../context.ts';
import type { Dialect } from '../dialects/dialects.ts';
import type { NativeContext } from '../native.ts';

/** What a transport knows about one request besides its method and parameters. */
export interface McpRequest {
  readonly context: McpContext;
  readonly era: Era;
  /** The revision that a legacy client speaks, where the transport knows it. */
  readonly revision?: string | undefined;
  readonly client: ClientName | null;
  readonly surface: Surface;
  /** The client's own headers, for APIs that pass some of them on; null where there are none. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly traceparent: unknown;
  readonly signal: Cancellation;
  /** How tools are written for this client. */
  readonly dialect: Dialect;
  /** Whether the client's revision knows links to resources. */
  readonly links: boolean;
  /** Whether list changes can reach this client. */
  readonly listChanged: boolean;
  /** Reports progress to the client; null where the client cannot hear it or did not ask. */
  readonly progress: ReportProgress | null;
  /** What native features may use of this exchange; absent where the transport cannot ask the client anything. */
  readonly native?: (name: string, args: unknown) => NativeContext;
  /** The resources that this session hears about, where the era has sessions. */
  readonly subscriptions?: { add(uri: string): void; delete(uri: string): void };
}

/** Sends one progress notification. */
export type ReportProgress = (progress: number, message: string, total?: number) => void;
