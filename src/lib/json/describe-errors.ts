import type { ErrorObject } from 'ajv';

/** One violation: JSON Pointer, the keyword that failed, a sentence. */
export interface Violation {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

const maxViolations = 20;

/** What the validator found, in sentences: each once, the first twenty. */
export function describeErrors(errors: readonly ErrorObject[]): Violation[] {
  // When a union fails, each branch reports: the leaf errors of one union are noise beside the union's own line.
  const unions = new Set(
    errors.flatMap(({ keyword, schemaPath }) =>
      keyword === 'anyOf' || keyword === 'oneOf' ? [schemaPath] : [],
    ),
  );
  const kept = errors.filter(({ keyword, schemaPath }) => keyword !== 'if' && !isWithin(unions, schemaPath));
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const error of kept) {
    const violation = describeOne(error);
    const key = `${violation.path}\n${violation.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    violations.push(violation);
    if (violations.length === maxViolations) break;
  }
  return violations;
}

// Looked up by the places above it, of which there are few: comparing it with every union would be quadratic.
function isWithin(unions: ReadonlySet<string>, schemaPath: string): boolean {
  if (unions.size === 0) return false;
  for (let slash = schemaPath.lastIndexOf('/'); slash > 0; slash = schemaPath.lastIndexOf('/', slash - 1))
    if (unions.has(schemaPath.slice(0, slash))) return true;
  return false;
}

function describeOne(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const at = (path: string, message: string): Violation => ({ path, keyword: error.keyword, message });
  switch (error.keyword) {
    case 'required':
      return at(`${error.instancePath}/${escapePointer(String(params['missingProperty']))}`, 'is required');
    case 'dependentRequired':
      return at(
        `${error.instancePath}/${escapePointer(String(params['missingProperty']))}`,
        `is required when ${String(params['property'])} is given`,
      );
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return at(`${error.instancePath}/${escapePointer(extra)}`, 'is not a known property');
    }
    case 'type':
      return at(error.instancePath, `must be ${typeNames(params['type'])}`);
    case 'enum':
      return at(error.instancePath, `must be one of ${listValues(params['allowedValues'] as unknown[])}`);
    case 'const':
      return at(error.instancePath, `must be ${JSON.stringify(params['allowedValue'])}`);
    case 'format':
      return at(error.instancePath, `must be a valid ${String(params['format'])}`);
    case 'anyOf':
      return at(error.instancePath, 'must match one of the allowed forms');
    case 'oneOf':
      return at(error.instancePath, 'must match exactly one of the allowed forms');
    case 'false schema':
      return at(error.instancePath, 'is not allowed');
    default:
      return at(error.instancePath, (error.message ?? 'is not valid').replace(/^must NOT /, 'must not '));
  }
}

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names
    .map((name) => (name === 'null' ? 'null' : `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ');
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > shown.length
    ? `${shown.join(', ')} and ${values.length - shown.length} more`
    : shown.join(', ');
}

function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
