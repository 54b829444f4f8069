/** One event of a stream. */
export interface StreamEvent {
  readonly name: string;
  readonly text: string;
}

/** Cuts a server-sent event stream (WHATWG HTML, section 9.2) into events, however its bytes arrive. */
export function eventCutter(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let rest = '';
  let name = 'message';
  let lines: string[] = [];
  const take = (line: string) => {
    if (line === '') {
      if (lines.length > 0) onEvent({ name, text: lines.join('\n') });
      name = 'message';
      lines = [];
    } else if (line.startsWith('event:')) name = line.slice(6).trimStart();
    else if (line.startsWith('data:')) lines.push(line.slice(5).replace(/^ /, ''));
  };
  return (piece) => {
    const parts = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    for (const line of parts) take(line);
  };
}
