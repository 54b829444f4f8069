/** Writes over a part of a field as if it had been typed, so that it can be undone. */
export function replaceText(area: HTMLTextAreaElement, from: number, to: number, text: string): void {
  area.focus();
  area.setSelectionRange(from, to);
  // There is no other way to write what the browser's own undo takes back.
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, from, to, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

/** What a new line begins with: as far in as the one before, and further behind an open bracket. */
export function indentAfter(text: string, caret: number): string {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  const indent = line.slice(0, line.length - line.trimStart().length);
  return /[{([]$/.test(line.trimEnd()) ? `${indent}  ` : indent;
}

/** Where a line of a text begins and ends; lines count from one. */
export function rangeOfLine(text: string, line: number): { readonly from: number; readonly to: number } {
  let from = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', from);
    if (end === -1) break;
    from = end + 1;
  }
  const end = text.indexOf('\n', from);
  return { from, to: end === -1 ? text.length : end };
}
