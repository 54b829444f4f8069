import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStillCaller } from '../../access/ended-callers.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { type ErrorCode, HandrailError, toHandrailError } from '../../domain/errors.ts';
import { holdWhileSending } from '../../lib/memory/hold-while-sending.ts';
import { heldWhileWriting } from '../../replies/files/file-writer.ts';
import { type KeptReply, toolIdsOf, type UploadPlace } from '../../replies/kept-replies.ts';
import type { AppContext } from '../app-context.ts';
import { findFormFile } from '../files/multipart-file.ts';
import { notSentPage, noUploadPage, uploadedPage, uploadPage } from '../files/upload-page.ts';
import { sendPage } from '../plain-page.ts';
import { findReachable } from '../find-server.ts';

type ByToken = FastifyRequest<{
  Params: { readonly token: string };
  Querystring: { readonly name?: unknown };
}>;

/** Downloads and uploads at URLs that are themselves the proof of access. Every invalid URL gets the same error. */
export function mountFileRoutes(app: FastifyInstance, context: AppContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/:token',
    exposeHeadRoute: false,
    async handler(request: ByToken, reply) {
      const kept = await openFile(context, request);
      if (kept === null) throw httpErrors.linkNotValid();
      return sendFile(request, reply, kept);
    },
  });

  app.get('/uploads/:token', async (request: ByToken, reply) => {
    const place = await openPlace(context, request);
    const nonce = randomBytes(16).toString('base64');
    const { 'accept-language': language } = request.headers;
    if (place === null) return sendPage(reply, 404, noUploadPage(language, nonce), nonce);
    const shown = {
      server: context.registry.snapshot.servers.get(place.serverId)!.name,
      maxBytes: context.config.maxFileBytes,
      expiresInMs: place.expiresAtMs - context.now(),
    };
    return sendPage(reply, 200, uploadPage(language, shown, nonce), nonce);
  });

  void app.register((scope, _options, done) => {
    // A body of any type is streamed into the store unparsed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    const route = { url: '/uploads/:token', bodyLimit: Number.MAX_SAFE_INTEGER };
    scope.route({ ...route, method: 'PUT', handler: (request: ByToken, reply) => putFile(request, reply) });
    scope.route({ ...route, method: 'POST', handler: (request: ByToken, reply) => postForm(request, reply) });
    done();
  });

  /** A file as the request body, from a script or a program. */
  async function putFile(request: ByToken, reply: FastifyReply): Promise<FastifyReply> {
    const { name } = request.query;
    const { handle, bytes, sha256 } = await receive(request, async () => ({
      name: typeof name === 'string' ? name : 'file',
      mediaType: request.headers['content-type'] ?? '',
      chunks: bodyOf(request),
    }));
    return reply.code(201).header('cache-control', 'no-store').send({ handle, bytes, sha256 });
  }

  /** A file in a form, from a browser without scripts. */
  async function postForm(request: ByToken, reply: FastifyReply): Promise<FastifyReply> {
    const nonce = randomBytes(16).toString('base64');
    const { 'accept-language': language } = request.headers;
    const errorPage = ({ code }: HandrailError) =>
      code === 'not_found' || code === 'conflict'
        ? noUploadPage(language, nonce)
        : notSentPage(language, nonce, pageReasons[code] ?? 'failed', context.config.maxFileBytes);
    try {
      await receive(request, async () => {
        const file = await findFormFile(bodyOf(request), request.headers['content-type'] ?? '');
        if (file === null) throw httpErrors.formWithoutFile();
        return file;
      });
    } catch (thrown) {
      const error = toHandrailError(thrown);
      if (error.code === 'internal') throw error;
      return sendPage(reply, error.status, errorPage(error), nonce);
    }
    return sendPage(reply, 201, uploadedPage(language, nonce), nonce);
  }

  async function receive(
    request: ByToken,
    find: () => Promise<{
      readonly name: string;
      readonly mediaType: string;
      readonly chunks: AsyncIterable<Buffer>;
    }>,
  ) {
    const place = await openPlace(context, request);
    if (place === null) throw httpErrors.linkNotValid();
    if (Number(request.headers['content-length']) > context.config.maxFileBytes + formOverhead)
      throw httpErrors.fileTooLarge({ maxBytes: context.config.maxFileBytes });
    const file = await place.receive();
    try {
      const given = await find();
      for await (const chunk of given.chunks) await file.write(chunk);
      return await file.finish({ name: plainName(given.name), mediaType: plainType(given.mediaType) });
    } catch (error) {
      await file.discard();
      if (error instanceof HandrailError && error.code === 'reply_too_large')
        throw httpErrors.fileTooLarge({ maxBytes: context.config.maxFileBytes });
      throw error;
    }
  }
}

const pageReasons: Partial<Record<ErrorCode, 'tooLarge' | 'noneChosen'>> = {
  payload_too_large: 'tooLarge',
  invalid_input: 'noneChosen',
};

// The multipart headers and boundaries around the file.
const formOverhead = 64 * 1024;

async function openFile(context: AppContext, request: ByToken): Promise<KeptReply | null> {
  const { replies } = context;
  const handle = replies.links.read('download', request.params.token);
  const kept = handle === null ? null : await replies.kept.open(handle);
  if (kept === null) return null;
  const { callerId, head } = kept;
  const made = { serverId: head.serverId, callerId, toolIds: toolIdsOf(head) };
  return (await isStanding(context, request.raw, made)) ? kept : null;
}

async function openPlace(context: AppContext, request: ByToken): Promise<UploadPlace | null> {
  const { replies } = context;
  const handle = replies.links.read('upload', request.params.token);
  const place = handle === null ? null : await replies.kept.openUploadPlace(handle);
  return place !== null && (await isStanding(context, request.raw, { ...place, toolIds: [] })) ? place : null;
}

/**
 * Whether the caller a link was created for still has access to its server and tools, from the address of this
 * request.
 */
async function isStanding(
  context: AppContext,
  req: IncomingMessage,
  made: { readonly serverId: string; readonly callerId: string; readonly toolIds: readonly string[] },
): Promise<boolean> {
  const { registry, people, serverRules } = context;
  const { snapshot } = registry;
  if (!(await isStillCaller({ snapshot, people, serverRules, nowMs: context.now(), ...made }))) return false;
  const server = snapshot.servers.get(made.serverId)!;
  const view = findReachable(context, server.slug, req);
  if (view === undefined) return false;
  const { toolIds, callerId } = made;
  const isOperator = callerId === 'local' || callerId.startsWith('admin:');
  return (
    isOperator || toolIds.every((toolId) => view.tools.some(({ compiled }) => compiled.tool.id === toolId))
  );
}

/** Sends a file or the requested range, with headers that keep browsers from treating it as a page of ours. */
function sendFile(request: FastifyRequest, reply: FastifyReply, kept: KeptReply): FastifyReply {
  const { bytes, mediaType, name, sha256 } = kept.head;
  const range = rangeOf(request.headers.range, bytes);
  reply
    .header('content-type', mediaType || 'application/octet-stream')
    .header('content-disposition', dispositionOf(name))
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-store')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('accept-ranges', 'bytes');
  if (sha256 !== undefined) reply.header('etag', `"${sha256}"`);
  if (range === 'none') return reply.code(416).header('content-range', `bytes */${bytes}`).send();
  const { from, to } = range ?? { from: 0, to: bytes };
  reply.code(range === null ? 200 : 206).header('content-length', to - from);
  if (range !== null) reply.header('content-range', `bytes ${from}-${to - 1}/${bytes}`);
  if (request.method === 'HEAD') return reply.send();
  holdWhileSending(reply.raw, heldWhileWriting);
  return reply.send(Readable.from(kept.chunks(from, to), { objectMode: false }));
}

/** The requested range (RFC 9110 section 14.1.2); null for the whole file, and for any other kind of range. */
function rangeOf(
  header: string | undefined,
  bytes: number,
): { readonly from: number; readonly to: number } | 'none' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return from < to ? { from, to } : 'none';
}

// RFC 6266: the plain form for old clients, the extended one for all characters.
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!.replaceAll(/\p{C}/gu, '').trim().slice(0, 200);
  return last === '' || last === '.' || last === '..' ? 'file' : last;
}

function plainType(type: string): string {
  const name = type.split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(name) ? name : 'application/octet-stream';
}

function bodyOf({ body }: FastifyRequest): Readable {
  // A request without a body has no stream.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the parser of these routes returns
  return (body as Readable | undefined | null) ?? Readable.from([]);
}
