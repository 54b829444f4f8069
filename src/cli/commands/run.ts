import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import type { z } from 'zod';
import { defaultServerSlug } from '../../domain/server.ts';
import type { scriptRoutes } from '../../http/contract/scripts.ts';
import { counted } from '../../lib/text/amounts.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, oneWord, text, UsageError } from '../command.ts';

type RunAnswer = z.output<(typeof scriptRoutes.run)['reply']>;

/** Runs a script against a server. */
export const run: Command = {
  summary: 'run a script that calls tools',
  usage: 'FILE [--server SLUG]',
  options: {
    server: {
      type: 'string',
      value: 'SLUG',
      about: 'The server whose tools it calls; by default the default server.',
    },
  },
  needsStore: true,
  examples: [
    'handrail run report.ts --server shop',
    'handrail run - < report.js',
    'handrail run report.ts --json',
  ],
  run(input) {
    const file = oneWord(input, 'the file');
    return withAdminClient(input, async (client) => {
      const server = text(input, 'server') ?? defaultServerSlug;
      const code = await readScript(file);
      const path = `/servers/${encodeURIComponent(server)}/run`;
      const answer = await client.request<RunAnswer>('POST', path, { code, surface: 'cli' });
      if (input.json) input.print(JSON.stringify(answer));
      else showResult(answer, input.print, input.printError);
      return answer.ok ? exitCode.ok : exitCode.failed;
    });
  },
};

function showResult(
  { result, error, printed, shown, calls, durationMs, tokens }: RunAnswer,
  print: (line: string) => void,
  printError: (line: string) => void,
): void {
  for (const line of [...printed, ...shown]) printError(line);
  if (error !== undefined) {
    const where = error.line === undefined ? '' : ` (line ${error.line})`;
    printError(`handrail: ${error.message}${where}`);
  } else if (result !== '') print(readable(result));
  const saved =
    tokens.direct > tokens.result ? `; ${tokens.direct} tokens of replies became ${tokens.result}` : '';
  printError(`${counted(calls.length, 'call')} in ${Math.round(durationMs)} ms${saved}`);
}

function readable(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

async function readScript(file: string): Promise<string> {
  if (file === '-') return readStream(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UsageError(`the file ${file} cannot be read`);
  }
}
