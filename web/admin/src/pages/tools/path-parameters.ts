import type { Parameter } from '../../api/resources.ts';

/** The names in braces of a path template. */
export function namesInPath(path: string): string[] {
  return [...new Set([...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name]) => name!))];
}

/**
 * The parameters after a path edit: one for each name in braces. Existing ones are kept unchanged; path parameters
 * without a placeholder are dropped.
 */
export function fitToPath(parameters: readonly Parameter[], path: string): Parameter[] {
  const names = namesInPath(path);
  const wire = (parameter: Parameter) => parameter.key ?? parameter.name;
  const kept = parameters.filter((parameter) => parameter.in !== 'path' || names.includes(wire(parameter)));
  const missing = names.filter((name) => !kept.some((one) => one.in === 'path' && wire(one) === name));
  return [
    ...missing.map((name): Parameter => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...kept,
  ];
}
