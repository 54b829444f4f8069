import { isObject, pointerTo } from '../../schema/json-values.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { initialValue } from '../arguments/initial-value.ts';
import { propertiesOf, requiredOf } from '../arguments/schema-shape.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { t } from '../texts.ts';
import { framedGroup } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';

/** The members of an object: those in the schema, then those the user adds. */
export function objectField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const value = isObject(spec.value) ? spec.value : {};
  const named = propertiesOf(shape.schema);
  const required = requiredOf(shape.schema);
  const sorted = named.toSorted(
    ([left], [right]) => Number(required.has(right)) - Number(required.has(left)),
  );
  const known = new Map(
    sorted.map(([name, schema]) => {
      const field = context.create({
        name,
        schema,
        path: pointerTo(spec.path, name),
        value: Object.hasOwn(value, name) ? value[name] : undefined,
        required: required.has(name),
        depth: spec.depth + 1,
      });
      return [name, field] as const;
    }),
  );
  const extra = extraMembers(context, spec, shape, value, new Set(known.keys()));
  const fields = h(
    'div',
    { class: 'fields' },
    [...known.values()].map(({ element }) => element),
    extra?.element,
  );
  const get = (): Record<string, unknown> => {
    const members: Record<string, unknown> = {};
    for (const [name] of named) put(members, name, known.get(name)?.get());
    for (const [name, member] of extra?.members() ?? []) put(members, name, member);
    return members;
  };
  return { element: spec.depth === 0 ? fields : framedGroup(context, spec, shape, fields), get };
}

/** `__proto__` is a name like any other. */
function put(members: Record<string, unknown>, name: string, member: unknown): void {
  if (member === undefined) return;
  Object.defineProperty(members, name, {
    value: member,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function extraMembers(
  context: FormContext,
  spec: FieldSpec,
  shape: Shape,
  value: Record<string, unknown>,
  known: Set<string>,
) {
  const rest = shape.schema['additionalProperties'];
  const given = Object.entries(value).filter(([name]) => !known.has(name));
  const open = isObject(rest) || rest === true || (rest === undefined && known.size === 0 && spec.depth > 0);
  if (!open && given.length === 0) return null;
  const schema = isObject(rest) ? rest : {};
  let fields: { name: string; field: Field }[] = [];
  const list = h('div', { class: 'fields' });
  const nameInput = h('input', {
    type: 'text',
    class: 'mono',
    placeholder: t('propertyName'),
    'aria-label': t('propertyName'),
    autocomplete: 'off',
    on: {
      keydown: (event) => {
        if ((event as KeyboardEvent).key === 'Enter') {
          event.preventDefault();
          addNamed();
        }
      },
    },
  });
  const putMember = (name: string, member: unknown): void => {
    const path = pointerTo(spec.path, name);
    const field = context.create({
      name,
      schema,
      path,
      value: member,
      required: true,
      depth: spec.depth + 1,
      onRemove: () => remove(name),
    });
    fields.push({ name, field });
    list.append(field.element);
  };
  function remove(name: string): void {
    fields.find((entry) => entry.name === name)?.field.element.remove();
    fields = fields.filter((entry) => entry.name !== name);
    context.forgetBelow(pointerTo(spec.path, name));
    context.changed(spec.path);
    nameInput.focus();
  }
  function addNamed(): void {
    const name = nameInput.value;
    if (name === '' || known.has(name) || fields.some((entry) => entry.name === name)) return;
    nameInput.value = '';
    putMember(name, isObject(rest) ? initialValue(schema, context.root) : '');
    context.changed(spec.path);
  }
  for (const [name, member] of given) putMember(name, member);
  const adder = h(
    'div',
    { class: 'row' },
    nameInput,
    h('button', { type: 'button', class: 'button small', on: { click: addNamed } }, icon('plus'), t('add')),
  );
  return {
    element: h('div', { class: 'fields' }, list, open && adder),
    members: () => fields.map(({ name, field }) => [name, field.get()] as const),
  };
}
