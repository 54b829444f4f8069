import { carryAll, writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';
import { HandrailError, type Problem } from '../../domain/errors.ts';
import { actorFor } from '../../access/sign-in.ts';
import { handrailItself } from '../../domain/audit.ts';
import { parseStrictJson, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { parseStrictJsonInThread } from '../../lib/json/strict/strict-json-in-thread.ts';
import type { RouteContract, RouteInput, RouteResult, StreamedReply } from '../contract/route.ts';
import type { Gate } from './gate.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

/** A contract and its handler. */
export interface BoundRoute {
  readonly contract: RouteContract;
  readonly handle: (input: RouteInput<RouteContract>) => unknown;
}

/** Pairs a handler with its contract; the compiler checks that they fit. */
export function bind<C extends RouteContract>(
  contract: C,
  handle: (input: RouteInput<C>) => RouteResult<C> | Promise<RouteResult<C>>,
): BoundRoute {
  return { contract, handle: handle };
}

/** Serves a bound route below `/api/v1`. */
export function mountRoute(app: FastifyInstance, { contract, handle }: BoundRoute, gate: Gate): void {
  app.route({
    method: contract.method,
    url: `/api/v1${contract.path}`,
    ...(contract.maxBodyBytes !== undefined && { bodyLimit: contract.maxBodyBytes }),
    onRequest: async (request) => {
      await gate.admit(request, contract);
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      const onClose = () => gone.abort();
      reply.raw.once('close', onClose);
      const admin = gate.admitted(request);
      const browser = gate.browserOf(request, reply);
      const input: RouteInput<RouteContract> = {
        params: request.params,
        query: contract.query && parse(contract.query, request.query, 'query'),
        body: contract.body && parse(contract.body, await readJson(request, contract), 'body'),
        expectedRevision: readIfMatch(request),
        signal: gone.signal,
        traceparent: textOf(request.headers['traceparent']),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- admitted: only a public route has no admin
        admin: admin as never,
        actor: admin === null ? handrailItself : actorFor(admin, browser.address),
        browser,
      };
      const result = await handle(input);
      if (contract.stream !== undefined) {
        // A stream is authenticated only once but may last for days, so it ends when its session or token does.
        if (admin !== null) reply.raw.once('close', gate.watch(request, onClose));
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the contract of a stream makes a handler return
        return stream(reply, result as StreamedReply);
      }
      reply.raw.off('close', onClose);
      return send(request, reply, contract, result);
    },
  });
}

// A list of thousands of tools shrinks to a tenth; a short reply isn't worth the CPU.
const minCompressedBytes = 16_384;

// In the order we prefer them. Browsers offer brotli only on secure connections and on this machine.
const compressions = [
  {
    name: 'br',
    compress: (body: Buffer) =>
      promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: 'gzip', compress: (body: Buffer) => promisify(gzip)(body, { level: 6 }) },
];

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  contract: RouteContract,
  result: unknown,
): Promise<FastifyReply> {
  reply.code(contract.status).header('cache-control', 'no-store');
  if (contract.reply === undefined) return reply.send();
  const { revision } = objectOr(result);
  if (typeof revision === 'number') reply.header('etag', `"${revision}"`);
  reply.type('application/json').header('vary', 'accept-encoding');
  const body = Buffer.from(writeMarked(JSON.stringify(result)));
  const accepted = body.length < minCompressedBytes ? [] : acceptedEncodings(request);
  const compression = compressions.find(({ name }) => accepted.includes(name));
  if (compression === undefined) return reply.send(body);
  return reply.header('content-encoding', compression.name).send(await compression.compress(body));
}

function acceptedEncodings(request: FastifyRequest): string[] {
  return (textOf(request.headers['accept-encoding']) ?? '')
    .split(',', 20)
    .map((part) => part.replaceAll(' ', '').toLowerCase())
    .filter((part) => !/;q=0(?:\.0*)?$/.test(part))
    .map((part) => part.split(';', 1)[0]!);
}

function stream(reply: FastifyReply, { type, fileName, pieces }: StreamedReply): FastifyReply {
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type(type);
  if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
  return reply.send(Readable.from(pieces, { highWaterMark: 4 }));
}

const maxProblems = 50;

function parse<T extends z.ZodType>(schema: T, value: unknown, what: 'body' | 'query'): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    carryAll(value, parsed.data);
    return parsed.data;
  }
  const all = parsed.error.issues.flatMap(flatten);
  const problems = all.slice(0, maxProblems);
  if (all.length > maxProblems)
    problems.push({ path: '', message: `has ${all.length - maxProblems} more problems` });
  const lines = problems.map(
    (problem) => `${problem.path === '' ? `the ${what}` : problem.path} ${problem.message}`,
  );
  throw adminApiErrors.invalidInput({ part: what, problems: lines.join('; ') }, { problems });
}

type Issue = z.core.$ZodIssue;

function flatten(issue: Issue): Problem[] {
  const path = issue.path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: `${path}/${key}`, message: 'is not a known field' }));
  }
  return [{ path, message: sentence(issue) }];
}

function sentence(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return `is required (${issue.expected})`;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}

// Lower than the limit for call arguments: stored data is validated, compared, indexed and listed.
const maxParts = 100_000;

async function readJson(request: FastifyRequest, contract: RouteContract): Promise<unknown> {
  if (!(request.body instanceof Uint8Array) || request.body.length === 0) return {};
  try {
    return contract.takesUploads === true
      ? await parseStrictJsonInThread(request.body)
      : parseStrictJson(request.body, maxParts);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new HandrailError('invalid_request', error.message);
    throw error;
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function readIfMatch(request: FastifyRequest): number | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header === '*') return undefined;
  const revision = /^(?:W\/)?"?(\d+)"?$/.exec(header)?.[1];
  if (revision === undefined) throw adminApiErrors.invalidIfMatch();
  return Number(revision);
}
