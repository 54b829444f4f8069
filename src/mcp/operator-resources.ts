import { UriTemplate } from '@modelcontextprotocol/server';
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/call.ts';
import type { ServerResource } from '../domain/server.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';

/** Whether a resource stands for many: its URI has places to fill. */
export function isTemplate(resource: ServerResource): boolean {
  return resource.uri.includes('{');
}

/** The resources this caller may read: those of an operator's text, and those of tools it may call. */
export function resourcesFor(view: ServerView, caller: Caller): readonly ServerResource[] {
  return (view.server.resources ?? []).filter(
    (resource) => resource.toolId === undefined || toolOf(view, caller, resource.toolId) !== undefined,
  );
}

function toolOf(view: ServerView, caller: Caller, toolId: string): ListedTool | undefined {
  if (caller.toolIds && !caller.toolIds.has(toolId)) return undefined;
  return view.tools.find((listed) => listed.compiled.tool.id === toolId);
}

export function resourceDefinition(resource: ServerResource): Resource {
  return { uri: resource.uri, ...describe(resource) };
}

export function templateDefinition(resource: ServerResource): ResourceTemplateType {
  return { uriTemplate: resource.uri, ...describe(resource) };
}

function describe(resource: ServerResource) {
  return {
    name: resource.name,
    ...(resource.title !== undefined && { title: resource.title }),
    ...(resource.description !== undefined && { description: resource.description }),
    ...(resource.mimeType !== undefined && { mimeType: resource.mimeType }),
  };
}

/** What stands behind a URI: text to give out, or a tool to call with arguments taken from the URI. */
export type FoundResource =
  | { readonly resource: ServerResource; readonly text: string }
  | { readonly resource: ServerResource; readonly tool: ListedTool; readonly args: Record<string, unknown> };

/** Finds the resource a URI names, exact ones first. */
export function findResource(view: ServerView, caller: Caller, uri: string): FoundResource | undefined {
  const resources = resourcesFor(view, caller);
  const exact = resources.find((resource) => resource.uri === uri && !isTemplate(resource));
  if (exact) return found(view, caller, exact, {});
  for (const resource of resources) {
    if (!isTemplate(resource)) continue;
    const variables = new UriTemplate(resource.uri).match(uri);
    if (variables) return found(view, caller, resource, variables);
  }
  return undefined;
}

function found(
  view: ServerView,
  caller: Caller,
  resource: ServerResource,
  variables: Readonly<Record<string, string | string[]>>,
): FoundResource | undefined {
  if (resource.toolId === undefined) {
    return resource.text === undefined ? undefined : { resource, text: resource.text };
  }
  const tool = toolOf(view, caller, resource.toolId);
  if (!tool) return undefined;
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(variables)) {
    args[name] = typed(tool, name, Array.isArray(value) ? value.map(decode) : decode(value));
  }
  return { resource, tool, args };
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// A URI carries text only; the tool's schema says what the text stands for.
function typed(tool: ListedTool, name: string, value: string | string[]): unknown {
  const properties = tool.compiled.inputSchema['properties'] as
    | Record<string, { type?: unknown } | undefined>
    | undefined;
  const type = properties?.[name]?.type;
  if (typeof value !== 'string') return value;
  if ((type === 'integer' || type === 'number') && value.trim() !== '' && Number.isFinite(Number(value))) {
    return Number(value);
  }
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Values a template's place can take, from the enum of the tool's parameter; undefined when nothing is known. */
export function templateValues(
  view: ServerView,
  caller: Caller,
  uriTemplate: string,
  name: string,
): string[] | undefined {
  const resource = resourcesFor(view, caller).find((candidate) => candidate.uri === uriTemplate);
  if (!resource?.toolId) return undefined;
  const tool = toolOf(view, caller, resource.toolId);
  const properties = tool?.compiled.inputSchema['properties'] as
    | Record<string, { enum?: unknown[] } | undefined>
    | undefined;
  return properties?.[name]?.enum?.filter((value) => value !== null).map(String);
}
