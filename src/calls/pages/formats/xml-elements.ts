import { scanMarkup } from '../../../lib/markup/scan-markup.ts';

const stepPieces = 500;
// Deeper than anyone writes; and no list stands further in than the second.
const deepest = 64;
const deepestList = 7;

/** An element that has ended. */
export interface ClosedElement {
  /** The names that lead to it, without prefixes, a slash between them. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Whether there is more to it than a text. */
  readonly isRich: boolean;
  /** What it stands in, outermost first. */
  readonly around: readonly OpenElement[];
}

interface OpenElement {
  /** As written. */
  readonly name: string;
  readonly open: string;
  readonly path: string;
  readonly from: number;
  isRich: boolean;
}

/** The elements of a text in the order in which they end; undefined now and then, for whoever waits a while between steps. */
export function* elementsOf(text: string): Generator<ClosedElement | undefined> {
  const path: OpenElement[] = [];
  let tooDeep = 0;
  let pieces = 0;
  let around: readonly OpenElement[] = [];
  const close = function* (to: number): Generator<ClosedElement> {
    const { path: names, from, isRich } = path.pop()!;
    // Siblings share what they stand in.
    if (around.length !== path.length || around.at(-1) !== path.at(-1)) around = [...path];
    if (path.length < deepestList) yield { path: names, from, to, isRich, around };
  };
  for (const piece of scanMarkup(text)) {
    if (++pieces % stepPieces === 0) yield undefined;
    if (piece.kind === 'open') {
      const parent = path.at(-1);
      if (path.length >= deepest) {
        if (!piece.empty) tooDeep++;
        continue;
      }
      if (parent !== undefined) parent.isRich = true;
      const name = piece.name.slice(piece.name.indexOf(':') + 1);
      path.push({
        name: piece.name,
        open: text.slice(piece.from, piece.to),
        path: parent === undefined ? name : `${parent.path}/${name}`,
        from: piece.from,
        isRich: piece.attributes.trim() !== '',
      });
      if (piece.empty) yield* close(piece.to);
    } else if (piece.kind === 'close') {
      if (tooDeep > 0) tooDeep--;
      else {
        const place = path.findLastIndex(({ name }) => name === piece.name);
        // What was not closed itself ends where its parent does.
        for (let left = place < 0 ? 0 : path.length - place; left > 0; left--)
          yield* close(left === 1 ? piece.to : piece.from);
      }
    }
  }
  while (path.length > 0) yield* close(text.length);
}
