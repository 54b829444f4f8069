import type { JsonSchema } from '../domain/json-schema.ts';
import { isObject, objectOr, type PlainObject } from '../lib/json/plain-object.ts';
import { below, type Located, type Place } from './bundle.ts';
import { mediaKind } from '../lib/text/media-type.ts';
import type { Notes } from './notes.ts';
import type { Reading } from './reading.ts';
import { closureOf, cutRefs, defsObject } from './schemas/schema-set.ts';

// A reply's schema helps a model a little and costs a lot of context; the parts beyond this size are left open.
const maxReplySchemaBytes = 16_384;

export interface ReplyShape {
  readonly accept?: string;
  readonly replySchema?: JsonSchema;
}

/** An operation's successful reply: the media type to request and the schema of a JSON reply. */
export function readReply(reading: Reading, responses: Located, notes: Notes): ReplyShape {
  const types = new Set<string>();
  const schemas: Located[] = [];
  for (const { value, at } of successResponses(reading, responses)) {
    const content = objectOr(value['content']);
    for (const [type, media] of Object.entries(content)) {
      if (!type.includes('/')) continue;
      types.add(type);
      if (mediaKind(type) !== 'json') continue;
      const target = reading.resolver.follow({ value: media, at: below(at, 'content', type) });
      const schema = 'unresolved' in target ? undefined : objectOr(target.value)['schema'];
      if (schema !== undefined && !('unresolved' in target))
        schemas.push({ value: schema, at: below(target.at, 'schema') });
    }
  }
  const json = [...types].filter((type) => mediaKind(type) === 'json' && !type.includes('*'));
  const asked = json.length > 0 ? json.slice(0, 1) : [...types];
  const replySchema = convertReply(reading, schemas, notes);
  return { ...(asked.length > 0 && { accept: asked.join(', ') }), ...(replySchema && { replySchema }) };
}

function convertReply(reading: Reading, schemas: readonly Located[], notes: Notes): JsonSchema | undefined {
  const scope = reading.outputs.newScope();
  const converted = new Map<string, JsonSchema>();
  for (const schema of schemas) {
    const json = reading.outputs.convert(schema, scope);
    if (Object.keys(json).length > 0) converted.set(JSON.stringify(json), json);
  }
  const distinct = [...converted.values()];
  if (distinct.length === 0) return undefined;
  const schema: JsonSchema = distinct.length === 1 ? distinct[0]! : { anyOf: distinct };
  const ownBytes = JSON.stringify(schema).length;
  const { taken, left } = closureOf(scope.refs, Math.max(0, maxReplySchemaBytes - ownBytes), {
    shortensRoots: true,
  });
  const at: Place = schemas[0]!.at;
  if (ownBytes > maxReplySchemaBytes) {
    notes.add(
      'reply_schema_left_out',
      `The schema of the reply is larger than ${maxReplySchemaBytes} bytes and is left out; replies are passed on unchecked.`,
      at,
    );
    return undefined;
  }
  if (left.size > 0) {
    notes.add(
      'reply_schema_shortened',
      `The schema of the reply is larger than ${maxReplySchemaBytes} bytes; its deeper parts accept anything (${left.size} definitions left out).`,
      at,
    );
  }
  const defs = defsObject(taken, left);
  return { ...(left.size > 0 ? cutRefs(schema, left) : schema), ...(taken.length > 0 && { $defs: defs }) };
}

// 2xx in order, then the range, then `default` if there is nothing else.
function successResponses(reading: Reading, responses: Located): Located<PlainObject>[] {
  if (!isObject(responses.value)) return [];
  const keys = Object.keys(responses.value);
  const success = keys.filter((key) => /^2(\d\d|XX)$/i.test(key)).toSorted();
  const wanted = success.length > 0 ? success : keys.filter((key) => key === 'default');
  const found: Located<PlainObject>[] = [];
  for (const key of wanted) {
    const target = reading.resolver.follow({ value: responses.value[key], at: below(responses.at, key) });
    if (!('unresolved' in target) && isObject(target.value))
      found.push({ value: target.value, at: target.at });
  }
  return found;
}
