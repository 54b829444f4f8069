import type { CallRecord } from '../domain/call.ts';
import { estimateTokens, tokensOfBytes } from '../lib/text/token-bound.ts';
import {
  isSecretName,
  mask,
  maskQuery,
  type MaskText,
  maskTextFor,
  mayHoldNamedSecrets,
  mayNameSecrets,
} from '../lib/secrets/mask-secrets.ts';
import type { PiiCounts } from '../lib/secrets/find-pii.ts';
import { inlinePiiLimits, withholding, withPii } from '../lib/secrets/mask-pii.ts';
import { maskedJson } from '../lib/secrets/masked-json.ts';
import { type PiiLog, piiStep } from '../pipeline/pii-log.ts';
import { factsText, fileFactsText } from '../pipeline/arguments/file-argument.ts';
import { fileValuesOf } from '../pipeline/request/serialize-body.ts';
import { textBytes, textOrStart } from '../pipeline/reply/raw-reply.ts';
import { secretsOf } from '../pipeline/request/secrets-of.ts';
import { type CallTrace, outcomeKind } from '../pipeline/call.ts';
import type { CompiledTool, FileValues } from '../pipeline/compiled-tool.ts';
import { noResultText } from '../pipeline/reply/errors/no-result-text.ts';
import { contentTypeOf, decodeText } from '../pipeline/reply/media-type.ts';
import type { Content, Output, Reply } from '../pipeline/reply/reply.ts';
import type { RequestBody, RequestPlan } from '../pipeline/request/request-plan.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** The maximum length of recorded arguments and of a recorded reply. */
export const maxRecordedText = 16 * 1024;
// A secret that starts before the cut can only be found if it is complete.
const longerThanRecorded = 2 * maxRecordedText;
// Larger arguments are only recorded up to here.
const maxParts = 2_000;

/**
 * Turns the trace of a call into the record to store, with secrets masked by name and by value and long texts cut. If
 * the contents can't be serialized, the record says so instead: a call is never left unrecorded.
 */
export function makeRecord(trace: CallTrace, keepContents: boolean): CallRecord {
  const { call, outcome, reply, request, read } = trace;
  const { tool, client } = call;
  const contents = contentsOf(trace, keepContents);
  const masked = trace.pii?.note('mask-records') ?? null;
  return {
    id: call.id,
    parentId: call.parentId,
    toolId: tool.tool.id,
    toolName: call.toolName,
    // A saved script belongs to no API; its calls do.
    apiSlug: tool.script === null ? tool.api.slug : null,
    serverSlug: call.server.slug,
    surface: call.surface,
    callerId: call.caller.id,
    callerLabel: call.caller.label,
    clientName: client?.name.slice(0, 200) ?? null,
    clientVersion: client?.version?.slice(0, 100) ?? null,
    startedAtMs: trace.startedAtMs,
    durationMs: trace.durationMs,
    upstreamMs: reply?.upstreamMs ?? null,
    upstreamStatus:
      reply?.status ?? (outcome.kind === 'failed' ? (outcome.error.details.upstreamStatus ?? null) : null),
    outcome: outcomeKind(outcome),
    tries: reply?.tries ?? 0,
    cached: reply?.cached ?? false,
    requestBytes: request?.plan.body?.content.length ?? 0,
    replyBytes: reply === null ? 0 : (reply.file?.bytes ?? reply.body.length),
    steps:
      masked === null
        ? trace.steps
        : [...trace.steps, { name: piiStep, startMs: trace.durationMs, durationMs: 0, note: masked }],
    readTokens: read?.tokens ?? (call.part?.isGathered === true ? 0 : null),
    // Listed individually because spreading costs as much per call as reading half of them.
    message: contents.message,
    argumentsText: contents.argumentsText,
    replyText: contents.replyText,
    outputTokens: contents.outputTokens,
    requestLine: contents.requestLine,
    readText: contents.readText,
    replyOutline: contents.replyOutline,
  };
}

type Contents = Pick<
  CallRecord,
  'message' | 'argumentsText' | 'replyText' | 'outputTokens' | 'requestLine' | 'readText' | 'replyOutline'
>;

function contentsOf(trace: CallTrace, keepContents: boolean): Contents {
  try {
    return readContents(trace, keepContents);
  } catch (error) {
    const why = error instanceof Error ? error.name : 'unknown reason';
    return {
      message: `Recorded without its contents, which could not be serialized (${why}).`,
      argumentsText: null,
      replyText: null,
      outputTokens: 0,
      requestLine: null,
      readText: null,
      replyOutline: null,
    };
  }
}

function readContents(trace: CallTrace, keepContents: boolean): Contents {
  const { outcome, request, read } = trace;
  const stored = secretsOf(trace.call.tool, request);
  const given = secretValues(trace);
  // The list itself is the key of the compiled pattern.
  const secrets = given.length === 0 ? stored : [...stored, ...given];
  const maskSecrets = maskTextFor(secrets);
  const masking = trace.pii ? new RecordMasking(maskSecrets, trace.pii) : null;
  const maskValues = masking === null ? maskSecrets : (text: string): string => masking.mask(text);
  const replyText = outcome.kind === 'done' ? replyTextOf(outcome.output) : rawReplyText(trace.reply);
  const message = outcome.kind === 'done' ? null : noResultText(outcome);
  const contents = {
    message: message === null ? null : cut(maskValues(keepContents ? message : firstLine(message)), 4_000),
    argumentsText: keepContents ? cut(maskValues(argumentsText(trace)), maxRecordedText) : null,
    replyText:
      keepContents && replyText !== null ? cut(maskValues(maskNamed(replyText)), maxRecordedText) : null,
    outputTokens: outcome.kind === 'done' ? tokensOf(outcome.output) : 0,
    readText: keepContents && read !== null ? cut(maskValues(read.text), maxRecordedText) : null,
    replyOutline: keepContents && read !== null ? read.outline : null,
    requestLine:
      request === null ? null : requestText(request.plan, maskValues, keepContents && message !== null),
  };
  masking?.count();
  return contents;
}

/** Masks the texts of one record, and counts what PII rules mask in all of them. */
class RecordMasking {
  readonly #maskSecrets: MaskText;
  readonly #maskText: MaskText;
  readonly #pii: PiiLog;
  readonly #found = new Map<string, number>();

  constructor(maskSecrets: MaskText, pii: PiiLog) {
    this.#maskSecrets = maskSecrets;
    this.#pii = pii;
    const patterns = pii.patterns('mask-records');
    const onFound = (counts: PiiCounts): void => {
      for (const [rule, count] of counts) this.#found.set(rule, (this.#found.get(rule) ?? 0) + count);
    };
    this.#maskText = withholding(withPii(maskSecrets, { patterns, onFound }, inlinePiiLimits));
  }

  mask(text: string): string {
    return this.#maskText === this.#maskSecrets
      ? this.#maskSecrets(text)
      : // What is beyond is not recorded.
        this.#maskText(this.#maskSecrets(text).slice(0, longerThanRecorded));
  }

  count(): void {
    if (this.#found.size > 0) this.#pii.add('mask-records', this.#found);
  }
}

/**
 * The line of a request; in full, with its headers and body as well. That is what a failure is found by, and too much
 * work for every call. The credential is not in it: it is added when the request is signed.
 */
function requestText(plan: RequestPlan, maskValues: (text: string) => string, inFull: boolean): string {
  const line = `${plan.method} ${plan.origin}${maskQuery(plan.target)}`;
  if (!inFull) return cut(maskValues(line), 2_000);
  const headers = Object.entries(plan.headers).map(
    ([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`,
  );
  const body = plan.body === null ? [] : ['', bodyText(plan.body)];
  return cut(maskValues([line, ...headers, ...body].join('\n')), maxRecordedText);
}

// Secrets in a field that is named like one can only be found in a text that can be parsed.
function bodyText({ content, contentType }: RequestBody): string {
  const size =
    typeof content === 'string' || content instanceof Uint8Array ? `, ${content.length} bytes` : '';
  if (typeof content !== 'string' || content.length > maxRecordedText) return `[${contentType}${size}]`;
  return /urlencoded/i.test(contentType) ? maskQuery(`?${content}`).slice(1) : maskNamed(content);
}

/** What the API answered to a call that failed, before anything was made of it. */
function rawReplyText(reply: Reply | null): string | null {
  if (reply === null || reply.file !== undefined || reply.body.length === 0) return null;
  const type = contentTypeOf(reply);
  if (!type.text) return `[${type.name}, ${reply.body.length} bytes]`;
  return decodeText({ ...reply, body: reply.body.subarray(0, longerThanRecorded) }, type);
}

function argumentsText(trace: CallTrace): string {
  const sent = trace.args ?? trace.call.arguments ?? {};
  if (typeof sent !== 'object' || sent === null) return JSON.stringify(sent) ?? 'null';
  const given = withoutFiles(trace, sent);
  const secret = secretArguments(trace.call.tool);
  if (secret === null)
    return mayHoldNamedSecrets(given, { left: maxParts })
      ? maskedJson(given, longerThanRecorded)
      : JSON.stringify(given);
  const visible: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) visible[name] = secret.has(name) ? mask : value;
  return maskedJson(visible, longerThanRecorded);
}

/** The arguments, with files described in place of their contents and of the handles that open them. */
function withoutFiles({ call, files }: CallTrace, given: object): object {
  let find = fileValues.get(call.tool);
  if (find === undefined) fileValues.set(call.tool, (find = fileValuesOf(call.tool.tool.operation)));
  const values = find === null ? [] : find({ ...given });
  if (values.length === 0) return given;
  const facts = new Map(values.map(({ value }) => [value, fileFactsText(value, files ?? null)]));
  const describeFiles = (value: unknown): unknown => {
    if (typeof value === 'string') return facts.get(value) ?? value;
    if (Array.isArray(value)) return value.map(describeFiles);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, describeFiles(each)]));
  };
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, describeFiles(value)]));
}

const fileValues = new WeakCache<CompiledTool, FileValues | null>();

const secretArgumentsOf = new WeakCache<CompiledTool, ReadonlySet<string> | null>();

/**
 * Arguments that are masked even if their own name is harmless, because they go to a header or parameter named like a
 * secret.
 */
function secretArguments(tool: CompiledTool): ReadonlySet<string> | null {
  let names = secretArgumentsOf.get(tool);
  if (names === undefined) {
    const secret = tool.tool.operation.parameters.filter((each) => isSecretName(each.key ?? each.name));
    names = secret.length === 0 ? null : new Set(secret.map((each) => each.name));
    secretArgumentsOf.set(tool, names);
  }
  return names;
}

// Shorter values are too common to mask wherever they appear.
const shortestSecret = 6;

/** The values of such arguments: an API may echo them under another name. */
function secretValues({ args, call }: CallTrace): readonly string[] {
  const names = secretArguments(call.tool);
  if (names === null || args === null) return [];
  return [...names].flatMap((name) => {
    const value: unknown = args[name];
    return typeof value === 'string' && value.length >= shortestSecret ? [value] : [];
  });
}

// Only a small JSON reply is worth parsing; in a large one, known secrets are still masked by value.
function maskNamed(text: string): string {
  if (text.length > maxRecordedText || !/^\s*[[{]/.test(text) || !mayNameSecrets(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return mayHoldNamedSecrets(value, { left: maxParts }) ? maskedJson(value, longerThanRecorded) : text;
  } catch {
    return text;
  }
}

/** What the API sent: a text on its own, without the notes added to it, so that it can be parsed and masked. */
function replyTextOf({ content, file }: Output): string {
  if (file !== undefined) return `[file ${factsText(file())}]`;
  const [first] = content;
  return first?.type === 'text' ? textOrStart(first, maxRecordedText + 1) : content.map(wordsOf).join('\n');
}

function wordsOf(part: Content): string {
  if (part.type === 'text') return part.text;
  return `[${part.type === 'resource' ? part.resource.mimeType : part.mimeType}]`;
}

/** Estimated tokens of everything a model reads. */
function tokensOf({ content }: Output): number {
  const [only] = content;
  if (content.length === 1 && only!.type === 'text') return tokensOfBytes(textBytes(only!));
  return estimateTokens(content.map(wordsOf).join('\n'));
}

// Lines after the first quote the API.
function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}

// Three dots instead of an ellipsis: a single non-ASCII character doubles the memory a long string takes.
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}...`;
}
