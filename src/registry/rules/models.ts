import { asParsed } from '../../domain/fields/addresses.ts';
import { newId } from '../../domain/ids.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { type Model, modelNameKey } from '../../domain/models/model.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { Decision } from '../registry.ts';
import { fresh, missing, type Moment, revise } from './find-and-revise.ts';
import type { Snapshot } from '../snapshot.ts';

/** What an operator enters for a model, including its key. */
export type NewModel = Pick<
  Model,
  'name' | 'protocol' | 'baseUrl' | 'model' | 'prices' | 'maxOutputTokens'
> & {
  readonly key?: string;
};

/** What an operator changes in a model; null removes a value. */
export type ModelPatch = {
  readonly [F in keyof NewModel]?:
    | NewModel[F]
    | (F extends 'prices' | 'maxOutputTokens' | 'key' ? null : never)
    | undefined;
};

/** Seals a model's key; passed in so that the rules are otherwise pure. */
export type SealModelKey = (row: Pick<Model, 'id' | 'baseUrl'>, key: string) => string;

/** Adds a model. */
export function createModel(input: NewModel, seal: SealModelKey, moment: Moment): Decision<Model> {
  const { key, ...fields } = input;
  const version = fresh(newId('model', moment.nowMs), moment);
  const row = { ...version, ...fields, baseUrl: asParsed(fields.baseUrl) };
  const model: Model = { ...row, ...(key !== undefined && { sealed: seal(row, checkedKey(key)) }) };
  return { changes: [{ op: 'put', kind: 'model', entity: model }], result: model };
}

/** Edits a model. A key stays with the origin it was entered for: moving the model requires entering it again. */
export function updateModel(
  snapshot: Snapshot,
  reference: string,
  patch: ModelPatch,
  expectedRevision: number | undefined,
  seal: SealModelKey,
  moment: Moment,
): Decision<Model> {
  const current = findModel(snapshot, reference);
  const { key, prices, maxOutputTokens, baseUrl, ...rest } = patch;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const address = baseUrl === undefined ? current.baseUrl : asParsed(baseUrl);
  const moved = originOf(address) !== originOf(current.baseUrl);
  if (moved && key === undefined && current.sealed !== undefined)
    throw registryErrors.modelKeyElsewhere(
      { name: current.name, origin: originOf(current.baseUrl) },
      { problems: [{ path: '/key', message: 'must be entered again for another address' }] },
    );
  const sealed =
    key === undefined
      ? current.sealed
      : key === null
        ? undefined
        : seal({ id: current.id, baseUrl: address }, checkedKey(key));
  const model = revise(
    current,
    {
      ...given,
      baseUrl: address,
      sealed,
      ...(prices !== undefined && { prices: prices ?? undefined }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens: maxOutputTokens ?? undefined }),
    },
    expectedRevision,
    moment,
  );
  return { changes: [{ op: 'put', kind: 'model', entity: model }], result: model };
}

/** Deletes a model and its key. */
export function deleteModel(snapshot: Snapshot, reference: string): Decision<Model> {
  const model = findModel(snapshot, reference);
  return { changes: [{ op: 'delete', kind: 'model', id: model.id }], result: model };
}

/** Finds a model by ID or name, or throws `not_found`. */
export function findModel(snapshot: Snapshot, reference: string): Model {
  const byId = snapshot.models.get(reference);
  if (byId !== undefined) return byId;
  const key = modelNameKey(reference);
  for (const model of snapshot.models.values()) if (modelNameKey(model.name) === key) return model;
  return missing('model', reference);
}

/** Seals every model key for which `reseal` returns a new text. */
export function resealModels(
  snapshot: Snapshot,
  reseal: (model: Model, sealed: string) => string | null,
): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const model of snapshot.models.values()) {
    const sealed = model.sealed === undefined ? null : reseal(model, model.sealed);
    if (sealed !== null) changes.push({ op: 'put', kind: 'model', entity: { ...model, sealed } });
  }
  return { changes, result: changes.length };
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

// It goes into a header unchanged.
function checkedKey(key: string): string {
  if (/^[\x21-\x7e]{1,10000}$/.test(key)) return key;
  throw registryErrors.modelKeyInvalid({
    problems: [{ path: '/key', message: 'must be one line without spaces' }],
  });
}
