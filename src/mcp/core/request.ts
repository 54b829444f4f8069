import type { ClientName, Surface } from '../../domain/call.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Era, McpContext } from '../context.ts';
import { isObject, objectOr } from '../../lib/json/plain-object.ts';
import type { Dialect } from '../dialects/dialects.ts';
import type { NativeContext } from '../native.ts';

/** What a transport knows about one request besides its method and parameters. */
export interface McpRequest {
  readonly context: McpContext;
  readonly era: Era;
  /** The revision of a legacy client, if the transport knows it. */
  readonly revision?: string | undefined;
  readonly client: ClientName | null;
  readonly surface: Surface;
  /** The client's own headers, for APIs that they are forwarded to; null if there are none. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly traceparent: unknown;
  readonly signal: Cancellation;
  /** How tools are written for this client. */
  readonly dialect: Dialect;
  /** Whether the client's revision supports resource links. */
  readonly links: boolean;
  /** Whether list changes can reach this client. */
  readonly listChanged: boolean;
  /** Whether the client can be asked to open a link (URL-mode elicitation), and wasn't in this exchange. */
  readonly opensLinks?: boolean;
  /** Reports progress to the client; null if the client can't receive it or didn't ask for it. */
  readonly progress: ReportProgress | null;
  /** What native features may use of this exchange; absent if the transport can't ask the client anything. */
  readonly native?: (name: string, args: unknown) => NativeContext;
  /** The resources this session is subscribed to, if the era has sessions. */
  readonly subscriptions?: { add(uri: string): void; delete(uri: string): void };
}

/** Whether a client declared that it can be asked to open a link. */
export function declaresLinks(capabilities: unknown): boolean {
  return isObject(objectOr(objectOr(capabilities)['elicitation'])['url']);
}

/** Sends one progress notification. */
export type ReportProgress = (progress: number, message: string, total?: number) => void;
