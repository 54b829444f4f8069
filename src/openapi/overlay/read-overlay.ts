import { openapiErrors } from '../../domain/error-messages/openapi.ts';
import { JsonPathError, parseJsonPath, type Query } from '../../lib/json/json-path/parse-json-path.ts';
import { isObject, textOr, wordOf } from '../../lib/json/plain-object.ts';

/** One change that an overlay makes. */
export interface OverlayAction {
  /** The path as written, for messages. */
  readonly path: string;
  readonly target: Query;
  readonly change:
    | { readonly kind: 'remove' }
    | { readonly kind: 'update'; readonly value: unknown }
    | { readonly kind: 'copy'; readonly from: Query; readonly path: string };
}

/** Changes to a document that are kept separately: https://spec.openapis.org/overlay/v1.1.0.html */
export interface Overlay {
  /** The name used in messages. */
  readonly name: string;
  /** 1.0 does not define what happens when values of different kinds are merged; in 1.1 it is an error. */
  readonly isStrict: boolean;
  readonly actions: readonly OverlayAction[];
}

const maxActions = 10_000;

/** Whether a value looks like an overlay. */
export function isOverlay(value: unknown): boolean {
  return isObject(value) && value['overlay'] !== undefined && value['openapi'] === undefined;
}

/** Reads an overlay of version 1.0 or 1.1; throws if it could not be applied, and says where the problem is. */
export function readOverlay(value: unknown, name: string): Overlay {
  const refuse = (why: string): never => {
    throw openapiErrors.overlayInvalid({ overlay: name, reason: why });
  };
  if (!isObject(value) || value['overlay'] === undefined)
    return refuse('it does not start with "overlay: 1.0.0" or "overlay: 1.1.0"');
  const version = wordOf(value['overlay']);
  if (!/^1\.[01](?:\.\d+)?$/.test(version))
    return refuse(`it has version ${JSON.stringify(version.slice(0, 40))}; 1.0 and 1.1 are supported`);
  const actions = value['actions'];
  if (!Array.isArray(actions) || actions.length === 0) return refuse('it has no "actions"');
  if (actions.length > maxActions) return refuse(`it has more than ${maxActions} actions`);
  return {
    name,
    isStrict: version.startsWith('1.1'),
    actions: actions.map((action: unknown, i) => readAction(action, `action ${i + 1}`, version, refuse)),
  };
}

function readAction(
  value: unknown,
  which: string,
  version: string,
  refuse: (why: string) => never,
): OverlayAction {
  if (!isObject(value)) return refuse(`${which} is not an object`);
  const path = textOr(value['target']);
  if (path === undefined) return refuse(`${which} has no "target"`);
  const action = { path, target: readPath(path, `the target of ${which}`, refuse) };
  // https://spec.openapis.org/overlay/v1.1.0.html#action-object: `remove` wins over the others.
  if (value['remove'] === true) {
    if (action.target.segments.length === 0) return refuse(`${which} would remove the whole document`);
    return { ...action, change: { kind: 'remove' } };
  }
  const copied = textOr(value['copy']);
  if (copied !== undefined && value['update'] === undefined) {
    if (version.startsWith('1.0')) return refuse(`${which} copies, which needs "overlay: 1.1.0"`);
    return {
      ...action,
      change: { kind: 'copy', from: readPath(copied, `what ${which} copies`, refuse), path: copied },
    };
  }
  if (value['update'] === undefined)
    return refuse(`${which} has none of "update", "copy" and "remove: true"`);
  return { ...action, change: { kind: 'update', value: value['update'] } };
}

function readPath(path: string, which: string, refuse: (why: string) => never): Query {
  try {
    return parseJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return refuse(`${which}, ${path.slice(0, 100)}, is not a valid JSONPath (RFC 9535): ${error.message}`);
  }
}
