// Control characters except tab and line ends; invisible marks that change what is read (zero-width space, direction
// overrides, byte-order mark); and Unicode's tag characters and supplementary variation selectors, in which whole
// sentences can be hidden. Joiners stay: Persian, Indic scripts and emoji need them, though never two in a row.
const invisible =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- matching these is the point
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]|[\u200c\u200d]{2,}/gu;

/** Removes control and invisible characters from text that a model will read. */
export function cleanText(text: string): string {
  invisible.lastIndex = 0;
  return invisible.test(text)
    ? text.replace(invisible, (found) => (found === '\u2028' || found === '\u2029' ? '\n' : ''))
    : text;
}
