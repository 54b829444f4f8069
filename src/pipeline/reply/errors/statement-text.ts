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
const statusPhrases: Readonly<Record<number, readonly string[]>> = {
  400: ['bad request'],
  401: ['unauthorized'],
  402: ['payment required'],
  403: ['forbidden'],
  404: ['not found'],
  405: ['method not allowed'],
  406: ['not acceptable'],
  408: ['request timeout'],
  409: ['conflict'],
  410: ['gone'],
  412: ['precondition failed'],
  413: ['payload too large', 'content too large', 'request entity too large'],
  415: ['unsupported media type'],
  422: ['unprocessable entity', 'unprocessable content'],
  423: ['locked'],
  428: ['precondition required'],
  429: ['too many requests'],
  500: ['internal server error'],
  501: ['not implemented'],
  502: ['bad gateway'],
  503: ['service unavailable'],
  504: ['gateway timeout'],
};

const maxReasonLength = 700;
const maxLabelledLength = 300;
const maxAsidesLength = 600;

/** Writes the statements within a budget of characters: first the place, reason and code of each, then the rest. */
export function statementText(reading: ErrorReading, status: number, budget: number): StatementText {
  const said = new RepetitionFilter();
  const parts: StatementLine[] = [];
  const phrases = statusPhrases[status] ?? [];
  const speaks = reading.statements.some((each) =>
    each.reasons.some((reason) => !phrases.includes(reason.toLowerCase())),
  );
  for (const statement of groupRows(reading.statements)) {
    const part = partOf(statement, said, speaks ? phrases : []);
    if (part !== null) parts.push(part);
  }
  const inWords = parts.findIndex((part) => part.leads);
  const leadAt = inWords < 0 && parts[0]?.isName === true ? 0 : inWords;
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
  const dropped = parts.filter((part) => !kept.includes(part));
  // Extras come only after every core has its space.
  const withExtra = (part: StatementLine) =>
    part.extra !== '' && take(part.extra) ? `${part.core}${part.extra}` : part.core;
  if (lead !== undefined && headline === lead.core) headline = withExtra(lead);
  const lines = kept.map((part) => `- ${withExtra(part)}`);
  if (dropped.length > 0 || reading.isCut)
    lines.push(
      `- … and ${dropped.length > 0 ? `${dropped.length} more` : 'more'} (not shown)${rowsIn(dropped)}`,
    );
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
  /** Names the error and nothing else. */
  readonly isName: boolean;
  readonly where: string;
}

function partOf(
  statement: Statement,
  said: RepetitionFilter,
  repeated: readonly string[],
): StatementLine | null {
  const { where } = statement;
  const isNew = said.first(where, statement);
  if (!isNew) return null;
  const reasons = distinct(statement.reasons.filter((reason) => !repeated.includes(reason.toLowerCase())));
  const codes = statement.codes
    .filter(([, code]) => !repeated.includes(code.toLowerCase()) && !reasons.includes(code))
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other));
  const words = reasons.map((reason) => cut(reason, maxReasonLength)).join(' – ');
  const first = codes[0];
  const isName = where === '' && words === '' && first !== undefined && /^(?:name|title)$/i.test(first[0]);
  const core = [
    where === '' ? '' : `${cut(where, maxLabelledLength)}: `,
    words,
    first === undefined
      ? ''
      : words !== ''
        ? ` (${codeText(first)})`
        : isName
          ? cut(first[1], maxLabelledLength)
          : where === '' && !/^err(?:or)?$/i.test(first[0])
            ? labelledText(first)
            : codeText(first),
  ].join('');
  const rest = [...codes.slice(1), ...statement.others].map(labelledText);
  if (core === '' || (words === '' && first === undefined)) {
    if (rest.length === 0)
      return where === '' ? null : { core: core.slice(0, -2), extra: '', leads: false, isName, where };
    return {
      core: `${core}${rest.slice(0, 3).join('; ')}`,
      extra: rest
        .slice(3)
        .map((each) => `; ${each}`)
        .join(''),
      leads: false,
      isName,
      where,
    };
  }
  return {
    core,
    extra: rest.length === 0 ? '' : ` [${rest.join('; ')}]`,
    leads: where === '' && words !== '',
    isName,
    where,
  };
}

const firstNumber = /\d{1,9}/;
const minGroup = 3;
const maxRanges = 40;

/** Statements that say the same about several rows as one, with all row numbers: `items[0–17].price`. */
function groupRows(statements: readonly Statement[]): Statement[] {
  const groups = new Map<string, { readonly first: Statement; readonly rows: number[] }>();
  const keys = statements.map((statement) => {
    const row = firstNumber.exec(statement.where)?.[0];
    if (row === undefined || !isRowNumber(statement.where)) return null;
    const { reasons, codes, where } = statement;
    const key = JSON.stringify([where.replace(firstNumber, '#'), reasons, codes]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: statement, rows: [Number(row)] });
    else group.rows.push(Number(row));
    return key;
  });
  return statements.flatMap((statement, n) => {
    const group = keys[n] === null ? undefined : groups.get(keys[n]!);
    if (group === undefined || group.rows.length < minGroup) return [statement];
    if (group.first !== statement) return [];
    return [{ ...statement, where: statement.where.replace(firstNumber, rangesOf(group.rows)), others: [] }];
  });
}

// A digit in a name, such as `line2`, isn't the number of a row.
function isRowNumber(where: string): boolean {
  return /^[^\d]{0,200}[[. ]\d{1,9}(?:[\].,:]|$)|^\d{1,9}(?:[.,:]|$)/.test(where);
}

function rangesOf(rows: readonly number[]): string {
  const sorted = [...new Set(rows)].toSorted((one, other) => one - other);
  const ranges: string[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (sorted[to + 1] === sorted[to]! + 1) to++;
    ranges.push(from === to ? String(sorted[from]) : `${sorted[from]}–${sorted[to]}`);
    from = to + 1;
  }
  const shown = ranges.slice(0, maxRanges).join(', ');
  return ranges.length > maxRanges ? `${shown}, …` : shown;
}

/** The rows that lines are about that were left out. */
function rowsIn(lines: readonly StatementLine[]): string {
  const rows = lines
    .filter(({ where }) => isRowNumber(where))
    .map(({ where }) => Number(firstNumber.exec(where)?.[0]));
  return rows.length === 0 ? '' : `, about ${rangesOf(rows)}`;
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
