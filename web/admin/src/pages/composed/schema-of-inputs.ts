const member = /\binput(?:\?\.|\.)([A-Za-z_$][\w$]{0,99})/g;
const quoted = /\binput(?:\?\.)?\[(?:'([^'\\\n]{1,100})'|"([^"\\\n]{1,100})")\]/g;
const destructured = /\{([^{}]{1,500})\}\s{0,9}=\s{0,9}input\b/g;

/**
 * The input schema that a script seems to need: one property for each `input.name`, `input['name']` and
 * `const { name } = input`. Their types are for the author to add.
 */
export function schemaOfInputs(code: string): {
  type: 'object';
  properties: Record<string, Record<string, never>>;
} {
  const names = [
    ...[...code.matchAll(member)].map(([, name]) => name!),
    ...[...code.matchAll(quoted)].map(([, single, double]) => (single ?? double)!),
    ...[...code.matchAll(destructured)].flatMap(([, list]) => list!.split(',').map(destructuredName)),
  ];
  const valid = names.filter((name) => name !== '');
  return { type: 'object', properties: Object.fromEntries(valid.map((name) => [name, {}])) };
}

/** The property behind `name`, `name = 1` or `name: other`; empty for `...rest`. */
function destructuredName(part: string): string {
  return /^\s*([A-Za-z_$][\w$]{0,99})/.exec(part)?.[1] ?? '';
}
