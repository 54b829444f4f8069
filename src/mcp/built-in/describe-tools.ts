import type { CallToolResult } from '@modelcontextprotocol/server';
import { findCallable } from '../../registry/callable-tools.ts';
import type { Caller } from '../../domain/call.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { kindOf } from '../../domain/tool.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import { exampleArguments } from '../../search/example-arguments.ts';
import { TypeWriter } from '../../search/type-text.ts';
import { maxDescribed } from './definitions.ts';
import { suggestTool } from '../render/suggest-tool.ts';
import { refusal } from './refusal.ts';
import { wholeSchema } from './schema-hint.ts';

const outputDepth = 4;

/** The answer of `describe_tools`: everything about a few tools that the caller may call. */
export function describeTools(
  view: ServerView,
  caller: Caller,
  { names }: Readonly<Record<string, unknown>>,
): CallToolResult {
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string'))
    return refusal('names must be a list of tool names, as returned by search_tools.');
  if (names.length > maxDescribed)
    return refusal(`names has ${names.length} tools; the maximum is ${maxDescribed}.`);
  const found = names.map((name) => ({ name, listed: findCallable(view, caller, name) }));
  const unknown = found.filter(({ listed }) => listed === undefined).map(({ name }) => name.slice(0, 100));
  if (unknown.length === names.length)
    return refusal(
      `There is no tool ${unknown.map((name) => `"${name}"`).join(', ')} here: find names with search_tools.${suggestTool(view, caller, unknown[0]!)}`,
    );
  const tools = found.flatMap(({ listed }) => (listed === undefined ? [] : [description(listed)]));
  const structuredContent = { tools, unknown };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function description({ name, description: about, compiled }: ListedTool) {
  const { tool, api, outputSchema } = compiled;
  const inputSchema = wholeSchema(compiled);
  const example = exampleArguments(compiled.inputSchema);
  return {
    name,
    api: api.slug,
    method: tool.operation.method,
    path: tool.operation.path,
    kind: kindOf(tool),
    description: about,
    inputSchema,
    ...(outputSchema && { output: outputShape(outputSchema) }),
    // An example that the tool itself would reject is worse than none.
    ...(example && compiled.check(example).length === 0 && { example }),
  };
}

function outputShape(schema: JsonSchema): string {
  return new TypeWriter(objectOr(schema['$defs']), outputDepth).write(schema);
}
