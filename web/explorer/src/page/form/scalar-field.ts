import { asText } from '../../schema/json-values.ts';
import { fill, h, setAttribute } from '../dom.ts';
import { formatBytes } from '../measure.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { segmented } from '../controls/tabs.ts';
import { t } from '../texts.ts';
import { framed } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';

/** A text of one or several lines. An optional text that is empty is left out. */
export function textField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const initial =
    typeof spec.value === 'string' ? spec.value : spec.value === undefined ? '' : JSON.stringify(spec.value);
  const long = initial.length > 80 || initial.includes('\n') || Number(shape.schema['maxLength'] ?? 0) > 200;
  const attributes = {
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: placeholderOf(shape),
    on: { input: () => context.changed(spec.path) },
  };
  const control = long
    ? h('textarea', { ...attributes, rows: Math.min(8, Math.max(1, initial.split('\n').length)) })
    : h('input', { ...attributes, type: inputType(shape) });
  control.value = initial;
  return {
    element: framed(context, spec, shape, control),
    get: () => (control.value === '' && !spec.required ? undefined : control.value),
  };
}

function inputType(shape: Shape): string {
  const types: Record<string, string> = {
    email: 'email',
    uri: 'url',
    url: 'url',
    password: 'password',
    date: 'date',
  };
  return types[String(shape.schema['format'])] ?? 'text';
}

/** A point in time, entered in the user's time zone and sent as RFC 3339. */
export function timeField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const given = typeof spec.value === 'string' ? spec.value : '';
  const moment = new Date(given);
  if (given !== '' && Number.isNaN(moment.getTime())) return textField(context, spec, shape);
  let touched = false;
  const control = h('input', {
    type: 'datetime-local',
    step: 1,
    on: {
      input: () => {
        touched = true;
        context.changed(spec.path);
      },
    },
  });
  control.value = given === '' ? '' : localTime(moment);
  return {
    element: framed(context, spec, shape, control),
    get() {
      if (!touched) return given === '' && !spec.required ? undefined : given;
      if (control.value === '') return spec.required ? '' : undefined;
      return new Date(control.value).toISOString();
    },
  };
}

function localTime(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** A number. Anything else stays text, so that validation can report it. */
export function numberField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const control = h('input', {
    type: 'text',
    inputmode: shape.type === 'integer' ? 'numeric' : 'decimal',
    autocomplete: 'off',
    placeholder: placeholderOf(shape),
    on: { input: () => context.changed(spec.path) },
  });
  control.value = asText(spec.value);
  return {
    element: framed(context, spec, shape, control),
    get() {
      const text = control.value.trim();
      if (text === '') return undefined;
      return Number.isFinite(Number(text)) ? Number(text) : control.value;
    },
  };
}

/** Yes or no, or absent if optional. */
export function booleanField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  let value = typeof spec.value === 'boolean' ? spec.value : undefined;
  const options = [
    ...(spec.required ? [] : [{ id: '', label: t('notSet') }]),
    { id: 'true', label: 'true' },
    { id: 'false', label: 'false' },
  ];
  const control = segmented(spec.name, options, value === undefined ? '' : String(value), (chosen) => {
    value = chosen === '' ? undefined : chosen === 'true';
    context.changed(spec.path);
  });
  control.removeAttribute('aria-label');
  return { element: framed(context, spec, shape, control), get: () => value };
}

/** One of a list of values of any type; the control holds the index. */
export function choiceField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const choices = 'const' in shape.schema ? [shape.schema['const']] : (shape.schema['enum'] as unknown[]);
  const place =
    spec.value === undefined
      ? -1
      : choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(spec.value));
  const foreign = spec.value !== undefined && place === -1;
  const control = h(
    'select',
    { on: { change: () => context.changed(spec.path) } },
    (!spec.required || foreign || spec.value === undefined) &&
      h('option', { value: -1 }, foreign ? JSON.stringify(spec.value) : t('notSet')),
    choices.map((choice, index) =>
      h('option', { value: index }, typeof choice === 'string' ? choice || '“”' : JSON.stringify(choice)),
    ),
  );
  control.value = String(place);
  return {
    element: framed(context, spec, shape, control),
    get: () => (control.value === '-1' ? (foreign ? spec.value : undefined) : choices[Number(control.value)]),
  };
}

/** A file, sent as Base64 as the schema requires. */
export function fileField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  let value = typeof spec.value === 'string' && spec.value !== '' ? spec.value : undefined;
  const state = h('span', { class: 'muted small', role: 'status' });
  const accepted = shape.schema['contentMediaType'];
  const control = h('input', {
    type: 'file',
    accept: typeof accepted === 'string' ? accepted : null,
    on: { change: () => read() },
  });
  const describe = (): void =>
    fill(state, value === undefined ? '' : t('fileSet', { size: formatBytes(value.length) }));
  function read(): void {
    const file = control.files?.[0];
    if (!file) return;
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      value = asText(reader.result).replace(/^data:[^,]*,/, '');
      describe();
      context.changed(spec.path);
    });
    reader.readAsDataURL(file);
  }
  describe();
  const element = framed(context, spec, shape, control, state);
  setAttribute(control, 'aria-label', t('chooseFile', { name: spec.name }));
  return { element, get: () => value ?? (spec.required ? '' : undefined) };
}

function placeholderOf(shape: Shape): string | null {
  const { default: standard, examples } = shape.schema;
  if (standard !== undefined) return t('defaultIs', { value: JSON.stringify(standard) });
  if (Array.isArray(examples) && examples.length > 0)
    return t('exampleIs', { value: JSON.stringify(examples[0]) });
  return null;
}
