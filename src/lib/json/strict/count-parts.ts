const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const openObject = 0x7b;
const quote = 0x22;
const backslash = 0x5c;

/** How much more an object member costs than a list element. */
export const partsPerMember = 4;

/**
 * Whether a JSON text has more than this many parts. The cost of reading, checking and sending a document grows
 * with its parts more than with its bytes: 4 MB of empty lists take a hundred times as long as one string of 4
 * MB. A list element is one part, a list or object two, a member four. The text doesn't have to be valid JSON.
 */
export function hasMoreParts(json: string, most: number): boolean {
  // Each part takes at least one character, and a member more.
  if (json.length <= most) return false;
  let parts = 0;
  for (let i = 0; i < json.length; i++) {
    switch (json.charCodeAt(i)) {
      case comma:
      case openList:
      case openObject:
        parts++;
        break;
      case colon:
        parts += partsPerMember - 1;
        break;
      case quote:
        i = endOfText(json, i);
        continue;
      default:
        continue;
    }
    if (parts > most) return true;
  }
  return false;
}

function endOfText(json: string, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === quote) return i;
    if (code === backslash) i++;
  }
  return json.length;
}
