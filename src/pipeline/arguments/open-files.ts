import type { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import type { FetchedFile, OpenedFiles, ReadableFile } from '../files.ts';
import type { Arguments } from './checked-arguments.ts';
import type { Call, CallFiles } from '../call.ts';
import type { FileValues } from '../compiled-tool.ts';
import { inlineFileBytes } from './file-argument.ts';

/** The files of a call, and how to release those that were fetched for this call only. */
export interface OpenedCallFiles {
  readonly opened: OpenedFiles;
  release(): Promise<void>;
}

// A shorter text cannot exceed the limit, so it need not be decoded to find out.
const maxBytesPerCharacter = 3;

/**
 * Opens the files that arguments refer to by handle or URL; a file inside an argument is read where the body is written.
 * If one of them is not available, the call fails before anything is sent.
 */
export async function openFiles(
  call: Call,
  args: Arguments,
  fileValues: FileValues,
  files: CallFiles,
  deadlineMs: number,
): Promise<OpenedCallFiles> {
  const opened = new Map<string, ReadableFile>();
  const fetched: FetchedFile[] = [];
  const release = async (): Promise<void> => {
    // What cannot be removed now is removed when it expires.
    await Promise.allSettled(fetched.map((file) => file.discard()));
  };
  try {
    for (const { name, value } of fileValues(args)) {
      if (opened.has(value)) continue;
      const handle = files.handleIn(value);
      if (handle !== null) {
        const file = await files.open(call, handle);
        if (file === null) throw noFileUnderHandleError(name);
        opened.set(value, file);
      } else if (/^https?:/i.test(value)) {
        const file = await files.fetch(call, value, deadlineMs);
        fetched.push(file);
        opened.set(value, file);
      } else if (
        value.length * maxBytesPerCharacter > files.maxBytes &&
        inlineFileBytes(value, name) > files.maxBytes
      ) {
        throw inlineFileTooLargeError(name, files.maxBytes);
      }
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { opened, release };
}

function inlineFileTooLargeError(name: string, maxBytes: number): HandrailError {
  return pipelineErrors.argumentFileTooLarge(
    { argument: name, maxBytes },
    { problems: [{ path: `/${name}`, message: 'is too large' }], notSent: true },
  );
}

// The same error for every cause, so that no one can find out whether someone else's handle exists.
function noFileUnderHandleError(name: string): HandrailError {
  return pipelineErrors.noFileUnderHandle(
    { argument: name },
    { problems: [{ path: `/${name}`, message: 'does not refer to a file' }], notSent: true },
  );
}
