import type { Operation, Parameter } from '../domain/operation.ts';
import { kindOf, type ToolContent } from '../domain/tool.ts';
import { firstSentence } from '../lib/text/tidy-text.ts';
import { tokensAtMost } from './tokens-at-most.ts';
import { TypeWriter } from './type-text.ts';

/** A tool as one line that a model can call it from. */
export interface Signature {
  readonly text: string;
  /** The first sentence of the description. */
  readonly description: string;
  /** Whether an optional part is missing here: `describe_tools` returns everything. */
  readonly partial: boolean;
}

/** Marks where something was left out. */
export const leftOut = '…';

/** The most tokens a signature may take, not counting its required arguments. */
export const maxSignatureTokens = 150;

/** How detailed a signature is. */
export interface SignatureRoom {
  /** Tokens, not counting the required arguments. */
  readonly tokens: number;
  /** Characters of the description. */
  readonly sentence: number;
  /** How deeply nested fields are shown. */
  readonly depth: number;
  /** Whether the arguments are written as one object, the way scripts pass them. */
  readonly isOneObject?: boolean;
}

/** The detail when there are few signatures, and when there are many or long ones. */
export const usualRoom: SignatureRoom = { tokens: maxSignatureTokens, sentence: 100, depth: 2 };
export const scarceRoom: SignatureRoom = { tokens: 60, sentence: 60, depth: 0 };

const maxPath = 160;
const maxOptional = 12;

/**
 * Writes a tool as `name(required: type, optional?: type) First sentence. METHOD /path [kind]`. Required
 * arguments are always shown; optional ones as far as they fit.
 */
export function signatureOf(
  tool: ToolContent,
  name: string,
  description: string,
  room: SignatureRoom = usualRoom,
): Signature {
  const { operation } = tool;
  const visible = operation.parameters.filter(
    (parameter) => !parameter.hidden && parameter.fixed === undefined,
  );
  const isRequired = (parameter: Parameter) => parameter.required && parameter.default === undefined;
  const sentence = firstSentence(description, room.sentence);
  const target = `${operation.method} ${cutPath(operation.path)}`;
  // If the document has no description, it was made from the method and path.
  const said = sentence === '' || sentence === target ? '' : ` ${sentence}`;
  const end = `${said} ${target} [${kindOf(tool)}]`;
  const required = visible.filter(isRequired).map((parameter) => argument(parameter, operation, true, room));
  const optional: ArgumentText[] = [];
  let left = room.tokens - tokensAtMost(`${name}()${end} ${leftOut}`);
  let isCut = false;
  for (const parameter of visible.filter((each) => !isRequired(each))) {
    const written = argument(parameter, operation, false, room);
    const short = { text: `${shownName(parameter)}?: ${leftOut}`, partial: true };
    const fitting = [written, short].find(({ text }) => tokensAtMost(text) + 1 <= left);
    if (optional.length >= maxOptional || fitting === undefined) {
      isCut = true;
      break;
    }
    left -= tokensAtMost(fitting.text) + 1;
    optional.push(fitting);
  }
  const all = [...required, ...optional];
  const list = [...all.map(({ text }) => text), ...(isCut ? [leftOut] : [])];
  return {
    text: `${name}(${room.isOneObject && list.length > 0 ? `{${list.join(', ')}}` : list.join(', ')})${end}`,
    description: sentence,
    partial: isCut || all.some(({ partial }) => partial),
  };
}

interface ArgumentText {
  readonly text: string;
  readonly partial: boolean;
}

function argument(
  parameter: Parameter,
  operation: Operation,
  isRequired: boolean,
  room: SignatureRoom,
): ArgumentText {
  const writer = new TypeWriter(operation.defs, room.depth);
  const text = writer.write(parameter.schema);
  return { text: `${shownName(parameter)}${isRequired ? '' : '?'}: ${text}`, partial: writer.leftOut };
}

// An ambiguous name is quoted to set it off from its surroundings.
function shownName({ name }: Parameter): string {
  return /^[^\s,:(){}"?]+$/.test(name) ? name : JSON.stringify(name);
}

function cutPath(path: string): string {
  const line = path.replace(/\s/g, ' ');
  return line.length <= maxPath ? line : `${line.slice(0, maxPath - 1)}${leftOut}`;
}
