import { maskQuery } from '../../lib/secrets/mask-secrets.ts';
import type { Tool } from '../../domain/tool.ts';
import type { ImportOutcome, ImportRun } from '../../import/importer.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { AppContext } from '../app-context.ts';
import { costOfTools } from './costs.ts';
import { viewAuth, viewServerTemplate } from './view-parts.ts';

/** What an import found or did, as the admin API shows it. */
export async function viewImport(
  { registry, costs, config }: Pick<AppContext, 'registry' | 'costs' | 'config'>,
  { outcomes, servers }: ImportRun,
) {
  const imports = [];
  for (const outcome of outcomes) {
    const tools = toolsAfter(registry.snapshot, outcome);
    const priced = await costOfTools(costs, outcome.plan.api, tools, config.listBudget);
    imports.push(viewOutcome(outcome, priced));
  }
  return { imports, servers: servers.map(viewServer) };
}

/** The tools that an API has once a plan is applied. */
function toolsAfter(snapshot: Snapshot, { plan }: ImportOutcome): Tool[] {
  const existing = snapshot.toolsByApi.get(plan.api.id);
  return [
    ...plan.added.map(({ tool }) => tool),
    ...plan.changed.map(({ tool }) => tool),
    ...plan.removed.flatMap(({ tool, pending }) => (pending ? [tool] : [])),
    ...plan.unchanged.flatMap(({ name }) => snapshot.tools.get(existing?.get(name) ?? '') ?? []),
  ];
}

function viewServer({ slug, change, fields, notes }: ImportRun['servers'][number]) {
  return { server: slug, change, fields: [...fields], notes: [...notes] };
}

function viewOutcome(
  { plan, applied, credentialStored }: ImportOutcome,
  { cost, tokens }: Awaited<ReturnType<typeof costOfTools>>,
) {
  const named = ({ name, operation }: { readonly name: string; readonly operation: string }) => ({
    tool: name,
    operation,
  });
  return {
    api: plan.api.slug,
    name: plan.api.name,
    isNewApi: plan.isNewApi,
    baseUrl: maskQuery(plan.api.baseUrl),
    applied,
    credentialStored,
    apiFields: [...plan.apiFields],
    added: plan.added.map((tool) => ({ ...named(tool), returns: tool.returns, pending: tool.pending })),
    changed: plan.changed.map((change) => ({
      ...named(change),
      fields: [...change.fields],
      kept: [...change.kept],
      pending: change.pending,
    })),
    removed: plan.removed.map((tool) => ({ ...named(tool), pending: tool.pending })),
    unchanged: plan.unchanged.map(named),
    report: plan.report.map(({ arguments: taken, ...line }) => {
      const own = tokens.get(line.tool ?? '');
      return {
        ...line,
        tags: [...line.tags],
        ...(taken && { arguments: [...taken] }),
        notes: [...line.notes],
        ...(own !== undefined && { tokens: own }),
      };
    }),
    cost,
    notes: [...plan.notes],
    constants: plan.constants.map(({ values, ...constant }) => ({
      ...constant,
      ...(values && { values: [...values] }),
    })),
    origins: plan.origins.map((origin) => ({ ...origin })),
    auth: viewAuth(plan.api.auth),
    authChoices: plan.authChoices.map(({ name, auth }) => ({ name, auth: viewAuth(auth) })),
    ...(plan.api.serverTemplate && { serverTemplate: viewServerTemplate(plan.api.serverTemplate) }),
  };
}
