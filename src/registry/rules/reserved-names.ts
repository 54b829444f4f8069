import { HandrailError } from '../../domain/errors.ts';
import { isBuiltInToolName } from '../../domain/names.ts';

/** Refuses a name that belongs to one of Handrail's own tools. Names that were stored before it did are not asked about. */
export function requireFreeToolName(name: string | undefined, path: string): void {
  if (name === undefined || !isBuiltInToolName(name)) return;
  throw new HandrailError(
    'invalid_input',
    `The name "${name}" is reserved for a tool of Handrail's own: choose another.`,
    { problems: [{ path, message: 'is reserved' }] },
  );
}
