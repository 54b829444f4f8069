import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { type Caller, mayUseTool } from '../../domain/call.ts';
import type { ServerResource } from '../../domain/server.ts';
import { allowedTypes, namedValues, schemaBranches } from '../../lib/json/schema-branches.ts';
import { parseUriTemplate, UriTemplateError } from '../../lib/text/uri-template.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import { fillPlaces } from './operator-prompts.ts';

/** Whether a resource is a template: its URI has placeholders. */
export function isTemplate(resource: ServerResource): boolean {
  return resource.uri.includes('{');
}

/** The resources this caller may read: the operator's texts, and those of tools it may call. */
export function resourcesFor(view: ServerView, caller: Caller): readonly ServerResource[] {
  return (view.server.resources ?? []).filter(
    (resource) => resource.toolId === undefined || toolOf(view, caller, resource.toolId) !== undefined,
  );
}

function toolOf(view: ServerView, caller: Caller, toolId: string): ListedTool | undefined {
  if (!mayUseTool(caller, toolId)) return undefined;
  const tool = view.tools.find((listed) => listed.compiled.tool.id === toolId);
  // An import may have changed the method, and reading a resource must not change anything.
  return tool?.compiled.tool.operation.method === 'GET' ? tool : undefined;
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

/** What a URI resolves to: text to return, or a tool to call with arguments from the URI. */
export type ResolvedResource =
  | { readonly resource: ServerResource; readonly text: string }
  | { readonly resource: ServerResource; readonly tool: ListedTool; readonly args: Record<string, unknown> };

/** Finds the resource for a URI, exact matches first. */
export function findResource(view: ServerView, caller: Caller, uri: string): ResolvedResource | undefined {
  const resources = resourcesFor(view, caller);
  const exact = resources.find((resource) => resource.uri === uri && !isTemplate(resource));
  if (exact) return found(view, caller, exact, new Map());
  for (const resource of resources) {
    const places = isTemplate(resource) ? placesIn(resource.uri, uri) : null;
    if (places) return found(view, caller, resource, places);
  }
  return undefined;
}

type Places = ReadonlyMap<string, readonly string[]>;

// A template that an earlier version accepted and this one can't parse matches nothing, and doesn't block others.
function placesIn(template: string, uri: string): Places | null {
  try {
    return parseUriTemplate(template).match(uri);
  } catch (error) {
    if (error instanceof UriTemplateError) return null;
    throw error;
  }
}

function found(
  view: ServerView,
  caller: Caller,
  resource: ServerResource,
  places: Places,
): ResolvedResource | undefined {
  if (resource.toolId === undefined) {
    if (resource.text === undefined) return undefined;
    const text = fillPlaces(resource.text, [...places.keys()], (name) => places.get(name)?.join());
    return { resource, text };
  }
  const tool = toolOf(view, caller, resource.toolId);
  if (!tool) return undefined;
  const args: Record<string, unknown> = {};
  for (const [name, values] of places) args[name] = typed(tool, name, values);
  return { resource, tool, args };
}

// A URI contains only text; the tool's schema says how to interpret it.
function typed(tool: ListedTool, name: string, values: readonly string[]): unknown {
  const schema = propertyOf(tool, name);
  const defs = tool.compiled.inputSchema['$defs'];
  const list = schemaBranches(schema, defs).find(({ type }) => type === 'array');
  if (!list) return readAs(values.join(), allowedTypes(schema, defs));
  const types = allowedTypes(list['items'], defs);
  return values.map((value) => readAs(value, types));
}

function readAs(value: string, types: ReadonlySet<string> | null): unknown {
  if (types === null || types.has('string')) return value;
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  if ((types.has('integer') || types.has('number')) && isNumber) return Number(value);
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function propertyOf(tool: ListedTool, name: string): unknown {
  const { properties } = tool.compiled.inputSchema as { properties?: Record<string, unknown> };
  return properties?.[name];
}

/**
 * The values that a template's placeholder can take according to the schema of the tool's parameter; undefined if
 * unknown.
 */
export function templateValues(
  view: ServerView,
  caller: Caller,
  uriTemplate: string,
  name: string,
): string[] | undefined {
  const resource = resourcesFor(view, caller).find((candidate) => candidate.uri === uriTemplate);
  const tool = resource?.toolId === undefined ? undefined : toolOf(view, caller, resource.toolId);
  return tool && namedValues(propertyOf(tool, name), tool.compiled.inputSchema['$defs']);
}
