import { h, uniqueId } from '../dom.ts';
import type { Child } from '../dom.ts';
import { icon } from '../icons.ts';
import { shapeOf, typeLabel } from '../arguments/schema-shape.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { markdown } from '../markdown.ts';
import { t } from '../texts.ts';

/** The input for creating a field. */
export interface FieldSpec {
  name: string;
  schema: unknown;
  /** JSON Pointer of its value. */
  path: string;
  value: unknown;
  required: boolean;
  depth: number;
  onRemove?: (() => void) | undefined;
}

/** A part of the form: its element and its value. `undefined` is left out. */
export interface Field {
  element: HTMLElement;
  get(): unknown;
}

/** Where the problems of one value are shown. */
export interface FieldView {
  element: HTMLElement;
  control: HTMLElement | null;
  problem: HTMLElement;
}

/** What the fields of one form share. */
export interface FormContext {
  /** The root schema, in which references are resolved. */
  root: unknown;
  create(spec: FieldSpec): Field;
  /** Called after each change by the user. */
  changed(path: string): void;
  register(path: string, view: FieldView): void;
  /** Records which alternative is selected at a path. */
  registerVariant(path: string, variant: () => unknown): void;
  /** Drops what was registered below a path that is rendered again. */
  forgetBelow(path: string): void;
}

/** The frame around one control: name, type, marks, description, and space for a problem. */
export function framed(
  context: FormContext,
  spec: FieldSpec,
  shape: Shape,
  control: HTMLElement,
  extra: Child = null,
): HTMLElement {
  const id = control.id || uniqueId('field');
  control.id = id;
  const problem = h('p', { class: 'problem', id: `${id}-problem` });
  const about = description(spec, shape, `${id}-about`);
  control.setAttribute('aria-describedby', [about ? `${id}-about` : '', `${id}-problem`].join(' ').trim());
  if (spec.required && /INPUT|SELECT|TEXTAREA/.test(control.tagName))
    control.setAttribute('aria-required', 'true');
  const labelled = /INPUT|SELECT|TEXTAREA/.test(control.tagName);
  const label = labelled
    ? h('label', { for: id, class: 'field-name mono' }, spec.name)
    : h('span', { class: 'field-name mono', id: `${id}-label` }, spec.name);
  if (!labelled) control.setAttribute('aria-labelledby', `${id}-label`);
  const element = h(
    'div',
    { class: 'field' },
    h('div', { class: 'field-head' }, label, marks(context, spec, shape), removeButton(spec)),
    about,
    control,
    extra,
    problem,
  );
  context.register(spec.path, { element, control, problem });
  return element;
}

/** The frame around a group of fields. */
export function framedGroup(
  context: FormContext,
  spec: FieldSpec,
  shape: Shape,
  ...children: Child[]
): HTMLElement {
  const problem = h('p', { class: 'problem' });
  const element = h(
    'fieldset',
    { class: 'field group' },
    h(
      'legend',
      { class: 'field-head' },
      h('span', { class: 'field-name mono' }, spec.name),
      marks(context, spec, shape),
    ),
    removeButton(spec),
    description(spec, shape, uniqueId('about')),
    children,
    problem,
  );
  context.register(spec.path, { element, control: null, problem });
  return element;
}

/** An absent optional field, with a button to add it. */
export function absentField(context: FormContext, spec: FieldSpec, onAdd: () => void): HTMLElement {
  const shape = shapeOf(spec.schema, context.root);
  const problem = h('p', { class: 'problem' });
  const add = h(
    'button',
    {
      type: 'button',
      class: 'button small',
      'aria-label': t('addNamed', { name: spec.name }),
      on: { click: onAdd },
    },
    icon('plus'),
    t('add'),
  );
  const element = h(
    'div',
    { class: 'field absent' },
    h(
      'div',
      { class: 'field-head' },
      h('span', { class: 'field-name mono' }, spec.name),
      marks(context, spec, shape),
      add,
    ),
    description(spec, shape, uniqueId('about')),
    problem,
  );
  context.register(spec.path, { element, control: add, problem });
  return element;
}

function marks(context: FormContext, spec: FieldSpec, shape: Shape): Child[] {
  return [
    spec.required &&
      h(
        'span',
        { class: 'required', title: t('required') },
        '*',
        h('span', { class: 'offscreen' }, t('required')),
      ),
    h('span', { class: 'field-type mono' }, typeLabel(shape, context.root)),
    shape.schema['deprecated'] === true && h('span', { class: 'tag' }, t('deprecated')),
  ];
}

function description(spec: FieldSpec, shape: Shape, id: string): HTMLElement | null {
  const { description: text, title } = shape.schema;
  const words = typeof text === 'string' && text !== '' ? text : typeof title === 'string' ? title : '';
  if (words === '' || words === spec.name) return null;
  const drawn = markdown(words);
  drawn.classList.add('field-about');
  drawn.id = id;
  return drawn;
}

function removeButton(spec: FieldSpec): HTMLElement | null {
  const { onRemove, name } = spec;
  if (!onRemove) return null;
  return h(
    'button',
    {
      type: 'button',
      class: 'icon-button small',
      'aria-label': t('removeNamed', { name }),
      title: t('remove'),
      on: { click: onRemove },
    },
    icon('close'),
  );
}
