import { gunzipSync } from 'node:zlib';
import {
  isMap,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { importErrors } from '../../domain/error-messages/import.ts';
import { HandrailError } from '../../domain/errors.ts';
import { repeatedKeys } from '../../lib/json/repeated-keys.ts';
import { errorCode } from '../../lib/thrown-errors.ts';

/** Limits for a document; a document beyond them is rejected, not truncated. */
export interface TextLimits {
  readonly maxBytes: number;
  /** YAML aliases, each of which repeats its anchor's value. */
  readonly maxAliases: number;
  /** Values after aliases are expanded. */
  readonly maxValues: number;
  readonly maxDepth: number;
}

export const defaultTextLimits: TextLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxAliases: 2_000,
  maxValues: 10_000_000,
  maxDepth: 400,
};

/** A parsed document, and notes about irregularities that could be tolerated. */
export interface ParsedText {
  readonly value: unknown;
  readonly notes: readonly string[];
}

// Deep enough for paths, methods and the names of components, where a lost key is a lost operation.
const watchedDepth = 4;

/** Decodes a file's content to text: decompresses gzip, removes a byte order mark. */
export function decodeText(content: Uint8Array | string, limits: TextLimits = defaultTextLimits): string {
  if (typeof content === 'string') {
    if (content.length > limits.maxBytes) throw tooLongError(content.length, limits);
    return content.replace(/^\ufeff/, '');
  }
  let plain = content;
  if (content[0] === 0x1f && content[1] === 0x8b) {
    try {
      plain = gunzipSync(content, { maxOutputLength: limits.maxBytes });
    } catch (error) {
      const tooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
      throw tooLarge
        ? importErrors.tooLongDecompressed({ maxBytes: limits.maxBytes })
        : importErrors.notGzip();
    }
  }
  if (plain.byteLength > limits.maxBytes) throw tooLongError(plain.byteLength, limits);
  return new TextDecoder(encodingOf(plain)).decode(plain);
}

// UTF-16 has a byte order mark, or a zero byte next to the first character, which is ASCII in every format we read.
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
}

function tooLongError(length: number, { maxBytes }: TextLimits): HandrailError {
  return importErrors.tooLong({ bytes: length, maxBytes });
}

/** Parses JSON or YAML. Throws with the line and column of the first error. */
export function parseText(text: string, limits: TextLimits = defaultTextLimits): ParsedText {
  if (text.trim() === '') throw importErrors.empty();
  const first = text.trimStart()[0];
  if (first === '{' || first === '[') {
    try {
      const value: unknown = JSON.parse(text);
      checkSize(value, limits);
      const notes = repeatedKeys(text, watchedDepth).map(
        ({ key, line }) =>
          `Not quite JSON: the key ${JSON.stringify(key)} appears twice; the last one counts (line ${line}).`,
      );
      return { value, notes };
    } catch (error) {
      if (error instanceof HandrailError) throw error;
      // Flow-style YAML looks like JSON; the JSON error is reported only if that fails too.
      if (text.length > 5_000_000) throw jsonError(text, error);
      try {
        return parseYaml(text, limits);
      } catch {
        throw jsonError(text, error);
      }
    }
  }
  return parseYaml(text, limits);
}

function jsonError(text: string, error: unknown): HandrailError {
  const said = error instanceof Error ? error.message : '';
  const position = Number(/position (\d+)/.exec(said)?.[1] ?? NaN);
  const reason = said.split(' in JSON at position', 1)[0]!.replace(/,? ?"?\.\.\.[^]*$/, '');
  if (Number.isNaN(position))
    return importErrors.notJson({
      reason: reason || 'it ends too early',
      where: `(line ${text.trimEnd().split('\n').length})`,
    });
  const before = text.slice(0, position);
  return importErrors.notJson({
    reason,
    where: `at line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`,
  });
}

// Errors whose intent is clear. `yaml` rejects them by default; other parsers accept them.
const tolerated: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a line is indented with a tab',
  BAD_SCALAR_START: 'plain text begins with a reserved character',
  MULTILINE_IMPLICIT_KEY: 'a key spans several lines',
  MULTIPLE_DOCS: 'the file contains several documents; only the first is read',
};

function parseYaml(text: string, limits: TextLimits): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    // 1.2 core: dates stay text, `yes` and `no` too.
    version: '1.2',
    schema: 'core',
    merge: true,
    strict: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
    stringKeys: false,
  });
  const where = (fault: YAMLError): string => {
    const { line, col } = lines.linePos(fault.pos[0]);
    return `line ${line}, column ${col}`;
  };
  const fatal = document.errors.find((fault) => !Object.hasOwn(tolerated, fault.code));
  if (fatal?.message.includes('call stack')) throw tooDeepError(limits);
  if (fatal) throw importErrors.notYaml({ reason: fatal.message.replace(/\.$/, ''), where: where(fatal) });
  const notes = document.errors
    .slice(0, 5)
    .map((fault) => `Not quite YAML: ${tolerated[fault.code]} (${where(fault)}).`);

  let aliases = 0;
  let depth = 0;
  visit(document, {
    Alias: () => {
      if (++aliases > limits.maxAliases) throw importErrors.tooManyAliases({ max: limits.maxAliases });
    },
    Collection: (_key, node, path) => {
      depth = Math.max(depth, path.filter((step) => !isPair(step)).length);
      if (depth > limits.maxDepth) throw tooDeepError(limits);
      if (isMap(node)) noteRepeated(node, lines, notes);
    },
  });
  let value: unknown;
  try {
    // Counts the values that aliases expand to, which is what makes an alias bomb.
    value = document.toJS({ maxAliasCount: 100_000 });
  } catch (error) {
    throw importErrors.aliasesNotExpanded({
      reason: error instanceof Error ? error.message : 'there are too many of them',
    });
  }
  checkSize(value, limits);
  return { value, notes };
}

function tooDeepError({ maxDepth }: TextLimits): HandrailError {
  return importErrors.tooDeep({ maxDepth });
}

// `yaml` would compare every key with every other; a set needs one pass.
function noteRepeated(map: YAMLMap, lines: LineCounter, notes: string[]): void {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    if (!isScalar(key) || key.value === '<<') continue;
    if (seen.has(key.value) && notes.length < 20) {
      const { line, col } = lines.linePos(key.range?.[0] ?? 0);
      notes.push(
        `Not quite YAML: the key ${JSON.stringify(key.value)} appears twice; the last one counts (line ${line}, column ${col}).`,
      );
    }
    seen.add(key.value);
  }
}

// Aliases put one object in many places; walked as a tree, a few kilobytes can be a billion values.
function checkSize(root: unknown, limits: TextLimits): void {
  let values = 0;
  const walk = (value: unknown, depth: number): void => {
    if (++values > limits.maxValues) throw importErrors.tooManyValues({ max: limits.maxValues });
    if (typeof value !== 'object' || value === null) return;
    if (depth > limits.maxDepth) throw tooDeepError(limits);
    if (Array.isArray(value)) for (const inner of value) walk(inner, depth + 1);
    else for (const inner of Object.values(value)) walk(inner, depth + 1);
  };
  walk(root, 0);
}
