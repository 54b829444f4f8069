import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseSync } from 'vite';

/** A sentence, comment or name, and where it is. */
export interface Entry {
  readonly where: string;
  readonly text: string;
}

/** What people read in one source file. */
export interface Prose {
  /** Comments, with consecutive line comments joined. */
  readonly comments: readonly Entry[];
  /** String literals of at least three words. A value in a template is written as `…`. */
  readonly sentences: readonly Entry[];
  readonly exportedNames: readonly Entry[];
  /** Sentences that are passed to `new HandrailError` directly, instead of being in the table of errors. */
  readonly errorSentences: readonly Entry[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Reads the comments, sentences and exported names of a TypeScript or JavaScript file. */
export function readProse(root: string, file: string): Prose {
  const source = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, source, {
    sourceType: 'unambiguous',
    // Next.js uses JSX in .js files.
    lang: /\.tsx?$/.test(file) ? undefined : 'jsx',
  });
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
  const where = relative(root, file);
  const sentences: Entry[] = [];
  const exportedNames: Entry[] = [];
  const errorSentences: Entry[] = [];
  const add = (text: string): void => {
    const words = text.split(/\s+/).filter((word) => /[a-z]/i.test(word));
    if (words.length >= 3) sentences.push({ where, text: text.replace(/\s+/g, ' ').trim() });
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    if (value.type === 'Literal' && typeof value['value'] === 'string') add(value['value']);
    if (value.type === 'TemplateLiteral')
      add((value['quasis'] as { value: { raw: string } }[]).map((part) => part.value.raw).join('…'));
    if (value.type === 'ExportNamedDeclaration' || value.type === 'ExportDefaultDeclaration')
      exportedNames.push(...declaredNames(value['declaration']).map((text) => ({ where, text })));
    if (value.type === 'NewExpression' && nameOf(value['callee']) === 'HandrailError')
      errorSentences.push(...sentencesIn((value['arguments'] as unknown[])[1]));
    Object.values(value).forEach(visit);
  };
  const sentencesIn = (argument: unknown): Entry[] => {
    const before = sentences.length;
    visit(argument);
    return sentences.splice(before);
  };
  visit(program);
  return {
    comments: joinComments(comments, source).map((text) => ({ where, text })),
    sentences,
    exportedNames,
    errorSentences,
  };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nameOf = (node: unknown): unknown => (isNode(node) ? node['name'] : undefined);

function declaredNames(declaration: unknown): string[] {
  if (!isNode(declaration)) return [];
  const ids =
    declaration.type === 'VariableDeclaration'
      ? (declaration['declarations'] as { id: unknown }[]).map(({ id }) => id)
      : [declaration['id']];
  return ids.flatMap((id) => (isNode(id) && typeof id['name'] === 'string' ? [id['name']] : []));
}

interface Comment {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function joinComments(comments: readonly Comment[], source: string): string[] {
  const joined: string[] = [];
  let previous: Comment | undefined;
  for (const comment of comments) {
    const text = comment.value.replace(/\s*\n\s*\*?\s*/g, ' ').replace(/^\*?\s+|\s+$/g, '');
    const continues =
      previous?.type === 'Line' &&
      comment.type === 'Line' &&
      /^\s*$/.test(source.slice(previous.end, comment.start)) &&
      !source.slice(previous.end, comment.start).includes('\n\n');
    if (continues) joined.push(`${joined.pop()} ${text}`);
    else joined.push(text);
    previous = comment;
  }
  return joined;
}

/** The paragraphs of a Markdown, YAML or shell file, each as one line, without code blocks and inline code. */
export function readParagraphs(root: string, file: string): Entry[] {
  const text = readFileSync(file, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '`…`');
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.|#+) )/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*(?:#\s*)?/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ where: relative(root, file), text: paragraph }));
}
