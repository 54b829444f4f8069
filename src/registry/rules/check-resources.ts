import type { Problem } from '../../domain/errors.ts';
import { refusal } from '../../domain/refusal.ts';
import { resource as resourceSchema, type Server, type ServerResource } from '../../domain/server.ts';
import type { Tool } from '../../domain/tool.ts';
import { fits } from '../../lib/schema/problems.ts';
import { parseUriTemplate, type UriTemplate } from '../../lib/text/uri-template.ts';
import type { Snapshot } from '../snapshot.ts';

/** Refuses resources whose tools could not be read as their addresses promise. */
export function checkResources(snapshot: Snapshot, resources: NonNullable<Server['resources']>): void {
  const problems = resources.flatMap((resource, at) => resourceProblems(snapshot, resource, at));
  if (problems.length > 0) throw refusal('The resources cannot be saved', problems);
}

const problem = (path: string, message: string): Problem => ({ path, message });

function resourceProblems(snapshot: Snapshot, resource: ServerResource, at: number): Problem[] {
  const path = `/resources/${at}`;
  // What is wrong with a resource by itself is told when the server is checked as a whole.
  if (resource.toolId === undefined || !fits(resourceSchema, resource)) return [];
  const tool = snapshot.tools.get(resource.toolId) ?? snapshot.gone.get(resource.toolId);
  if (!tool) return [problem(`${path}/toolId`, 'names a tool that does not exist')];
  return toolProblems(tool, parseUriTemplate(resource.uri), path);
}

function toolProblems(tool: Tool, template: UriTemplate, path: string): Problem[] {
  const { method, parameters } = tool.operation;
  if (method !== 'GET')
    return [
      problem(`${path}/toolId`, `names ${tool.name}, which is not a GET tool: reading must change nothing`),
    ];
  const shown = parameters.filter(({ hidden, fixed }) => !hidden && fixed === undefined);
  const extra = template.names.filter((name) => !shown.some((parameter) => parameter.name === name));
  const missing = shown.filter(
    (parameter) =>
      parameter.required && parameter.default === undefined && !template.names.includes(parameter.name),
  );
  return [
    ...extra.map((name) =>
      problem(`${path}/uri`, `has the place {${name}}, but ${tool.name} has no such argument`),
    ),
    ...missing.map(({ name }) =>
      problem(`${path}/uri`, `needs a place {${name}}: ${tool.name} cannot do without it`),
    ),
  ];
}
