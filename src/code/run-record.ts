import type { CallRecord } from '../domain/call.ts';
import { rulesFor } from '../domain/pii-rules.ts';
import type { Server } from '../domain/server.ts';
import { inlinePiiLimits, withholding, withPii } from '../lib/secrets/mask-pii.ts';
import { keepText, type MaskText, mayNameSecrets } from '../lib/secrets/mask-secrets.ts';
import { maskedJson } from '../lib/secrets/masked-json.ts';
import { estimateTokens } from '../lib/text/token-bound.ts';
import { maskHandles } from '../replies/seal-parts.ts';
import { patternOf } from '../pipeline/pii-log.ts';
import type { CodeRun } from './code-runs.ts';

const maxRecordedText = 16 * 1024;

/** The record of a run, the parent of the records of its calls. */
export function makeRunRecord(run: CodeRun, keepContents: boolean): CallRecord {
  const { request, end } = run;
  const { caller, client, view, surface, code } = request;
  const maskPii = piiMaskOf(view.server);
  const message = end.kind === 'failed' ? maskPii(maskHandles(end.message)) : null;
  return {
    id: run.id,
    parentId: request.parentId ?? null,
    toolId: null,
    toolName: 'run_code',
    apiSlug: null,
    serverSlug: view.server.slug,
    surface,
    callerId: caller.id,
    callerLabel: caller.label,
    clientName: client?.name.slice(0, 200) ?? null,
    clientVersion: client?.version?.slice(0, 100) ?? null,
    startedAtMs: run.startedAtMs,
    durationMs: run.durationMs,
    upstreamMs: null,
    upstreamStatus: null,
    outcome: end.kind === 'returned' ? 'ok' : end.code,
    message: message === null ? null : cut(keepContents ? message : firstLine(message), 1_000),
    tries: 0,
    cached: false,
    requestBytes: Buffer.byteLength(code),
    replyBytes: end.kind === 'returned' ? Buffer.byteLength(end.text) : 0,
    argumentsText: keepContents
      ? cut(JSON.stringify({ code: maskPii(maskHandles(cut(code, maxRecordedText))) }), maxRecordedText)
      : null,
    replyText:
      keepContents && end.kind === 'returned'
        ? maskPii(maskHandles(cut(maskNamed(end.text), maxRecordedText)))
        : null,
    requestLine: null,
    outputTokens: end.kind === 'returned' ? estimateTokens(end.text) : 0,
    // The calls below account for the run's time.
    readTokens: null,
    readText: null,
    replyOutline: null,
    steps: run.calls.slice(0, 100).map(({ path, startMs, durationMs, outcome }) => ({
      name: path.slice(0, 200),
      startMs,
      durationMs: durationMs ?? Math.max(0, run.durationMs - startMs),
      note: outcome ?? 'outcome unknown',
    })),
  };
}

/** What the server's PII rules mask in records; the rules of an API apply to the records of its calls. */
function piiMaskOf(server: Server): MaskText {
  const patterns = rulesFor('mask-records', server).map(patternOf);
  return withholding(withPii(keepText, { patterns, onFound: () => {} }, inlinePiiLimits));
}

function maskNamed(text: string): string {
  if (text.length > maxRecordedText || !/^[[{]/.test(text) || !mayNameSecrets(text)) return text;
  return maskedJson(JSON.parse(text), 2 * maxRecordedText);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
