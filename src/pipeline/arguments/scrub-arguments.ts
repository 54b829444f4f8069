import type { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../../domain/json-schema.ts';
import { carryWritten } from '../../lib/json/numbers/exact-numbers.ts';
import { mask, maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import { replaceSecretForms } from '../../lib/secrets/secret-patterns.ts';
import { type Arguments, asArguments } from './checked-arguments.ts';
import type { PiiLog } from '../pii-log.ts';
import { refusePii } from './refuse-pii.ts';
import type { CompiledTool } from '../compiled-tool.ts';

/**
 * Keeps secrets out of what a model sends: known key prefixes, JWTs, private keys, and the secrets stored here. With
 * `block` the call is rejected, with `redact` the value is masked. Also rejects a call with personal data that a PII
 * rule refuses. Values fixed by the operator are left alone.
 */
export function scrubArguments(
  compiled: CompiledTool,
  args: Arguments,
  storedSecrets: (() => readonly string[]) | undefined,
  pii: PiiLog | null = null,
): Arguments {
  if (pii !== null) refusePii(compiled, args, pii);
  const { tool } = compiled;
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
    if (mode === 'block' && clean !== value) throw secretInArgumentError(name);
    Object.defineProperty(scrubbed, name, {
      value: clean,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  carryWritten(args, scrubbed);
  return asArguments(scrubbed);
}

/** The value without its secrets; the same reference if it has none. */
function scrubValue(value: JsonValue, scrubText: (text: string) => string): JsonValue {
  if (typeof value === 'string') return scrubText(value);
  if (isJsonList(value)) return scrubList(value, scrubText);
  if (!isJsonObject(value)) return value;
  const object = value;
  let copy: Record<string, JsonValue> | null = null;
  for (const name in object) {
    const clean = scrubValue(object[name]!, scrubText);
    if (clean === object[name]) continue;
    // Spreading also copies `__proto__` as a field.
    copy ??= { ...object };
    Object.defineProperty(copy, name, { value: clean, enumerable: true, configurable: true, writable: true });
  }
  if (copy !== null) carryWritten(object, copy);
  return copy ?? value;
}

function scrubList(list: readonly JsonValue[], scrubText: (text: string) => string): JsonValue {
  let copy: JsonValue[] | null = null;
  for (const [at, item] of list.entries()) {
    const clean = scrubValue(item, scrubText);
    if (clean !== item) (copy ??= [...list])[at] = clean;
  }
  if (copy !== null) carryWritten(list, copy);
  return copy ?? list;
}

function secretInArgumentError(name: string): HandrailError {
  return pipelineErrors.secretInArgument(
    { argument: name },
    { problems: [{ path: `/${name}`, message: 'contains a secret' }], notSent: true },
  );
}
