import { randomUUID } from 'node:crypto';
import { writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import { readsStructure } from '../../pipeline/run-call.ts';
import { shapes } from '../../pipeline/reply/shape-reply.ts';
import { isLongToRewrite, structureOf, transform, transformLong } from '../../pipeline/reply/transform.ts';
import type { Call, Output, Reply } from '../../pipeline/types.ts';
import type { Path } from './page-path.ts';

/** The first page, and where its list stands. */
export interface FirstPage {
  readonly value: unknown;
  readonly path: Path;
}

/**
 * The records of all pages as the output of one call: the list itself; where the operator shapes replies, what that makes of
 * the first page with all records in its list.
 */
export async function mergePages(
  call: Call,
  first: FirstPage,
  texts: readonly string[],
  secrets: readonly string[],
  notes: readonly string[],
): Promise<Output> {
  const { tool } = call;
  const maskSecrets = maskTextFor(secrets);
  const list = `[${texts.join(',')}]`;
  const isShaped = shapes(tool.tool.reply);
  const reply = replyOf(isShaped ? wholePage(first, texts) : list);
  const output = isLongToRewrite(tool, reply)
    ? await transformLong(tool, reply, maskSecrets, false)
    : transform(tool, reply, maskSecrets, false);
  const wantsStructure = !isShaped && readsStructure(call) && tool.tool.reply.phrases !== 'redact';
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: 'text', text }) as const)],
    structuredText: wantsStructure ? structureOf(tool, maskSecrets(wholePage(first, texts))).text : null,
  };
}

function replyOf(json: string): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(json),
    tries: 1,
    cached: false,
    upstreamMs: 0,
  };
}

/** The first page with the records of all in its list. */
function wholePage({ value, path }: FirstPage, texts: readonly string[]): string {
  const place = randomUUID();
  const isUnwrapped = path.at(-1) === 'edges';
  const list = `[${(isUnwrapped ? texts.map(asEdge) : texts).join(',')}]`;
  const [before = '', after = ''] = writeMarked(JSON.stringify(withValueAt(value, path, place))).split(
    `"${place}"`,
  );
  return `${before}${list}${after}`;
}

function asEdge(text: string): string {
  return text.startsWith('{"node":') ? text : `{"node":${text}}`;
}

function withValueAt(value: unknown, path: Path, given: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return given;
  return isObject(value) ? { ...value, [key]: withValueAt(value[key], rest, given) } : value;
}
