import type { z } from 'zod';
import type { importResult, importRoutes } from '../http/contract/imports.ts';
import { counted } from '../lib/text/amounts.ts';
import type { CommandInput } from './command.ts';

type ImportView = z.output<typeof importResult>;
type ServerView = z.output<typeof importRoutes.run.reply>['servers'][number];

/** The result of an import, as returned by the admin API. */
export interface ImportsView {
  readonly imports: ImportView[];
  readonly servers: ServerView[];
}

/** Prints what an import did or would do; `alsoRead` lists included files. */
export function showImports(
  input: CommandInput,
  { imports, servers }: ImportsView,
  alsoRead: readonly string[] = [],
): void {
  if (input.json) {
    input.print(JSON.stringify({ ...asJson(imports, servers), ...(alsoRead.length > 0 && { alsoRead }) }));
    return;
  }
  if (alsoRead.length > 0) input.print(`also read: ${alsoRead.join(', ')}`);
  for (const one of imports) printImport(one, input);
  for (const { server, change } of servers) input.print(`server ${server}: ${change}`);
  for (const note of servers.flatMap(({ notes }) => notes)) input.print(`! ${noteLine(note)}`);
}

/** The stable form of `--json`. */
function asJson(imports: readonly ImportView[], servers: readonly ServerView[]): object {
  const withServers = servers.length > 0 && {
    servers: servers.map(({ server, change }) => ({ server, change })),
  };
  const one = (view: ImportView) => ({
    api: view.api,
    applied: view.applied,
    credentialStored: view.credentialStored,
    added: view.added.map(({ tool }) => tool),
    changed: view.changed.map(({ tool, fields, kept, pending }) => ({ tool, fields, kept, pending })),
    removed: view.removed.map(({ tool }) => tool),
    unchanged: view.unchanged.map(({ tool }) => tool),
    report: view.report.map(({ operation, tool, tokens, fidelity, selected, notes }) => ({
      operation,
      tool,
      ...(tokens !== undefined && { tokens }),
      fidelity,
      selected,
      notes: notes.map(noteLine),
    })),
    waiting: [...view.added, ...view.changed, ...view.removed].flatMap(({ tool, pending }) =>
      pending ? [tool] : [],
    ),
    notes: view.notes.map(noteLine),
    cost: view.cost,
    auth: view.auth,
    constants: view.constants,
    ...(view.origins.length > 0 && { origins: view.origins }),
    ...(view.serverTemplate && { serverTemplate: view.serverTemplate }),
  });
  const all = imports.map(one);
  if (all.length === 1) return { ...all[0]!, ...withServers };
  return {
    api: all.map(({ api }) => api).join(','),
    applied: all.every(({ applied }) => applied),
    added: all.flatMap(({ added }) => added),
    changed: all.flatMap(({ changed }) => changed),
    removed: all.flatMap(({ removed }) => removed),
    unchanged: all.flatMap(({ unchanged }) => unchanged),
    report: all.flatMap(({ report }) => report),
    notes: all.flatMap(({ notes }) => notes),
    apis: all,
    ...withServers,
  };
}

function noteLine({ message, at }: { message: string; at?: string | undefined }): string {
  return at === undefined ? message : `${message} (${at})`;
}

function printImport(view: ImportView, input: CommandInput): void {
  const chosen = view.report.filter((line) => line.selected);
  const count = (fidelity: string): number => chosen.filter((line) => line.fidelity === fidelity).length;
  input.print(
    `${view.api}: ${view.added.length} added, ${view.changed.length} changed, ${view.removed.length} removed, ${view.unchanged.length} unchanged${view.applied ? '' : ' (not applied)'}`,
  );
  input.print(
    `${counted(chosen.length, 'operation')}: ${count('exact')} exact, ${count('noted')} with notes, ${count('skipped')} not imported`,
  );
  printCost(view, input);
  for (const { tool, fields, kept, pending } of view.changed) {
    input.print(`~ ${tool}${pending ? ' (waiting for approval)' : ''}`);
    for (const field of fields.slice(0, 20))
      input.print(
        `    ${field.path}: ${brief(field.before)} → ${brief(field.after)}${kept.includes(field.path) ? ' (your edit is kept)' : ''}`,
      );
  }
  for (const { tool, operation, returns, pending } of view.added.filter((one) => one.returns || one.pending))
    input.print(
      `+ ${tool} (${operation})${returns ? ', returned with its old settings' : ''}${pending ? ' (waiting for approval)' : ''}`,
    );
  for (const { tool, operation, pending } of view.removed)
    input.print(`- ${tool} (${operation})${pending ? ' (stays until its removal is approved)' : ''}`);
  for (const { operation, notes } of view.report)
    for (const note of notes.filter(({ code }) => code === 'left_out_by_you'))
      input.print(`o ${operation}: ${note.message}`);
  for (const note of view.notes) input.print(`! ${noteLine(note)}`);
  for (const line of chosen.filter(({ fidelity }) => fidelity === 'skipped'))
    input.print(`x ${line.operation}: ${line.notes.map(noteLine).join('; ')}`);
  const noted = chosen.filter(({ fidelity }) => fidelity === 'noted');
  for (const line of noted.slice(0, 20))
    input.print(`* ${line.operation}: ${line.notes.map(noteLine).join('; ')}`);
  if (noted.length > 20) input.print(`  … and ${noted.length - 20} more with notes; --json shows all.`);
  const waiting = [...view.added, ...view.changed, ...view.removed].filter(({ pending }) => pending);
  if (waiting.length > 0)
    input.print(
      `${counted(waiting.length, 'tool')} ${waiting.length === 1 ? 'is' : 'are'} waiting for approval: handrail approvals ${view.api}`,
    );
  if (view.credentialStored) input.print('The credential in the document was stored for the API.');
}

/** The selected operations that could not become tools, each with the reason; the first few of them. */
export function leftOut(imports: readonly ImportView[], max: number): { count: number; lines: string[] } {
  const skipped = imports
    .flatMap(({ report }) => report)
    .filter(({ selected, fidelity }) => selected && fidelity === 'skipped');
  const lines = skipped
    .slice(0, max)
    .map(({ operation, notes }) => `${operation}: ${notes.map(noteLine).join('; ')}`);
  if (skipped.length > max) lines.push(`… and ${skipped.length - max} more`);
  return { count: skipped.length, lines };
}

const shownShares = 5;

/** Prints the token cost of the tools, the resulting mode, and the largest shares. */
function printCost({ cost, report }: ImportView, input: CommandInput): void {
  if (cost.tools === 0) return;
  const tokenText = (tokens: number): string =>
    `${tokens.toLocaleString('en')} ${tokens === 1 ? 'token' : 'tokens'}`;
  const auto =
    cost.servedAs === 'search'
      ? `over the budget of ${cost.budget.toLocaleString('en')}, so a server with just these uses search mode, at ${tokenText(cost.search)}`
      : `a server with just these lists them; search mode would cost ${tokenText(cost.search)}`;
  input.print(
    `${counted(cost.tools, 'tool')} cost ${tokenText(cost.direct)} in a list: ${auto} (--json shows each)`,
  );
  if (cost.servedAs === 'direct') return;
  const largest = (of: readonly { name: string; tokens: number }[]): string =>
    of
      .slice(0, shownShares)
      .map(({ name, tokens }) => `${name} ${tokens.toLocaleString('en')}`)
      .join(', ');
  if (cost.tags.length > 1) input.print(`  largest by tag: ${largest(cost.tags)}`);
  const priced = report.flatMap(({ tool, tokens }) =>
    tool === null || tokens === undefined ? [] : [{ name: tool, tokens }],
  );
  input.print(`  largest by tool: ${largest(priced.sort((one, other) => other.tokens - one.tokens))}`);
}

function brief(value: unknown): string {
  const shown = value === undefined ? '–' : JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown;
}
