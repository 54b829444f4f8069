// QR codes of ISO/IEC 18004, as much as an address needs: bytes, error correction level M, versions 1 to 10.

/** Per version: data codewords, error correction codewords per block, blocks. */
const versions: readonly (readonly [data: number, check: number, blocks: number])[] = [
  [16, 10, 1],
  [28, 16, 1],
  [44, 26, 1],
  [64, 18, 2],
  [86, 24, 2],
  [108, 16, 4],
  [124, 18, 4],
  [154, 22, 4],
  [182, 22, 5],
  [216, 26, 5],
];
const alignmentCentres: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];

type Cell = 0 | 1 | null;

/** The squares of a QR code, true for dark, without the quiet zone around it; null when the text is too long for one. */
export function qrCode(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex(([data], at) => bytes.length + (at < 9 ? 2 : 3) <= data) + 1;
  if (version === 0) return null;
  const codewords = interleave(dataCodewords(bytes, version), version);
  const size = 17 + 4 * version;
  const fixed = fixedPatterns(version, size);
  let best: { squares: Cell[][]; penalty: number } | null = null;
  for (let mask = 0; mask < 8; mask++) {
    const squares = fixed.map((row) => [...row]);
    placeCodewords(squares, codewords, mask);
    placeFormat(squares, mask);
    const penalty = penaltyOf(squares);
    if (best === null || penalty < best.penalty) best = { squares, penalty };
  }
  return best!.squares.map((row) => row.map((cell) => cell === 1));
}

function dataCodewords(bytes: Uint8Array, version: number): number[] {
  const [capacity] = versions[version - 1]!;
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const words: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    words.push(bits.slice(at, at + 8).reduce((value, bit) => value * 2 + bit, 0));
  for (let pad = 0xec; words.length < capacity; pad ^= 0xfd) words.push(pad);
  return words;
}

// GF(256) with the polynomial of the standard.
const powers: number[] = [];
const logarithms: number[] = [];
for (let i = 0, value = 1; i < 255; i++) {
  powers[i] = value;
  logarithms[value] = i;
  value = value < 128 ? value * 2 : (value * 2) ^ 0x11d;
}
const multiply = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : powers[(logarithms[a]! + logarithms[b]!) % 255]!;

function checkCodewords(block: readonly number[], count: number): number[] {
  let generator = [1];
  for (let i = 0; i < count; i++) {
    const next = Array.from({ length: generator.length + 1 }, () => 0);
    generator.forEach((coefficient, at) => {
      next[at]! ^= coefficient;
      next[at + 1]! ^= multiply(coefficient, powers[i]!);
    });
    generator = next;
  }
  const rest = [...block, ...Array.from({ length: count }, () => 0)];
  for (let at = 0; at < block.length; at++) {
    const factor = rest[at]!;
    if (factor === 0) continue;
    generator.forEach((coefficient, i) => (rest[at + i]! ^= multiply(coefficient, factor)));
  }
  return rest.slice(block.length);
}

/** Cuts the data into blocks, the longer ones last, and deals them out one codeword at a time. */
function interleave(words: readonly number[], version: number): number[] {
  const [capacity, checks, count] = versions[version - 1]!;
  const short = Math.floor(capacity / count);
  const shortBlocks = count - (capacity % count);
  const blocks: number[][] = [];
  for (let i = 0, at = 0; i < count; i++) {
    const length = short + (i < shortBlocks ? 0 : 1);
    blocks.push(words.slice(at, at + length));
    at += length;
  }
  const deal = (lists: readonly number[][], length: number) =>
    Array.from({ length }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
  const checkBlocks = blocks.map((block) => checkCodewords(block, checks));
  return [...deal(blocks, short + 1), ...deal(checkBlocks, checks)];
}

/** Everything that does not depend on the text; null where it goes. */
function fixedPatterns(version: number, size: number): Cell[][] {
  const squares: Cell[][] = Array.from({ length: size }, () => Array.from({ length: size }, () => null));
  const set = (row: number, column: number, dark: boolean) => {
    if (row >= 0 && row < size && column >= 0 && column < size) squares[row]![column] = dark ? 1 : 0;
  };
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const) {
    for (let y = -1; y <= 7; y++) {
      for (let x = -1; x <= 7; x++) {
        const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3));
        set(top + y, left + x, ring !== 2 && ring !== 4);
      }
    }
  }
  const centres = alignmentCentres[version - 1]!;
  const last = centres.at(-1);
  for (const row of centres) {
    for (const column of centres) {
      // Three corners have a larger pattern already.
      if ((row === 6 && (column === 6 || column === last)) || (row === last && column === 6)) continue;
      for (let y = -2; y <= 2; y++)
        for (let x = -2; x <= 2; x++) set(row + y, column + x, Math.max(Math.abs(y), Math.abs(x)) !== 1);
    }
  }
  for (let i = 8; i < size - 8; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  // Room for the format, filled later; one square is always dark.
  for (let i = 0; i < 9; i++) {
    if (squares[8]![i] === null) set(8, i, false);
    if (squares[i]![8] === null) set(i, 8, false);
    if (i < 8) {
      set(8, size - 1 - i, false);
      set(size - 1 - i, 8, false);
    }
  }
  set(size - 8, 8, true);
  if (version >= 7) placeVersion(version, size, set);
  return squares;
}

function placeVersion(
  version: number,
  size: number,
  set: (row: number, column: number, dark: boolean) => void,
): void {
  const bits = withRemainder(version, 12, 0x1f25);
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >> i) & 1) === 1;
    set(Math.floor(i / 3), size - 11 + (i % 3), dark);
    set(size - 11 + (i % 3), Math.floor(i / 3), dark);
  }
}

/** A number followed by the remainder of its division, as both BCH codes of the standard are made. */
function withRemainder(value: number, length: number, divisor: number): number {
  let rest = value << length;
  for (let bit = 31 - Math.clz32(rest); bit >= length; bit = 31 - Math.clz32(rest || 1))
    rest ^= divisor << (bit - length);
  return (value << length) | rest;
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

/** Up and down in columns two wide, from the right; the timing column is skipped. */
function placeCodewords(squares: Cell[][], codewords: readonly number[], mask: number): void {
  const size = squares.length;
  let at = 0;
  let upward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const row = upward ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (squares[row]![column] !== null) continue;
        const bit = ((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
        squares[row]![column] = (bit === 1) !== masks[mask]!(row, column) ? 1 : 0;
        at++;
      }
    }
    upward = !upward;
  }
}

function placeFormat(squares: Cell[][], mask: number): void {
  const size = squares.length;
  // Level M is 00 before the mask's number.
  const bits = withRemainder(mask, 10, 0x537) ^ 0x5412;
  for (let i = 0; i < 15; i++) {
    const dark = ((bits >> i) & 1) === 1 ? 1 : 0;
    if (i < 8) squares[8]![size - 1 - i] = dark;
    else squares[size - 15 + i]![8] = dark;
    if (i < 6) squares[i]![8] = dark;
    else if (i < 8) squares[i + 1]![8] = dark;
    else if (i === 8) squares[8]![7] = dark;
    else squares[8]![14 - i] = dark;
  }
}

/** How hard a reader would find it; the mask with the least is taken. */
function penaltyOf(squares: readonly (readonly Cell[])[]): number {
  const size = squares.length;
  const columns = squares.map((_, at) => squares.map((row) => row[at]!));
  let penalty = 0;
  for (const line of [...squares, ...columns]) {
    const text = line.join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    for (let at = 0; at + 11 <= size; at++) {
      const piece = text.slice(at, at + 11);
      if (piece === '10111010000' || piece === '00001011101') penalty += 40;
    }
  }
  for (let row = 0; row + 1 < size; row++)
    for (let column = 0; column + 1 < size; column++) {
      const sum =
        squares[row]![column]! +
        squares[row]![column + 1]! +
        squares[row + 1]![column]! +
        squares[row + 1]![column + 1]!;
      if (sum === 0 || sum === 4) penalty += 3;
    }
  const dark = squares.flat().filter((cell) => cell === 1).length;
  return penalty + 10 * Math.floor(Math.abs((dark * 100) / (size * size) - 50) / 5);
}
