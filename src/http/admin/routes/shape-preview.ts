import type { z } from 'zod';
import { maxRecordedText } from '../../../calls/make-record.ts';
import type { Principal } from '../../../domain/person.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { Tool } from '../../../domain/tool.ts';
import { waitingText } from '../../../domain/waiting.ts';
import { estimateTokens } from '../../../lib/text/token-bound.ts';
import { rewriteAnyText } from '../../../pipeline/reply/rewrite-in-thread.ts';
import { shapes } from '../../../pipeline/reply/shape-reply.ts';
import { findTool } from '../../../registry/rules/find-and-revise.ts';
import type { toolRoutes } from '../../contract/tools.ts';
import type { AppContext } from '../../app-context.ts';
import { trialRequest } from '../call-tool.ts';

type Preview = (typeof toolRoutes)['shapePreview'];

/** The caller of a preview that needs a fresh call. */
interface SampleRequest {
  readonly admin: Principal;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
}

interface Sample {
  readonly text: string;
  readonly callId: string | null;
  readonly cut: boolean;
  readonly shaped: boolean;
}

/** Applies shaping to a recorded, freshly fetched or given reply. */
export async function previewShape(
  context: AppContext,
  reference: string,
  body: z.output<Preview['body']>,
  asking: SampleRequest,
): Promise<z.input<Preview['reply']>> {
  const tool = findTool(context.registry.snapshot, reference);
  const { text, ...sample } = await sampleOf(context, tool, body.sample, asking);
  let after = text;
  let problem: string | null = null;
  try {
    const shaped = await rewriteAnyText(asking.admin.id, { ...body.reply, isPage: false }, text);
    after = [shaped.text, ...shaped.notes].join('\n');
  } catch (error) {
    if (!(error instanceof HandrailError)) throw error;
    problem = error.message;
  }
  return { before: sizeOf(text), after: sizeOf(after), sample, problem };
}

function sizeOf(text: string) {
  return { text, bytes: Buffer.byteLength(text), tokens: estimateTokens(text) };
}

async function sampleOf(
  context: AppContext,
  tool: Tool,
  from: z.output<Preview['body']>['sample'],
  asking: SampleRequest,
): Promise<Sample> {
  if (from.from === 'given') return { text: from.text, callId: null, cut: false, shaped: false };
  return from.from === 'call'
    ? freshReply(context, tool, from.arguments, asking)
    : recordedReply(context, tool);
}

async function recordedReply({ store, recorder }: AppContext, tool: Tool): Promise<Sample> {
  await recorder.flush();
  const { calls } = await store.calls.find({ toolName: tool.name, outcome: 'ok' }, 20);
  const found = calls.find((call) => call.toolId === tool.id && call.replyText !== null);
  if (found === undefined) {
    throw adminApiErrors.noRecordedReply();
  }
  const text = found.replyText!;
  return { text, callId: found.id, cut: text.length > maxRecordedText, shaped: shapes(tool.reply) };
}

async function freshReply(
  context: AppContext,
  tool: Tool,
  args: Record<string, unknown>,
  asking: SampleRequest,
): Promise<Sample> {
  const request = trialRequest(context, { ...asking, arguments: args });
  const call = context.calls.makeDraft(request, { ...tool, reply: {} }, tool.name);
  const outcome = await context.answerCall(call);
  if (outcome.kind === 'failed') throw outcome.error;
  if (outcome.kind === 'waiting')
    throw adminApiErrors.replyNotReady({ waiting: waitingText(outcome.waiting) });
  const [part] = outcome.output.content;
  if (part?.type !== 'text') throw adminApiErrors.replyNotText();
  return { text: part.text, callId: call.id, cut: false, shaped: false };
}
