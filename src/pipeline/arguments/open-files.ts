import { HandrailError } from '../../domain/errors.ts';
import type { FetchedFile, OpenedFiles, ReadableFile } from '../files.ts';
import type { Arguments } from './checked-arguments.ts';
import type { Call, CallFiles } from '../call.ts';
import type { FileValues } from '../compiled-tool.ts';
import { heldBytes } from './file-argument.ts';

/** The files of a call, and how those that were read for it alone are let go. */
export interface FilesOfCall {
  readonly opened: OpenedFiles;
  release(): Promise<void>;
}

// What is shorter need not be read to know that it is no larger.
const maxPerCharacter = 3;

/**
 * Opens the files that arguments name by a handle or by an address; what an argument holds itself is read where the body
 * is written. Nothing has been sent yet when one of them cannot be had.
 */
export async function openFiles(
  call: Call,
  args: Arguments,
  fileValues: FileValues,
  files: CallFiles,
  deadlineMs: number,
): Promise<FilesOfCall> {
  const opened = new Map<string, ReadableFile>();
  const fetched: FetchedFile[] = [];
  const release = async (): Promise<void> => {
    // What cannot be taken away now goes when its time is over.
    await Promise.allSettled(fetched.map((file) => file.discard()));
  };
  try {
    for (const { name, value } of fileValues(args)) {
      if (opened.has(value)) continue;
      const handle = files.handleIn(value);
      if (handle !== null) {
        const file = await files.open(call, handle);
        if (file === null) throw noFile(name);
        opened.set(value, file);
      } else if (/^https?:/i.test(value)) {
        const file = await files.fetch(call, value, deadlineMs);
        fetched.push(file);
        opened.set(value, file);
      } else if (value.length * maxPerCharacter > files.maxBytes && heldBytes(value, name) > files.maxBytes) {
        throw heldTooLarge(name, files.maxBytes);
      }
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { opened, release };
}

function heldTooLarge(name: string, maxBytes: number): HandrailError {
  return new HandrailError(
    'invalid_arguments',
    `${name}: the file is larger than the limit of ${maxBytes} bytes. The operator can raise it (HANDRAIL_MAX_FILE_BYTES).`,
    { problems: [{ path: `/${name}`, message: 'is too large' }], notSent: true },
  );
}

// Alike for all of them: nobody learns whether a handle that is not theirs is one.
function noFile(name: string): HandrailError {
  return new HandrailError(
    'invalid_arguments',
    `${name}: there is no file under this handle. Nothing was uploaded there yet, its time is over, or it is not yours.`,
    { problems: [{ path: `/${name}`, message: 'names no file' }], notSent: true },
  );
}
