const maxNameLength = 64;
const maxNames = 20_000;

/** The names closest to an unknown one, best first; empty if none is close. */
export function nearestNames(wanted: string, names: Iterable<string>, most = 3): string[] {
  const asked = readName(wanted);
  if (asked.plain === '') return [];
  const found: { name: string; distance: number }[] = [];
  let left = maxNames;
  for (const name of names) {
    if (left-- === 0) break;
    const distance = distanceOf(asked, readName(name));
    if (distance < far) found.push({ name, distance });
  }
  return found
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

interface ReadName {
  /** Only letters and digits, in lower case. */
  readonly plain: string;
  readonly words: ReadonlySet<string>;
}

function readName(name: string): ReadName {
  const words = name
    .slice(0, maxNameLength)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]/u)
    .filter((word) => word !== '');
  return { plain: words.join(''), words: new Set(words) };
}

const far = 3;

/** 0 for the same name in another spelling, up to `far` for names with nothing in common. */
function distanceOf(a: ReadName, b: ReadName): number {
  if (a.plain === b.plain) return 0;
  if (b.plain === '') return far;
  const common = [...a.words].filter((word) => b.words.has(word)).length;
  const share = common / (a.words.size + b.words.size - common);
  if (share === 1) return 0.5;
  const [short, long] = a.plain.length < b.plain.length ? [a.plain, b.plain] : [b.plain, a.plain];
  const allowed = Math.min(5, Math.ceil(short.length / 3));
  const edits = long.length - short.length > allowed ? allowed + 1 : editsBetween(a.plain, b.plain, allowed);
  if (edits <= allowed) return 1 + edits / (allowed + 1);
  if (short.length >= 4 && long.includes(short)) return 2 - short.length / long.length;
  return share >= 0.4 ? 3 - share : far;
}

/**
 * How many letters have to be added, removed, changed or swapped with the next one; anything above `most` is
 * returned as `most + 1`. Visits only the cells near the diagonal.
 */
function editsBetween(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const now = Array.from({ length: b.length + 1 }, () => most + 1);
    if (row <= most) now[0] = row;
    let least = now[0]!;
    for (let column = Math.max(1, row - most); column <= Math.min(b.length, row + most); column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(last[column]! + 1, now[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        edits = Math.min(edits, before[column - 2]! + 1);
      now[column] = edits;
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    before = last;
    last = now;
  }
  return last[b.length]!;
}

/** Whether one name is clearly a misspelling of another: a different spelling, or a typo or two. */
export function isMisspelling(written: string, name: string): boolean {
  const [a, b] = [readName(written).plain, readName(name).plain];
  if (a === '' || a === b) return a === b;
  const allowed = Math.min(a.length, b.length) < 6 ? 1 : 2;
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > allowed) return false;
  // `line1` isn't a typo of `line2`.
  if (a.replace(/\d/g, '') === b.replace(/\d/g, '')) return false;
  return editsBetween(a, b, allowed) <= allowed;
}

/** ` Did you mean a, b or c?`, or an empty string if there is nothing to suggest. */
export function suggestion(wanted: string, names: Iterable<string>): string {
  const near = nearestNames(wanted, names);
  return near.length === 0 ? '' : ` Did you mean ${eitherOf(near)}?`;
}

/** `a`, `a or b`, `a, b or c`. */
export function eitherOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)!}`;
}
