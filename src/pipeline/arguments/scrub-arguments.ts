import { HandrailError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { mask, maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import { replaceSecretForms } from '../../lib/secrets/secret-patterns.ts';
import type { Arguments, CompiledTool } from '../types.ts';

/**
 * Keeps secrets out of what a model sends: known key prefixes, JWTs, private keys, and the secrets stored here. Where
 * the tool says `block` the call is refused, where it says `redact` the value is masked. What the operator fixed
 * stays as it is.
 */
export function scrubArguments(
  { tool }: CompiledTool,
  args: Arguments,
  storedSecrets: (() => readonly string[]) | undefined,
): Arguments {
  const mode = tool.scrubArguments ?? 'off';
  if (mode === 'off') return args;
  const maskStored = maskTextFor(storedSecrets?.() ?? []);
  const scrubText = (text: string): string => maskStored(replaceSecretForms(text, mask));
  const fixed = new Set(
    tool.operation.parameters.filter((one) => one.fixed !== undefined).map((one) => one.name),
  );
  const scrubbed: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(args)) {
    const clean = fixed.has(name) ? value : scrubValue(value, scrubText);
    if (mode === 'block' && clean !== value && JSON.stringify(clean) !== JSON.stringify(value))
      throw blocked(name);
    Object.defineProperty(scrubbed, name, {
      value: clean,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return scrubbed as Arguments;
}

function scrubValue(value: JsonValue, scrubText: (text: string) => string): JsonValue {
  if (typeof value === 'string') return scrubText(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => scrubValue(item, scrubText));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [name, inner] of Object.entries(value)) {
    Object.defineProperty(copy, name, {
      value: scrubValue(inner, scrubText),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

function blocked(name: string): HandrailError {
  return new HandrailError(
    'argument_blocked',
    `The argument "${name}" holds what looks like a secret (a key, token or private key). Leave it out: the gateway signs in by itself.`,
    { problems: [{ path: `/${name}`, message: 'holds a secret' }], notSent: true },
  );
}
