import { registryErrors } from '../../domain/error-messages/registry.ts';
import { isBuiltInToolName } from '../../domain/names.ts';

/**
 * Rejects a name that belongs to one of Handrail's own tools. Names stored before it was reserved aren't
 * checked.
 */
export function requireFreeToolName(name: string | undefined, path: string): void {
  if (name === undefined || !isBuiltInToolName(name)) return;
  throw registryErrors.toolNameReserved({ name }, { problems: [{ path, message: 'is reserved' }] });
}
