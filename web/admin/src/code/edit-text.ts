/** Replaces part of a field as if typed, so that it can be undone. */
export function replaceText(area: HTMLTextAreaElement, from: number, to: number, text: string): void {
  area.focus();
  area.setSelectionRange(from, to);
  // The only way to write that the browser's undo can revert.
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, from, to, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

/** The indentation of a new line: as on the line before, plus one level after an open bracket. */
export function indentAfter(text: string, caret: number): string {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  const indent = line.slice(0, line.length - line.trimStart().length);
  return /[{([]$/.test(line.trimEnd()) ? `${indent}  ` : indent;
}

/** The start and end offset of a line, counted from one. */
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
