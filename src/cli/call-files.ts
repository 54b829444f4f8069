import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { z } from 'zod';
import { cliErrors } from '../domain/error-messages/cli.ts';
import { filePlaces } from '../domain/places/file-places.ts';
import type { toolResource, toolRoutes } from '../http/contract/tools.ts';
import { errorCode } from '../lib/thrown-errors.ts';
import { sizeText } from '../lib/text/amounts.ts';
import type { AdminClient } from './admin-client.ts';
import { UsageError } from './command.ts';

// How many bytes of files fit into the arguments of one call; beyond that, the gateway would reject it as too large.
const maxInlineBytes = 2 * 1024 * 1024;

type ShownTool = z.output<typeof toolResource>;
type UploadPlace = z.output<(typeof toolRoutes.requestUpload)['reply']>;

/** A file that the gateway stores instead of including it in the response. */
export type KeptFile = NonNullable<z.output<(typeof toolRoutes.call)['reply']>['file']>;

/** Turns local files into arguments: small ones become `data:` URLs, large ones are uploaded and passed by handle. */
export async function fileArguments(
  client: AdminClient,
  given: readonly string[],
  call: { readonly path: string; readonly server: string | undefined },
): Promise<Record<string, string>> {
  const args: Record<string, string> = {};
  let inlineBytes = 0;
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--file ${pair} is not NAME=PATH`);
    const name = pair.slice(0, equals);
    const path = pair.slice(equals + 1);
    const bytes = await sizeOf(path);
    if (inlineBytes + bytes > maxInlineBytes) {
      args[name] = await upload(client, call, name, path, bytes);
      continue;
    }
    inlineBytes += bytes;
    args[name] = await dataUrl(path);
  }
  return args;
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch {
    throw unreadableFileError(path);
  }
  throw new UsageError(`${path} is not a file`);
}

function unreadableFileError(path: string): UsageError {
  return new UsageError(`the file ${path} cannot be read`);
}

async function dataUrl(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch {
    throw unreadableFileError(path);
  }
  return `data:application/octet-stream;name=${encodeURIComponent(basename(path))};base64,${bytes.toString('base64')}`;
}

async function upload(
  client: AdminClient,
  call: { readonly path: string; readonly server: string | undefined },
  name: string,
  path: string,
  bytes: number,
): Promise<string> {
  const tool = await client.request<ShownTool>('GET', call.path);
  if (filePlaces(tool.operation).get(name)?.fields !== null)
    throw new UsageError(
      `${path} is ${sizeText(bytes)}, but the argument ${name} of ${tool.name} is text, not a file, and takes at most ${sizeText(maxInlineBytes)}`,
    );
  const { server } = call;
  const place = await client.request<UploadPlace>('POST', '/uploads', {
    surface: 'cli',
    ...(server !== undefined && { server }),
  });
  if (bytes > place.maxBytes)
    throw new UsageError(
      `${path} is ${sizeText(bytes)}, but the gateway accepts files of up to ${sizeText(place.maxBytes)} (HANDRAIL_MAX_FILE_BYTES)`,
    );
  const file = createReadStream(path);
  const sent = await Promise.allSettled([
    client.sendFile<{ readonly bytes: number }>(
      `${place.path}?name=${encodeURIComponent(basename(path))}`,
      file,
    ),
  ]);
  file.destroy();
  if (file.errored) throw unreadableFileError(path);
  const [outcome] = sent;
  if (outcome.status === 'rejected') throw outcome.reason;
  return place.handle;
}

/** Streams a stored file to a new local file; removes it again if the download is incomplete. */
export async function saveFile(client: AdminClient, path: string, kept: KeptFile): Promise<void> {
  const content = await client.receiveFile(kept.path);
  const target = await open(path, 'wx').catch((error: unknown) => {
    content.destroy();
    throw errorCode(error) === 'EEXIST'
      ? new UsageError(`${path} already exists`)
      : unwritableFileError(path);
  });
  let isComplete = false;
  try {
    const hash = createHash('sha256');
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await target.writeFile(chunk).catch(() => {
        throw unwritableFileError(path);
      });
    }
    isComplete = hash.digest('hex') === kept.sha256;
  } catch (error) {
    throw error instanceof UsageError ? error : cliErrors.downloadIncomplete({ handle: kept.handle });
  } finally {
    await target.close();
    if (!isComplete) await rm(path, { force: true });
  }
  if (!isComplete) throw cliErrors.downloadIncomplete({ handle: kept.handle });
}

function unwritableFileError(path: string): UsageError {
  return new UsageError(`${path} cannot be written`);
}
