import { isDotSegment } from '../../domain/operation.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';

/**
 * The arguments with which a tool requests a path and query at its API's origin; undefined if it can't. `literal` is
 * how much of the path the tool spells out itself: of two matching tools, the one with more is meant.
 */
export function matchPath(
  { tool, request }: CompiledTool,
  target: string,
): { readonly args: Record<string, string>; readonly literal: number } | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  if (!path.startsWith(request.basePath)) return undefined;
  const template = tool.operation.path.split('?', 1)[0]!.split('/');
  const segments = path.slice(request.basePath.length).split('/');
  if (template.length !== segments.length) return undefined;
  const args: Record<string, string> = {};
  let literal = 0;
  for (const [at, part] of template.entries()) {
    const segment = segments[at]!;
    const open = part.indexOf('{');
    const close = part.indexOf('}', open);
    if (open < 0 || close < 0) {
      if (part !== segment) return undefined;
      literal += part.length;
      continue;
    }
    const [before, after] = [part.slice(0, open), part.slice(close + 1)];
    if (!segment.startsWith(before) || !segment.endsWith(after)) return undefined;
    const value = decoded(segment.slice(before.length, segment.length - after.length));
    const name = argumentAt(tool.operation.parameters, 'path', part.slice(open + 1, close));
    if (value === undefined || value === '' || name === undefined || isDotSegment(value)) return undefined;
    args[name] = value;
    literal += before.length + after.length;
  }
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key, value] = pair.split('=', 2).map((text) => decoded(text.replaceAll('+', ' ')));
    const name = key === undefined ? undefined : argumentAt(tool.operation.parameters, 'query', key);
    if (name !== undefined && value !== undefined) args[name] = value;
  }
  const isIncomplete = tool.operation.parameters.some(
    ({ name, required, fixed, default: preset }) =>
      required && fixed === undefined && preset === undefined && !Object.hasOwn(args, name),
  );
  return isIncomplete ? undefined : { args, literal };
}

function argumentAt(
  parameters: CompiledTool['tool']['operation']['parameters'],
  place: 'path' | 'query',
  key: string,
): string | undefined {
  return parameters.find(
    (each) => each.in === place && (each.key ?? each.name) === key && each.fixed === undefined,
  )?.name;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
