import { WorkBudget } from '../../schema/budget.ts';
import { checkValue } from '../../schema/check-value.ts';
import { isObject } from '../../schema/json-values.ts';
import { h } from '../dom.ts';
import { formats } from '../formats.ts';
import { initialValue } from '../arguments/initial-value.ts';
import { variantName } from '../arguments/schema-shape.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { t } from '../texts.ts';
import { framedGroup } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';

/** A choice between schemas: a list of names, and the form of the selected one. */
export function variantField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const {
    oneOf: _oneOf,
    anyOf: _anyOf,
    title: _title,
    description: _description,
    default: _default,
    ...shared
  } = shape.schema;
  const variants = shape.variants.map((variant) =>
    isObject(variant) && typeof variant['$ref'] !== 'string' ? { ...shared, ...variant } : variant,
  );
  let chosen = Math.max(
    0,
    variants.findIndex((variant) => fits(variant, spec.value, context.root)),
  );
  let inner: Field;
  const place = h('div', { class: 'fields' });
  const select = h(
    'select',
    { 'aria-label': t('variant', { name: spec.name }), on: { change: () => switchTo(Number(select.value)) } },
    variants.map((variant, index) =>
      h('option', { value: index }, variantName(variant, context.root, index)),
    ),
  );
  select.value = String(chosen);

  function draw(value: unknown): void {
    context.forgetBelow(spec.path);
    inner = context.create({
      ...spec,
      onRemove: undefined,
      schema: variants[chosen],
      value,
      required: true,
      depth: spec.depth + 1,
      name: select.selectedOptions[0]?.textContent ?? spec.name,
    });
    place.replaceChildren(inner.element);
    context.registerVariant(spec.path, () => variants[chosen]);
  }

  function switchTo(index: number): void {
    chosen = index;
    draw(initialValue(variants[index], context.root, false, 1));
    context.changed(spec.path);
  }

  const element = framedGroup(context, spec, shape, select, place);
  draw(spec.value);
  return { element, get: () => inner.get() };
}

function fits(schema: unknown, value: unknown, root: unknown): boolean {
  try {
    return checkValue(schema, value, { formats, budget: new WorkBudget(50_000), root }).length === 0;
  } catch {
    return false;
  }
}
