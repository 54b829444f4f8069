import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { checkResource, checkRunResource } from '../../http/contract/checks.ts';
import type { modelResource } from '../../http/contract/models.ts';
import { counted } from '../../lib/text/amounts.ts';
import { eitherOf } from '../../lib/text/nearest-names.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, oneWord, text, texts, UsageError } from '../command.ts';

type Run = z.output<typeof checkRunResource>;
type Variant = Run['variants'][number];
type Result = Variant['results'][number];

const pollEveryMs = 300;

/** Runs the checks of a server; the exit code says whether they passed. */
export const check: Command = {
  summary: "run a server's saved checks against a model",
  usage: 'SERVER [--model NAME] [--check NAME]… [--draft FILE]',
  options: {
    model: {
      type: 'string',
      value: 'NAME',
      about: 'The model to use; optional if there is only one.',
    },
    check: { type: 'string', multiple: true, value: 'NAME', about: 'Only this check, by name or id.' },
    draft: {
      type: 'string',
      value: 'FILE',
      about:
        'JSON file with descriptions, instructions or an import to try: checks run with and without it, and the command fails if the draft breaks a passing check.',
    },
  },
  examples: [
    'handrail check shop',
    'handrail check shop --model small --json',
    'handrail check shop --draft proposal.json',
  ],
  run(input) {
    const server = encodeURIComponent(oneWord(input, 'the server'));
    return withAdminClient(input, async (client) => {
      const draft = await readDraft(text(input, 'draft'));
      const model = await chooseModel(client, text(input, 'model'));
      const checks = await chooseChecks(client, server, texts(input, 'check'));
      let run = await client.request<Run>('POST', `/servers/${server}/check-runs`, {
        model,
        surface: 'cli',
        ...(checks && { checks }),
        ...(draft !== undefined && { draft }),
      });
      while (run.state === 'running') {
        await delay(pollEveryMs);
        run = await client.request<Run>('GET', `/check-runs/${run.id}`);
      }
      if (input.json) input.print(JSON.stringify(run));
      else showRun(run, input.print);
      return isGood(run) ? exitCode.ok : exitCode.failed;
    });
  },
};

async function readDraft(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined;
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch {
    throw new UsageError(`the file ${file} cannot be read`);
  }
  try {
    return JSON.parse(content);
  } catch {
    throw new UsageError(`the file ${file} is not JSON`);
  }
}

async function chooseModel(client: AdminClient, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const models = await listAll<z.output<typeof modelResource>>(client, '/models');
  if (models.length === 1) return models[0]!.id;
  throw new UsageError(
    models.length === 0
      ? 'there are no models yet: add one with "handrail models add"'
      : `choose a model: --model ${eitherOf(models.map(({ name }) => JSON.stringify(name)))}`,
  );
}

async function chooseChecks(
  client: AdminClient,
  server: string,
  named: readonly string[],
): Promise<string[] | undefined> {
  if (named.length === 0) return undefined;
  const { items } = await client.request<{ items: z.output<typeof checkResource>[] }>(
    'GET',
    `/servers/${server}/checks`,
  );
  return named.map((wanted) => {
    const found = items.find(({ id, name }) => id === wanted || name === wanted);
    if (found === undefined) throw new UsageError(`the server has no check "${wanted}"`);
    return found.id;
  });
}

/** Whether all checks pass; with a draft, whether it breaks none that pass without it. */
function isGood({ state, variants }: Run): boolean {
  const [published, draft] = variants;
  if (state !== 'ended' || published === undefined) return false;
  if (draft === undefined) return published.passed === published.total && published.notRun === 0;
  return draft.notRun === 0 && brokenBy(published, draft).length === 0;
}

/** The checks that a draft breaks; what could not be asked with it is not known to be broken. */
function brokenBy(published: Variant, draft: Variant): Result[] {
  const passed = new Set(published.results.filter((result) => result.passed).map(({ checkId }) => checkId));
  return draft.results.filter(
    ({ checkId, passed: passes, reason }) =>
      !passes && reason !== 'stopped' && reason !== 'failed' && passed.has(checkId),
  );
}

function showRun({ state, model, variants }: Run, print: CommandInput['print']): void {
  for (const variant of variants) {
    if (variants.length > 1) print(variant.of === 'draft' ? 'With the draft:' : 'Published:');
    for (const { name, passed, reason, problems, tokens, calls, durationMs } of variant.results) {
      const used = `${tokens.input + tokens.output} tokens, ${calls.length} calls, ${(durationMs / 1_000).toFixed(1)} s`;
      const isOut = reason === 'stopped' || reason === 'failed';
      print(`${passed ? 'pass' : isOut ? '–   ' : 'FAIL'}  ${name} (${used})`);
      for (const problem of problems) print(`      ${problem}`);
    }
    const notRun = variant.notRun === 0 ? '' : `, ${counted(variant.notRun, 'check')} not run`;
    print(
      `${variant.passed} of ${variant.total} pass with ${model}${notRun}, version ${variant.version}${variant.cost === null ? '' : `, cost ${variant.cost.toFixed(4)}`}`,
    );
  }
  if (state === 'stopped') print('The run was stopped before it finished.');
  const [published, draft] = variants;
  if (published === undefined || draft === undefined) return;
  const broken = brokenBy(published, draft).map(({ name }) => name);
  print(
    broken.length === 0 ? 'The draft breaks no passing check.' : `The draft breaks: ${broken.join(', ')}`,
  );
}
