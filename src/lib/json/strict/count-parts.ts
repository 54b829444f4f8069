const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const openObject = 0x7b;
const quote = 0x22;
const backslash = 0x5c;

/** How much more a member of an object costs than an element of a list. */
export const partsPerMember = 4;

/**
 * Whether a JSON text has more parts than that. What reading, checking and sending a document costs grows with its parts
 * more than with its bytes: four megabytes of empty lists take a hundred times as long as one text of four megabytes. An
 * element of a list is one part, a list or object two, a member four. The text may be no JSON at all.
 */
export function hasMoreParts(json: string, most: number): boolean {
  // Each part takes a character at least, a member more.
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
