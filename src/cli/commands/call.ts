import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import { sizeText } from '../../lib/text/amounts.ts';
import { showDone } from '../show.ts';
import type { toolResource, toolRoutes } from '../../http/contract/tools.ts';
import { allowedTypes } from '../../lib/json/schema-branches.ts';
import { type AdminClient, withAdminClient } from '../admin-client.ts';
import { fileArguments, saveFile } from '../call-files.ts';
import { type Command, type CommandInput, exitCode, oneWord, text, texts, UsageError } from '../command.ts';
import { isObject, objectOr } from '../../lib/json/plain-object.ts';

type CallAnswer = z.output<(typeof toolRoutes.call)['reply']>;

/** Calls a tool through the whole pipeline. */
export const call: Command = {
  summary: 'call a tool',
  usage:
    'TOOL [--arg NAME=VALUE]… [--args JSON] [--file NAME=PATH]… [--output FILE] [--server SLUG] [--all [--max-items COUNT]] [--wait]',
  options: {
    arg: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'One argument; NAME:=JSON for a value that is not text.',
    },
    args: { type: 'string', value: 'JSON', about: 'All arguments as one JSON object.' },
    file: {
      type: 'string',
      multiple: true,
      value: 'NAME=PATH',
      about:
        'A local file as an argument. Files over 2 MiB are uploaded first, up to HANDRAIL_MAX_FILE_BYTES.',
    },
    output: {
      type: 'string',
      value: 'FILE',
      about: 'Write the reply to this new file; a binary reply is written as raw bytes.',
    },
    server: { type: 'string', value: 'SLUG', about: 'Call it through this server.' },
    all: { type: 'boolean', about: 'Fetch all pages of a list.' },
    'max-items': {
      type: 'string',
      value: 'COUNT',
      about: 'Maximum number of records from all pages together.',
    },
    wait: { type: 'boolean', about: 'Wait until a job that the call starts is finished.' },
  },
  needsStore: true,
  examples: [
    'handrail call weather_get --arg location=Berlin',
    'handrail call search_documents --arg query=revenue --arg tags:=\'["finance"]\'',
    'handrail call add_attachment --arg issue=7 --file content=./report.pdf',
    'handrail call get_invoice --arg id=42 --output invoice.pdf',
    'handrail call list_orders --all --max-items 500 --json',
    'handrail call weather_get --args \'{"location":"Berlin"}\' --json --url http://127.0.0.1:8080',
  ],
  run(input) {
    const reference = oneWord(input, 'the tool');
    return withAdminClient(input, async (client) => {
      const path = `/tools/${encodeURIComponent(reference)}`;
      const output = text(input, 'output');
      if (output !== undefined && existsSync(output)) throw new UsageError(`${output} already exists`);
      const server = text(input, 'server');
      const given = texts(input, 'arg');
      const tool =
        given.length === 0 ? null : await client.request<z.output<typeof toolResource>>('GET', path);
      const args = {
        ...readArguments(given, text(input, 'args'), tool?.inputSchema ?? {}),
        ...(await fileArguments(client, texts(input, 'file'), { path, server })),
      };
      const body = {
        arguments: args,
        surface: 'cli',
        ...(server !== undefined && { server }),
        ...followUp(input),
      };
      // A traced program passes its trace to child processes in this variable.
      const traceparent = process.env['TRACEPARENT'];
      const headers = { ...(traceparent !== undefined && { traceparent }) };
      const answer = await client.request<CallAnswer>('POST', `${path}/call`, body, headers);
      if (answer.ok && output !== undefined) return await writeReply(input, client, output, answer);
      if (input.json) input.print(JSON.stringify(answer));
      else if (answer.ok) input.print(answer.content.map(readable).join('\n'));
      else if (answer.waiting) input.printError(`handrail: ${answer.content.map(readable).join('\n')}`);
      else input.printError(`handrail: ${answer.error?.message ?? 'the call failed'}`);
      return answer.ok ? exitCode.ok : answer.waiting ? exitCode.waiting : exitCode.failed;
    });
  },
};

/** Writes the reply to a file: raw bytes for a binary reply, otherwise its text. */
async function writeReply(
  input: CommandInput,
  client: AdminClient,
  path: string,
  answer: CallAnswer,
): Promise<number> {
  const written = (bytes: number): number =>
    showDone(input, `${path}: ${sizeText(bytes)}`, { callId: answer.callId, file: path, bytes });
  if (answer.file !== undefined) {
    await saveFile(client, path, answer.file);
    return written(answer.file.bytes);
  }
  const bytes = bytesOf(answer.content);
  try {
    await writeFile(path, bytes, { flag: 'wx' });
  } catch {
    throw new UsageError(`${path} cannot be written`);
  }
  return written(bytes.length);
}

function bytesOf(content: CallAnswer['content']): Buffer {
  for (const part of content) {
    const { blob } = objectOr(part['resource']);
    const { data } = part;
    if (typeof data === 'string') return Buffer.from(data, 'base64');
    if (typeof blob === 'string') return Buffer.from(blob, 'base64');
  }
  return Buffer.from(content.map(readable).join('\n'));
}

function followUp(input: CommandInput): Record<string, unknown> {
  const maxItems = text(input, 'max-items');
  if (maxItems !== undefined && !/^[1-9]\d{0,8}$/.test(maxItems))
    throw new UsageError(`--max-items ${maxItems} is not a whole number above 0`);
  if (maxItems !== undefined && input.options['all'] !== true)
    throw new UsageError('--max-items limits how much --all fetches: give both or neither');
  return {
    ...(input.options['all'] === true && { all: true }),
    ...(maxItems !== undefined && { maxItems: Number(maxItems) }),
    ...(input.options['wait'] === true && { wait: true }),
  };
}

function readArguments(
  given: readonly string[],
  all: string | undefined,
  inputSchema: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = all === undefined ? {} : parseObject(all);
  const properties = objectOr(inputSchema['properties']);
  for (const pair of given) {
    const match = /^([^=]+?)(:?=)(.*)$/s.exec(pair);
    if (match === null) throw new UsageError(`--arg ${pair} is not NAME=VALUE`);
    const [, name = '', operator, value = ''] = match;
    args[name] =
      operator === ':='
        ? parseJson(value, `--arg ${name}`)
        : readValue(value, allowedTypes(properties[name], inputSchema['$defs']));
  }
  return args;
}

/** Text stays text unless the tool's schema requires another type and the text parses as JSON. */
function readValue(value: string, types: ReadonlySet<string> | null): unknown {
  if (types === null || types.has('string')) return value;
  try {
    return parseMarked(value);
  } catch {
    return value;
  }
}

function parseObject(json: string): Record<string, unknown> {
  const value = parseJson(json, '--args');
  if (!isObject(value)) throw new UsageError('--args must be a JSON object');
  return { ...value };
}

function parseJson(json: string, what: string): unknown {
  try {
    return parseMarked(json);
  } catch {
    throw new UsageError(`${what} is not valid JSON`);
  }
}

function readable(part: Record<string, unknown>): string {
  if (part['type'] === 'text') return String(part['text']);
  const { mimeType } = (part['resource'] ?? part) as { mimeType?: string };
  return `[${mimeType ?? 'binary'}; use --output FILE for its bytes]`;
}
