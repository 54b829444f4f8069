import { isObject, pointerTo } from '../../schema/json-values.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { initialValue } from '../arguments/initial-value.ts';
import { shapeOf } from '../arguments/schema-shape.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { t } from '../texts.ts';
import { framed, framedGroup } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';

/** A list whose items can be added, removed and moved. */
export function arrayField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const prefix = Array.isArray(shape.schema['prefixItems']) ? shape.schema['prefixItems'] : [];
  const rest = shape.schema['items'];
  let items: Field[] = [];
  const list = h('div', { class: 'fields' });
  const add = h(
    'button',
    {
      type: 'button',
      class: 'button small',
      'aria-label': t('addItemTo', { name: spec.name }),
      on: { click: () => addItem() },
    },
    icon('plus'),
    t('addItem'),
  );
  const schemaAt = (index: number): unknown =>
    index < prefix.length ? prefix[index] : isObject(rest) ? rest : {};
  const values = (): unknown[] => items.map((item) => item.get() ?? null);

  function draw(next: unknown[]): void {
    context.forgetBelow(spec.path);
    items = next.map((value, index) =>
      context.create({
        name: t('itemNumber', { number: index + 1 }),
        schema: schemaAt(index),
        path: pointerTo(spec.path, index),
        value,
        required: true,
        depth: spec.depth + 1,
        onRemove: () => change(values().toSpliced(index, 1)),
      }),
    );
    list.replaceChildren(...items.map((item, index) => withMoves(item.element, index)));
    add.hidden = rest === false && next.length >= prefix.length;
  }

  function withMoves(element: HTMLElement, index: number): HTMLElement {
    if (items.length < 2 || prefix.length > 0) return element;
    const move = (to: number): void => {
      const all = values();
      const [moved] = all.splice(index, 1);
      change(all.toSpliced(to, 0, moved));
    };
    const name = t('itemNumber', { number: index + 1 });
    const up = h(
      'button',
      {
        type: 'button',
        class: 'icon-button small',
        'aria-label': t('moveUp', { name }),
        disabled: index === 0,
        on: { click: () => move(index - 1) },
      },
      icon('up'),
    );
    const down = h(
      'button',
      {
        type: 'button',
        class: 'icon-button small',
        'aria-label': t('moveDown', { name }),
        disabled: index === items.length - 1,
        on: { click: () => move(index + 1) },
      },
      icon('down'),
    );
    element.prepend(h('div', { class: 'moves' }, up, down));
    return element;
  }

  function change(next: unknown[]): void {
    draw(next);
    context.changed(spec.path);
    add.focus();
  }

  function addItem(): void {
    const index = items.length;
    change([...values(), initialValue(schemaAt(index), context.root, false, 1)]);
    list.children[index]?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }

  draw(Array.isArray(spec.value) ? spec.value : []);
  return { element: framedGroup(context, spec, shape, list, h('div', { class: 'row' }, add)), get: values };
}

/** Several of a short list, each at most once. */
export function manyChoicesField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const choices = (shapeOf(shape.schema['items'], context.root).schema['enum'] ?? []) as unknown[];
  const chosen = new Set((Array.isArray(spec.value) ? spec.value : []).map((value) => JSON.stringify(value)));
  const control = h(
    'div',
    { class: 'choices', role: 'group' },
    choices.map((choice) => {
      const key = JSON.stringify(choice);
      const box = h('input', {
        type: 'checkbox',
        on: {
          change: () => {
            if (box.checked) chosen.add(key);
            else chosen.delete(key);
            context.changed(spec.path);
          },
        },
      });
      box.checked = chosen.has(key);
      return h('label', { class: 'choice' }, box, h('span', {}, typeof choice === 'string' ? choice : key));
    }),
  );
  return {
    element: framed(context, spec, shape, control),
    get() {
      if (chosen.size === 0 && !spec.required) return undefined;
      return choices.filter((choice) => chosen.has(JSON.stringify(choice)));
    },
  };
}
