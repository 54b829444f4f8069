/**
 * Regular expressions in time linear to the text, by simulating all alternatives at once instead of
 * backtracking (Thompson, 1968; https://swtch.com/~rsc/regexp/regexp1.html). A schema's pattern and the text it is tried
 * on both come from strangers, and `^(a+)+$` stops a backtracking engine for minutes.
 *
 * The native engine still decides whether the source is a legal pattern and what one atom (`[a-z]`,
 * `\d`, `\p{L}`) matches. Back-references and look-behind have no bounded form and are refused.
 */
export interface Pattern {
  test(text: string): boolean;
}

/** Counts the work of one validation and throws when it exceeds the limit. */
export interface Budget {
  spend(steps: number): void;
}

/** Thrown for a pattern that is valid but can't run in bounded time, or is too large. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

type Atom = (codePoint: number, character: string) => boolean;

type Node =
  | { kind: 'atom'; matches: Atom }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'repeat'; body: Node; min: number; max: number }
  | { kind: 'assert'; holds: (before: string, after: string) => boolean }
  | { kind: 'look'; body: Node; negative: boolean };

type Instruction =
  | { op: 'atom'; matches: Atom }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'assert'; holds: (before: string, after: string) => boolean }
  | { op: 'look'; program: Instruction[]; negative: boolean }
  | { op: 'match' };

const maxInstructions = 20_000;
const maxNesting = 100;

/** Compiles a pattern with JSON Schema's meaning: unanchored, and in Unicode mode if that is valid. */
export function compilePattern(source: string, budget: Budget): Pattern {
  const flags = legalFlags(source);
  if (cannotBacktrack.test(source)) {
    const native = new RegExp(source, flags);
    return { test: (text) => (budget.spend(text.length >> 6), native.test(text)) };
  }
  const program = assemble(new Parser(source, flags).parse());
  return {
    test(text) {
      const characters = flags === 'u' ? Array.from(text) : text.split('');
      return search(program, characters, 0, false, budget);
    },
  };
}

/**
 * Anchored at the start, without groups or alternatives, and at most one variable repetition: the native engine then
 * has only one position to go back to and is linear too.
 */
const cannotBacktrack =
  /^\^(?:[^\\()[\]{}*+?|^$]|\\[^\dkpPuxcbB]|\[(?:[^\]\\]|\\.)*\]|\{\d+\})*(?:(?:[*+?]|\{\d+,\d*\})(?:[^\\()[\]{}*+?|^$]|\\[^\dkpPuxcbB]|\[(?:[^\]\\]|\\.)*\]|\{\d+\})*)?\$?$/;

function legalFlags(source: string): 'u' | '' {
  try {
    return new RegExp(source, 'u').flags as 'u';
  } catch {
    return new RegExp(source).flags as '';
  }
}

/** Parses a source that the native engine has accepted, so it doesn't need to report syntax errors. */
class Parser {
  #at = 0;
  #depth = 0;
  readonly #source: string;
  readonly #flags: 'u' | '';

  constructor(source: string, flags: 'u' | '') {
    this.#source = source;
    this.#flags = flags;
  }

  parse(): Node {
    return this.#choice();
  }

  #choice(): Node {
    if (++this.#depth > maxNesting) throw new UnsupportedPattern('the pattern is nested too deeply');
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) {
      parts.push(this.#quantified(this.#term()));
    }
    return { kind: 'sequence', parts };
  }

  #term(): Node {
    if (this.#take('^')) return { kind: 'assert', holds: (before) => before === '' };
    if (this.#take('$')) return { kind: 'assert', holds: (_before, after) => after === '' };
    if (this.#take('(')) return this.#group();
    if (this.#sees('[')) return this.#native(this.#classEnd());
    if (this.#sees('\\')) return this.#escape();
    if (this.#sees('.')) return this.#native(this.#at + 1);
    const character =
      this.#flags === 'u' ? String.fromCodePoint(this.#codePoint()) : (this.#source[this.#at] as string);
    this.#at += character.length;
    return { kind: 'atom', matches: (_codePoint, seen) => seen === character };
  }

  #group(): Node {
    let look: { negative: boolean } | undefined;
    if (this.#take('?=')) look = { negative: false };
    else if (this.#take('?!')) look = { negative: true };
    else if (this.#sees('?<=') || this.#sees('?<!')) {
      throw new UnsupportedPattern('look-behind is not supported: it cannot be checked in bounded time');
    } else if (this.#take('?<')) this.#at = this.#source.indexOf('>', this.#at) + 1;
    else if (this.#sees('?') && !this.#take('?:'))
      throw new UnsupportedPattern('the pattern has an unsupported group');
    const body = this.#choice();
    this.#at++;
    return look === undefined ? body : { kind: 'look', body, negative: look.negative };
  }

  #escape(): Node {
    const next = this.#source[this.#at + 1] ?? '';
    if (next === 'b' || next === 'B') {
      this.#at += 2;
      const wanted = next === 'b';
      return { kind: 'assert', holds: (before, after) => (isWord(before) !== isWord(after)) === wanted };
    }
    if (/[1-9]/.test(next) || (next === 'k' && this.#source[this.#at + 2] === '<')) {
      throw new UnsupportedPattern(
        'back-references are not supported: they cannot be checked in bounded time',
      );
    }
    return this.#native(this.#escapeEnd());
  }

  #escapeEnd(): number {
    const rest = this.#source.slice(this.#at);
    const unicode =
      this.#flags === 'u'
        ? /^\\(?:u\{[0-9a-f]+\}|u[d][89ab][0-9a-f]{2}\\u[d][c-f][0-9a-f]{2}|[pP]\{[^}]*\})/i.exec(rest)
        : null;
    const known = unicode ?? /^\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|0)/i.exec(rest);
    if (known) return this.#at + known[0].length;
    return (
      this.#at + 1 + (this.#flags === 'u' ? String.fromCodePoint(this.#codePoint(this.#at + 1)).length : 1)
    );
  }

  #classEnd(): number {
    let end = this.#at + 1;
    while (this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1;
    return end + 1;
  }

  /** An atom that the native engine matches, one character at a time. */
  #native(end: number): Node {
    const expression = new RegExp(`^${this.#source.slice(this.#at, end)}$`, this.#flags);
    this.#at = end;
    const ascii: (boolean | undefined)[] = [];
    return {
      kind: 'atom',
      matches: (codePoint, character) =>
        codePoint < 128 ? (ascii[codePoint] ??= expression.test(character)) : expression.test(character),
    };
  }

  #quantified(body: Node): Node {
    const bounds = this.#quantifier();
    if (bounds === null) return body;
    this.#take('?');
    return { kind: 'repeat', body, min: bounds[0], max: bounds[1] };
  }

  #quantifier(): [number, number] | null {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const counted = /^\{(\d+)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 40));
    if (!counted) return null;
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    if (counted[2] === '') return [min, min];
    return [min, counted[3] === '' ? Infinity : Number(counted[3])];
  }

  #codePoint(at = this.#at): number {
    return this.#source.codePointAt(at) ?? 0;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function assemble(node: Node): Instruction[] {
  const program: Instruction[] = [];
  emit(node, program);
  program.push({ op: 'match' });
  return program;
}

function emit(node: Node, program: Instruction[]): void {
  if (program.length > maxInstructions) throw new UnsupportedPattern('the pattern is too large');
  switch (node.kind) {
    case 'atom':
      program.push({ op: 'atom', matches: node.matches });
      return;
    case 'assert':
      program.push({ op: 'assert', holds: node.holds });
      return;
    case 'look':
      program.push({ op: 'look', program: assemble(node.body), negative: node.negative });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(node.options, program);
      return;
    case 'repeat':
      emitRepeat(node, program);
  }
}

function emitChoice(options: Node[], program: Instruction[]): void {
  const exits: { op: 'jump'; to: number }[] = [];
  options.forEach((option, index) => {
    if (index === options.length - 1) {
      emit(option, program);
      return;
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    program.push(split);
    emit(option, program);
    const exit = { op: 'jump' as const, to: 0 };
    program.push(exit);
    exits.push(exit);
    split.second = program.length;
  });
  for (const exit of exits) exit.to = program.length;
}

function emitRepeat(node: { body: Node; min: number; max: number }, program: Instruction[]): void {
  const copies = node.max === Infinity ? Math.max(node.min, 1) : node.max;
  if (copies > maxInstructions) throw new UnsupportedPattern('the pattern repeats too often');
  const exits: { op: 'split'; first: number; second: number }[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const optional = copy >= node.min;
    if (optional) {
      const split = { op: 'split' as const, first: program.length + 1, second: 0 };
      program.push(split);
      exits.push(split);
    }
    const start = program.length;
    emit(node.body, program);
    if (node.max === Infinity && copy === copies - 1) {
      const again = { op: 'split' as const, first: start, second: program.length + 1 };
      program.push(again);
    }
  }
  for (const exit of exits) exit.second = program.length;
}

/** Runs the program on all positions at once. Each instruction is entered at most once per position. */
function search(
  program: Instruction[],
  text: string[],
  start: number,
  anchored: boolean,
  budget: Budget,
): boolean {
  let current: number[] = [];
  budget.spend(program.length >> 3);
  const seenAt = new Int32Array(program.length).fill(-1);
  for (let position = start; position <= text.length; position++) {
    const entered: number[] = [];
    const pending = current;
    if (position === start || !anchored) pending.push(0);
    if (follow(program, pending, position, text, seenAt, entered, budget)) return true;
    if (position === text.length) return false;
    const character = text[position] as string;
    const codePoint = character.codePointAt(0) ?? 0;
    current = [];
    for (const at of entered) {
      const instruction = program[at] as { op: 'atom'; matches: Atom };
      if (instruction.matches(codePoint, character)) current.push(at + 1);
    }
    if (anchored && current.length === 0) return false;
  }
  return false;
}

/** Follows all instructions that consume nothing; true if the match instruction is reached. */
function follow(
  program: Instruction[],
  pending: number[],
  position: number,
  text: string[],
  seenAt: Int32Array,
  entered: number[],
  budget: Budget,
): boolean {
  let steps = 1;
  while (pending.length > 0) {
    const at = pending.pop() as number;
    if (seenAt[at] === position) continue;
    seenAt[at] = position;
    steps++;
    const instruction = program[at] as Instruction;
    switch (instruction.op) {
      case 'match':
        budget.spend(steps >> 1);
        return true;
      case 'jump':
        pending.push(instruction.to);
        break;
      case 'split':
        pending.push(instruction.second, instruction.first);
        break;
      case 'assert':
        if (instruction.holds(text[position - 1] ?? '', text[position] ?? '')) pending.push(at + 1);
        break;
      case 'look':
        if (search(instruction.program, text, position, true, budget) !== instruction.negative)
          pending.push(at + 1);
        break;
      case 'atom':
        entered.push(at);
    }
  }
  budget.spend(1 + (steps >> 1));
  return false;
}

function isWord(character: string): boolean {
  return /^\w$/.test(character);
}
