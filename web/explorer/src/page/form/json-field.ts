import { h } from '../dom.ts';
import { parseJson, pretty } from '../json-text.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { framed } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';

/** Any JSON, for schemas without further detail. Invalid JSON counts as text. */
export function jsonField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const control = h('textarea', {
    class: 'mono',
    rows: 2,
    spellcheck: 'false',
    autocomplete: 'off',
    on: { input: () => context.changed(spec.path) },
  });
  control.value = spec.value === undefined ? '' : pretty(spec.value);
  return {
    element: framed(context, spec, shape, control),
    get() {
      if (control.value.trim() === '') return undefined;
      const parsed = parseJson(control.value);
      return parsed.ok ? parsed.value : control.value;
    },
  };
}
