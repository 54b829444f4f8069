import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { z } from 'zod';
import { HandrailError } from '../domain/errors.ts';
import { filePlaces } from '../domain/places/file-places.ts';
import type { toolResource, toolRoutes } from '../http/contract/tools.ts';
import { errorCode } from '../lib/thrown-errors.ts';
import { sizeText } from '../lib/text/amounts.ts';
import type { AdminClient } from './admin-client.ts';
import { UsageError } from './command.ts';

// What the arguments of one call hold of files: beyond it the call would be larger than a gateway takes.
const maxHeld = 2 * 1024 * 1024;

type ShownTool = z.output<typeof toolResource>;
type UploadPlace = z.output<(typeof toolRoutes.requestUpload)['reply']>;

/** A file that the gateway keeps instead of sending it along. */
export type KeptFile = NonNullable<z.output<(typeof toolRoutes.call)['reply']>['file']>;

/** Files of this machine as arguments: small ones as `data:` URLs, large ones uploaded first, by their handles. */
export async function fileArguments(
  client: AdminClient,
  given: readonly string[],
  call: { readonly path: string; readonly server: string | undefined },
): Promise<Record<string, string>> {
  const args: Record<string, string> = {};
  let held = 0;
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--file ${pair} is not NAME=PATH`);
    const name = pair.slice(0, equals);
    const path = pair.slice(equals + 1);
    const bytes = await sizeOf(path);
    if (held + bytes > maxHeld) {
      args[name] = await upload(client, call, name, path, bytes);
      continue;
    }
    held += bytes;
    args[name] = await dataUrl(path);
  }
  return args;
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch {
    throw unreadable(path);
  }
  throw new UsageError(`${path} is no file`);
}

function unreadable(path: string): UsageError {
  return new UsageError(`the file ${path} cannot be read`);
}

async function dataUrl(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch {
    throw unreadable(path);
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
      `${path} is ${sizeText(bytes)}, and ${name} of ${tool.name} is no file: at most ${sizeText(maxHeld)} can be given as its text`,
    );
  const { server } = call;
  const place = await client.request<UploadPlace>('POST', '/uploads', {
    surface: 'cli',
    ...(server !== undefined && { server }),
  });
  if (bytes > place.maxBytes)
    throw new UsageError(
      `${path} is ${sizeText(bytes)}: the gateway takes files of up to ${sizeText(place.maxBytes)} (HANDRAIL_MAX_FILE_BYTES)`,
    );
  const file = createReadStream(path);
  const sent = await Promise.allSettled([
    client.sendFile<{ readonly bytes: number }>(
      `${place.path}?name=${encodeURIComponent(basename(path))}`,
      file,
    ),
  ]);
  file.destroy();
  if (file.errored) throw unreadable(path);
  const [outcome] = sent;
  if (outcome.status === 'rejected') throw outcome.reason;
  return place.handle;
}

/** Writes a kept file to one that is not there yet, as it comes; nothing is left when not all of it came. */
export async function saveFile(client: AdminClient, path: string, kept: KeptFile): Promise<void> {
  const content = await client.receiveFile(kept.path);
  const target = await open(path, 'wx').catch((error: unknown) => {
    content.destroy();
    throw errorCode(error) === 'EEXIST' ? new UsageError(`${path} is there already`) : unwritable(path);
  });
  let isWhole = false;
  try {
    const hash = createHash('sha256');
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await target.writeFile(chunk).catch(() => {
        throw unwritable(path);
      });
    }
    isWhole = hash.digest('hex') === kept.sha256;
  } catch (error) {
    throw error instanceof UsageError ? error : cutOff(kept);
  } finally {
    await target.close();
    if (!isWhole) await rm(path, { force: true });
  }
  if (!isWhole) throw cutOff(kept);
}

function unwritable(path: string): UsageError {
  return new UsageError(`${path} cannot be written`);
}

function cutOff({ handle }: KeptFile): HandrailError {
  return new HandrailError(
    'unavailable',
    `The call was made, but its file did not come whole, and nothing of it was written. The gateway keeps it for a while as ${handle}.`,
  );
}
