import { randomBytes } from 'node:crypto';
import { type CallTrace, type Outcome, outcomeKind } from '../pipeline/call.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';

/** Sends traces of calls to a collector, in batches, off the path of a call. */
export interface TraceExporter {
  record(trace: CallTrace): void;
  close(): Promise<void>;
}

export interface TraceExporterOptions {
  /** Base URL of an OTLP/HTTP collector; `/v1/traces` is appended. */
  readonly url: string;
  readonly fetch: FetchGuarded;
  readonly version: string;
  readonly onTrouble: (error: unknown) => void;
}

const everyMs = 2_000;
const maxWaiting = 2_048;
const maxBatch = 512;

/**
 * Creates the exporter: OTLP over HTTP as JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Batches that the
 * collector rejects are lost.
 */
export function createTraceExporter({ url, fetch, version, onTrouble }: TraceExporterOptions): TraceExporter {
  let waiting: CallTrace[] = [];
  let timer: NodeJS.Timeout | null = null;
  const address = `${trimEndOf(url, '/')}/v1/traces`;

  async function send(): Promise<void> {
    timer = null;
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    if (batch.length === 0) return;
    try {
      const content = JSON.stringify(bodyOf(batch, version));
      const reply = await fetch({
        url: address,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: { contentType: 'application/json', content },
        timeoutMs: 10_000,
      });
      if (reply.status >= 400) onTrouble(new Error(`the collector answered HTTP ${reply.status}`));
    } catch (error) {
      onTrouble(error);
    }
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(() => void send(), everyMs).unref();
  }

  return {
    record(trace) {
      if (!trace.call.trace?.sampled || waiting.length >= maxWaiting) return;
      waiting.push(trace);
      schedule();
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      while (waiting.length > 0) await send();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function bodyOf(batch: readonly CallTrace[], version: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'handrail', 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'handrail', version }, spans: batch.flatMap(spansOf) }],
      },
    ],
  };
}

const kinds = { internal: 1, server: 2, client: 3 } as const;

/** One span for the call and one for each of its steps. */
function spansOf({ call, startedAtMs, durationMs, outcome, reply, request, steps }: CallTrace): object[] {
  const { traceId, spanId, sendSpanId, parentId } = call.trace!;
  const sends = steps.filter((step) => step.name === 'send').length;
  let sent = 0;
  const children = steps.map((step) => {
    // The last send carries the ID that was sent to the upstream.
    const isSent = step.name === 'send' && ++sent === sends;
    return {
      traceId,
      spanId: isSent ? sendSpanId : randomBytes(8).toString('hex'),
      parentSpanId: spanId,
      name: step.name,
      kind: step.name === 'send' || step.name === 'try' ? kinds.client : kinds.internal,
      startTimeUnixNano: nanos(startedAtMs + step.startMs),
      endTimeUnixNano: nanos(startedAtMs + step.startMs + step.durationMs),
      attributes: attributes({
        ...(step.note !== undefined && { 'handrail.note': step.note }),
        ...(isSent && {
          'http.request.method': request?.plan.method,
          'server.address': request === null ? undefined : new URL(request.plan.origin).hostname,
          'http.response.status_code': reply?.status,
        }),
      }),
    };
  });
  return [
    {
      traceId,
      spanId,
      ...(parentId !== null && { parentSpanId: parentId }),
      name: `tools/call ${call.toolName}`,
      kind: kinds.server,
      startTimeUnixNano: nanos(startedAtMs),
      endTimeUnixNano: nanos(startedAtMs + durationMs),
      attributes: attributes({
        'handrail.call': call.id,
        'handrail.server': call.server.slug,
        'handrail.api': call.tool.api.slug,
        'handrail.surface': call.surface,
        'handrail.outcome': outcomeKind(outcome),
        'handrail.cached': reply?.cached ?? false,
        'gen_ai.tool.name': call.toolName,
      }),
      status: statusOf(outcome),
    },
    ...children,
  ];
}

/** https://opentelemetry.io/docs/specs/otel/trace/api/#set-status */
function statusOf(outcome: Outcome): object {
  switch (outcome.kind) {
    case 'done':
      return { code: 1 };
    case 'failed':
      return { code: 2, message: outcome.error.code };
    case 'waiting':
      return { code: 0 };
  }
}

function nanos(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): object[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value:
        typeof value === 'string'
          ? { stringValue: value }
          : typeof value === 'boolean'
            ? { boolValue: value }
            : { intValue: String(value) },
    }));
}
