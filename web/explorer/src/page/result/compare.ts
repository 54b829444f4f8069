/** One line of a comparison. */
export interface DiffLine {
  sign: ' ' | '-' | '+';
  text: string;
}

const maxCells = 4_000_000;

/** A line diff of two texts. Very long texts are compared as a whole. */
export function compareLines(before: string, after: string): DiffLine[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  if (left.length * right.length > maxCells) return [...left.map(lost), ...right.map(gained)];
  const common = commonLengths(left, right);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ sign: ' ', text: left[i] as string });
      i++;
      j++;
    } else if (i < left.length && (j >= right.length || at(common, i + 1, j) >= at(common, i, j + 1)))
      lines.push(lost(left[i++] as string));
    else lines.push(gained(right[j++] as string));
  }
  return lines;
}

/** For each pair of positions, how many of the remaining lines are in common. */
function commonLengths(left: string[], right: string[]): Uint32Array[] {
  const rows = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      (rows[i] as Uint32Array)[j] =
        left[i] === right[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: Uint32Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

function lost(text: string): DiffLine {
  return { sign: '-', text };
}

function gained(text: string): DiffLine {
  return { sign: '+', text };
}
