import type { Readable, Writable } from 'node:stream';
import { parseStrictJson, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { rpcError } from '../answer.ts';

/** The maximum length of a line; a longer one is rejected and skipped. */
const maxLineBytes = 4 * 1024 * 1024;

/** Messages as lines of JSON over two streams, as in MCP's stdio transport. */
export interface LineChannel {
  /** Passes every message to the callback. Until then messages wait. */
  listen(onMessage: (message: unknown) => void): void;
  /** Writes one line. */
  write(text: string): void;
  /** Resolves when the input has ended. */
  readonly ended: Promise<void>;
}

/**
 * Reads and writes lines. Anything that isn't JSON or is too long is answered with a parse error, and anything that
 * can't be a message with an invalid request. The last line may lack its line ending.
 */
export function createLineChannel(input: Readable, output: Writable): LineChannel {
  let pieces: Buffer[] = [];
  let size = 0;
  let skipping = false;
  let begun = false;
  let waiting: unknown[] = [];
  let listener: ((message: unknown) => void) | null = null;
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));

  const write = (text: string) => void output.write(`${text}\n`);
  const refuse = (why: string) => write(rpcError(null, -32_700, `Parse error: ${why}`));

  function take(line: Buffer): void {
    // Some shells put a byte order mark before piped input.
    const text = begun ? line : withoutByteOrderMark(line);
    begun = true;
    if (text.length === 0 || (text.length === 1 && text[0] === 0x0d)) return;
    let message: unknown;
    try {
      message = parseStrictJson(text);
    } catch (error) {
      refuse(error instanceof StrictJsonError ? error.message : 'The line cannot be parsed.');
      return;
    }
    if (typeof message !== 'object' || message === null) {
      write(rpcError(null, -32_600, 'Invalid Request: a line must be one JSON-RPC message'));
      return;
    }
    if (listener) listener(message);
    else waiting.push(message);
  }

  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(0x0a, from);
      const piece = chunk.subarray(from, at === -1 ? chunk.length : at);
      size += piece.length;
      if (!skipping && size > maxLineBytes) {
        skipping = true;
        pieces = [];
        refuse(`A line may have at most ${maxLineBytes} bytes.`);
      }
      if (!skipping) pieces.push(piece);
      if (at === -1) return;
      if (!skipping) take(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
      pieces = [];
      size = 0;
      skipping = false;
      from = at + 1;
    }
  });
  input.once('end', () => {
    if (!skipping && size > 0) take(Buffer.concat(pieces));
    end();
  });
  input.once('close', end).once('error', end);
  output.on('error', end);

  return {
    listen(onMessage) {
      listener = onMessage;
      const messages = waiting;
      waiting = [];
      for (const message of messages) onMessage(message);
    },
    write,
    ended,
  };
}

function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
