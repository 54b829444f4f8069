import { scanMarkup } from '../../../lib/markup/scan-markup.ts';

const stepPieces = 500;
// Deeper than any real document; no list is nested deeper than the second.
const maxDepth = 64;
const maxListDepth = 7;

/** An element with its end. */
export interface ClosedElement {
  /** The element names that lead to it, without prefixes, separated by slashes. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Whether it has attributes or child elements, and not only text. */
  readonly isRich: boolean;
  /** Its ancestors, outermost first. */
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

/**
 * The elements of a text in the order in which they end, with an occasional undefined at which the caller may pause.
 */
export function* elementsOf(text: string): Generator<ClosedElement | undefined> {
  const path: OpenElement[] = [];
  let tooDeep = 0;
  let pieces = 0;
  let around: readonly OpenElement[] = [];
  const close = function* (to: number): Generator<ClosedElement> {
    const { path: names, from, isRich } = path.pop()!;
    // Siblings share their list of ancestors.
    if (around.length !== path.length || around.at(-1) !== path.at(-1)) around = [...path];
    if (path.length < maxListDepth) yield { path: names, from, to, isRich, around };
  };
  for (const piece of scanMarkup(text)) {
    if (++pieces % stepPieces === 0) yield undefined;
    if (piece.kind === 'open') {
      const parent = path.at(-1);
      if (path.length >= maxDepth) {
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
        // An element that was not closed ends where its parent does.
        for (let left = place < 0 ? 0 : path.length - place; left > 0; left--)
          yield* close(left === 1 ? piece.to : piece.from);
      }
    }
  }
  while (path.length > 0) yield* close(text.length);
}
