import { httpErrors } from '../domain/error-messages/http.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import type { HandrailError } from '../domain/errors.ts';
import { noFollowUp } from '../domain/pages/follow-up.ts';
import { waitingText } from '../domain/waiting.ts';
import { createCloseStack } from '../lib/close-stack.ts';
import { parseMarked } from '../lib/json/numbers/exact-numbers.ts';
import { suggestTool } from '../mcp/render/suggest-tool.ts';
import type { Content } from '../pipeline/reply/reply.ts';
import { noResultText } from '../pipeline/reply/errors/no-result-text.ts';
import { callerOf, type HostContext } from './host.ts';
import { hostLog, type MountLog } from './host-log.ts';
import type { ImportedDocument } from './import-document.ts';
import { infoOf, openPipeline, type PipelineOptions, type ToolInfo } from './open-pipeline.ts';

/** A compiled tool: what a model needs to call it. */
export interface CallableTool extends ToolInfo {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Null if the document doesn't describe the reply as an object. */
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
}

/** The tools of a document, ready to be called. */
export interface CompiledTools {
  readonly tools: readonly CallableTool[];
  call(name: string, args?: object, options?: CallToolOptions): Promise<ToolReply>;
  /** Frees what is kept; calls that run are finished. */
  close(): Promise<void>;
}

/** Who calls a tool, and until when. */
export interface CallToolOptions {
  /** The client's headers; those that `forward` names go to the app. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: HostContext;
  readonly signal?: AbortSignal;
}

/** The reply of a tool, as MCP content. */
export interface ToolReply {
  readonly ok: boolean;
  /** The status of the API; null if it did not answer. */
  readonly status: number | null;
  readonly content: readonly Content[];
  /** The text of the content. */
  readonly text: string;
  /** The reply as data, if the tool has an output schema. */
  readonly structured?: unknown;
  /** Why it failed, and whose fault that is. */
  readonly error?: HandrailError;
}

/** Options of `compileTools`. */
export interface CompileToolsOptions extends PipelineOptions {
  /** Where trouble goes that no caller hears of, such as an `onCall` that throws; `console` by default. */
  readonly log?: MountLog;
}

/** Compiles the tools of an imported document; each checks its arguments, calls the API and shapes the reply. */
export function compileTools(imported: ImportedDocument, options: CompileToolsOptions): CompiledTools {
  const { onClose, closeAll } = createCloseStack();
  const { view, forward, calls, answerCall } = openPipeline(imported, {
    ...options,
    log: hostLog(options.log ?? console),
    now: Date.now,
    onClose,
  });
  let isClosed = false;
  return {
    tools: view().tools.map(({ name, description, compiled }) => ({
      ...infoOf(compiled.tool),
      name,
      description,
      inputSchema: compiled.inputSchema,
      outputSchema: compiled.outputSchema,
    })),

    async call(name, args = {}, { headers = {}, host, signal } = {}) {
      if (isClosed) throw mountErrors.closed();
      const lowercase = Object.fromEntries(
        Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]),
      );
      const caller = callerOf(host, lowercase, forward, undefined);
      const call = calls.make({
        view: view(),
        toolName: name,
        caller,
        client: null,
        surface: 'rest',
        arguments: args,
        signal: signal ?? { aborted: false },
        clientHeaders: lowercase,
        traceparent: lowercase['traceparent'],
        followUp: noFollowUp,
      });
      if (call === undefined)
        throw httpErrors.unknownTool({ name, suggestion: suggestTool(view(), caller, name) });
      const outcome = await answerCall(call);
      switch (outcome.kind) {
        case 'done': {
          const { content, structuredText } = outcome.output;
          const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
          const structured = structuredText === null ? undefined : parseMarked(structuredText);
          return {
            ok: true,
            status: outcome.status,
            content,
            text,
            ...(structured !== undefined && { structured }),
          };
        }
        case 'waiting':
          return without(waitingText(outcome.waiting), null);
        case 'failed': {
          const { error } = outcome;
          return { ...without(noResultText(outcome), error.details.upstreamStatus ?? null), error };
        }
      }
    },

    async close() {
      isClosed = true;
      await closeAll();
    },
  };
}

function without(text: string, status: number | null): ToolReply {
  return { ok: false, status, content: [{ type: 'text', text }], text };
}

/** Calls one tool. A call that fails is a reply that says why; only a tool that does not exist is an exception. */
export function callTool(
  compiled: CompiledTools,
  name: string,
  args?: object,
  options?: CallToolOptions,
): Promise<ToolReply> {
  return compiled.call(name, args, options);
}
