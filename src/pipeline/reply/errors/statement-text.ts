import { plainKey } from './key-roles.ts';
import type { ErrorReading, LabelledText, Statement } from './read-statements.ts';

/** What an error body says, written for a model. */
export interface StatementText {
  /** What is wrong with the request as a whole; may be empty. */
  readonly headline: string;
  /** What is wrong with its parts, and everything else the body says. */
  readonly lines: readonly string[];
}

// Phrases that only repeat the status (RFC 9110 section 15).
const statusPhrases: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  409: 'conflict',
  410: 'gone',
  415: 'unsupported media type',
  422: 'unprocessable entity',
  429: 'too many requests',
  500: 'internal server error',
  501: 'not implemented',
  502: 'bad gateway',
  503: 'service unavailable',
  504: 'gateway timeout',
};

const maxReasonLength = 700;
const maxLabelledLength = 300;
const maxAsidesLength = 600;

/** Writes the statements within a budget of characters: first the place, reason and code of each, then the rest. */
export function statementText(reading: ErrorReading, status: number, budget: number): StatementText {
  const said = new RepetitionFilter();
  const parts: StatementLine[] = [];
  const statusPhrase = statusPhrases[status];
  const speaks = reading.statements.some((each) =>
    each.reasons.some((reason) => reason.toLowerCase() !== statusPhrase),
  );
  for (const statement of reading.statements) {
    const part = partOf(statement, said, speaks ? statusPhrase : undefined);
    if (part !== null) parts.push(part);
  }
  const leadAt = parts.findIndex((part) => part.leads);
  const [lead] = leadAt < 0 ? [] : parts.splice(leadAt, 1);
  let left = budget;
  const take = (text: string): boolean => {
    if (text.length + 2 > left) return false;
    left -= text.length + 2;
    return true;
  };
  let headline = '';
  if (lead !== undefined) {
    headline = lead.core.slice(0, Math.max(0, left - 2));
    take(headline);
  }
  const kept = parts.filter((part) => take(part.core));
  const dropped = parts.length - kept.length;
  // Extras come only after every core has its space.
  const withExtra = (part: StatementLine) =>
    part.extra !== '' && take(part.extra) ? `${part.core}${part.extra}` : part.core;
  if (lead !== undefined && headline === lead.core) headline = withExtra(lead);
  const lines = kept.map((part) => `- ${withExtra(part)}`);
  if (dropped > 0 || reading.isCut)
    lines.push(`- … and ${dropped > 0 ? `${dropped} more` : 'more'} (not shown)`);
  const asides = asidesText(reading.asides, said, Math.min(left, maxAsidesLength));
  if (asides !== '') lines.push(asides);
  return { headline, lines };
}

interface StatementLine {
  readonly core: string;
  /** What follows the core, with its brackets; may be empty. */
  readonly extra: string;
  /** Describes the request as a whole, in words. */
  readonly leads: boolean;
}

function partOf(
  statement: Statement,
  said: RepetitionFilter,
  statusPhrase: string | undefined,
): StatementLine | null {
  const { where } = statement;
  const isNew = said.first(where, statement);
  if (!isNew) return null;
  const reasons = distinct(statement.reasons.filter((reason) => reason.toLowerCase() !== statusPhrase));
  const codes = statement.codes
    .filter(([, code]) => code.toLowerCase() !== statusPhrase && !reasons.includes(code))
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other));
  const words = reasons.map((reason) => cut(reason, maxReasonLength)).join(' – ');
  const first = codes[0];
  const core = [
    where === '' ? '' : `${cut(where, maxLabelledLength)}: `,
    words,
    first === undefined
      ? ''
      : words !== ''
        ? ` (${codeText(first)})`
        : where === '' && !/^err(?:or)?$/i.test(first[0])
          ? labelledText(first)
          : codeText(first),
  ].join('');
  const rest = [...codes.slice(1), ...statement.others].map(labelledText);
  if (core === '' || (words === '' && first === undefined)) {
    if (rest.length === 0) return where === '' ? null : { core: core.slice(0, -2), extra: '', leads: false };
    return {
      core: `${core}${rest.slice(0, 3).join('; ')}`,
      extra: rest
        .slice(3)
        .map((each) => `; ${each}`)
        .join(''),
      leads: false,
    };
  }
  return {
    core,
    extra: rest.length === 0 ? '' : ` [${rest.join('; ')}]`,
    leads: where === '' && words !== '',
  };
}

/** Drops repetitions: bodies often repeat the same error in several places. */
class RepetitionFilter {
  readonly #values = new Set<string>();

  /** Whether a statement says anything new; remembers it. */
  first(where: string, { reasons, codes, others }: Statement): boolean {
    const values = [
      ...reasons,
      ...codes.map(([, code]) => code),
      ...others.map(([key, text]) => `${key} ${text}`),
    ];
    if (values.length === 0) values.push('');
    const isNew = values.some((value) => !this.#values.has(`${where}\n${value}`));
    for (const value of values) {
      this.#values.add(`${where}\n${value}`);
      // What was said about one input is not new about the whole request.
      this.#values.add(`\n${value}`);
    }
    return isNew;
  }
}

function asidesText(asides: readonly LabelledText[], said: RepetitionFilter, budget: number): string {
  const shown: string[] = [];
  let left = budget - 10;
  for (const aside of asides) {
    if (!said.first('aside', { where: '', reasons: [], codes: [], others: [aside] })) continue;
    const text = labelledText(aside);
    if (text.length + 2 > left) continue;
    left -= text.length + 2;
    shown.push(text);
  }
  return shown.length === 0 ? '' : `(${shown.join('; ')})`;
}

/** The texts without those contained in another. */
function distinct(texts: readonly string[]): string[] {
  const few = texts.slice(0, 20);
  return few.filter(
    (text, index) =>
      !few.some((other, at) => at !== index && other.includes(text) && (other !== text || at < index)),
  );
}

// A body may have several codes: specific ones come before categories.
function rankOf(label: string): number {
  const key = plainKey(label.slice(label.lastIndexOf('.') + 1));
  if (key.endsWith('code') && !key.startsWith('http')) return 0;
  if (/^(?:error|reason|issue|name|id|keyword|rule|constraint)$/.test(key)) return 1;
  return key.endsWith('type') ? 2 : 3;
}

function codeText([key, text]: LabelledText): string {
  return /^[-\d.]+$/.test(text) || (rankOf(key) === 3 && key !== 'kind') || /^(?:name|id)$/i.test(key)
    ? labelledText([key, text])
    : cut(text, maxLabelledLength);
}

function labelledText([key, text]: LabelledText): string {
  return `${cut(key, 100)}: ${cut(firstLines(key, text), maxLabelledLength)}`;
}

// Only the top of a stack trace is useful.
function firstLines(key: string, text: string): string {
  return /trace|stack/i.test(key) ? text.split('\n', 2).join(' ') : text;
}

function cut(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= max) return line;
  const end = /[\ud800-\udbff]/.test(line[max - 2]!) ? max - 2 : max - 1;
  return `${line.slice(0, end)}…`;
}
