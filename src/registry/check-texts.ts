import { HandrailError, type Problem } from '../domain/errors.ts';
import type { Server, ServerPrompt, ServerResource } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../lib/text/uri-template.ts';
import type { Snapshot } from './snapshot.ts';

/** Refuses prompts that no client could ask for as they are meant. */
export function checkPrompts(prompts: NonNullable<Server['prompts']>): void {
  refuse('prompts', [
    ...repeated(prompts, ({ name }) => name).map((at) => problem(`/prompts/${at}/name`, 'is there twice')),
    ...prompts.flatMap(promptProblems),
  ]);
}

/** Refuses resources that no client could read. */
export function checkResources(snapshot: Snapshot, resources: NonNullable<Server['resources']>): void {
  refuse('resources', [
    ...repeated(resources, ({ uri }) => uri).map((at) => problem(`/resources/${at}/uri`, 'is there twice')),
    ...resources.flatMap((resource, at) => resourceProblems(snapshot, resource, at)),
  ]);
}

function refuse(what: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const told = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new HandrailError('invalid_input', `The ${what} cannot be saved: ${told}.`, { problems });
}

const problem = (path: string, message: string): Problem => ({ path, message });

function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): number[] {
  const keys = items.map(keyOf);
  return keys.flatMap((key, at) => (keys.indexOf(key) === at ? [] : [at]));
}

function promptProblems({ arguments: args }: ServerPrompt, at: number): Problem[] {
  const path = `/prompts/${at}/arguments`;
  return [
    ...repeated(args, ({ name }) => name).map((index) => problem(`${path}/${index}/name`, 'is there twice')),
    ...args.flatMap(({ name }, index) =>
      name.trim() === name && !/[{}]/.test(name)
        ? []
        : [
            problem(
              `${path}/${index}/name`,
              'must have no braces, and no spaces around it: the text names it as {{name}}',
            ),
          ],
    ),
  ];
}

function resourceProblems(snapshot: Snapshot, resource: ServerResource, at: number): Problem[] {
  const { uri, text, toolId } = resource;
  const path = `/resources/${at}`;
  if (!/^[a-z][a-z\d+.-]*:/i.test(uri))
    return [problem(`${path}/uri`, 'must begin with a scheme, such as docs://')];
  if ((text === undefined) === (toolId === undefined))
    return [problem(path, 'must have either a text or a tool')];
  let template: UriTemplate;
  try {
    template = parseUriTemplate(uri);
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    return [problem(`${path}/uri`, error.message)];
  }
  if (toolId === undefined) return [];
  const tool = snapshot.tools.get(toolId);
  if (!tool) return [problem(`${path}/toolId`, 'names a tool that does not exist')];
  return toolProblems(tool, template, path);
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
