import { isObject } from '../../schema/json-values.ts';
import { h } from '../dom.ts';
import type { Child } from '../dom.ts';
import { jsonBlock } from './json-editor.ts';
import { markdown } from '../markdown.ts';
import { propertiesOf, requiredOf, shapeOf, typeLabel, variantName } from './schema-shape.ts';
import type { Schema, Shape } from './schema-shape.ts';
import { segmented } from '../controls/tabs.ts';
import { t } from '../texts.ts';

/** A read-only view of a schema, as a tree with descriptions or as JSON. */
export function schemaView(schema: unknown, label: string): HTMLElement {
  const place = h('div', {});
  const show = (form: string): void =>
    place.replaceChildren(form === 'tree' ? tree(schema) : jsonBlock(schema, label));
  const choice = segmented(
    label,
    [
      { id: 'tree', label: t('asTree') },
      { id: 'json', label: t('asJson') },
    ],
    'tree',
    show,
  );
  show('tree');
  return h('div', { class: 'schema' }, h('div', { class: 'row' }, choice), place);
}

function tree(schema: unknown): HTMLElement {
  const shape = shapeOf(schema, schema);
  const members = membersOf(shape, schema);
  if (members.length === 0) return h('p', { class: 'muted' }, typeLabel(shape, schema));
  return h(
    'ul',
    { class: 'schema-tree' },
    members.map((member) => node(member, schema, 0)),
  );
}

interface Member {
  name: string;
  schema: unknown;
  required: boolean;
}

/** The contents of a schema. Built when a node is opened, so a recursive schema is only as deep as the reader goes. */
function membersOf(shape: Shape, root: unknown): Member[] {
  const { schema, variants } = shape;
  if (variants.length > 0)
    return variants.map((variant, index) => ({
      name: variantName(variant, root, index),
      schema: variant,
      required: false,
    }));
  const required = requiredOf(schema);
  const members = propertiesOf(schema).map(([name, property]) => ({
    name,
    schema: property,
    required: required.has(name),
  }));
  if (isObject(schema['additionalProperties']))
    members.push({ name: '*', schema: schema['additionalProperties'], required: false });
  if (Array.isArray(schema['prefixItems'])) {
    schema['prefixItems'].forEach((item, index) =>
      members.push({ name: String(index), schema: item, required: false }),
    );
  }
  if (isObject(schema['items'])) {
    const inner = shapeOf(schema['items'], root);
    if (inner.variants.length > 0 || inner.type === 'object' || inner.type === 'array')
      members.push(...membersOf(inner, root).map((member) => ({ ...member, name: `[].${member.name}` })));
  }
  return members;
}

function node(member: Member, root: unknown, depth: number): HTMLElement {
  const shape = shapeOf(member.schema, root);
  const head: Child[] = [
    h('span', { class: 'mono field-name' }, member.name),
    member.required &&
      h(
        'span',
        { class: 'required', title: t('required') },
        '*',
        h('span', { class: 'offscreen' }, t('required')),
      ),
    h('span', { class: 'mono field-type' }, typeLabel(shape, root)),
    shape.schema['deprecated'] === true && h('span', { class: 'tag' }, t('deprecated')),
  ];
  const about = [describe(shape.schema), limits(shape.schema)];
  const inner = membersOf(shape, root);
  if (inner.length === 0) return h('li', {}, h('div', { class: 'schema-leaf' }, head), about);
  const list = h('ul', {});
  const build = (): void => {
    if (list.childElementCount === 0) list.append(...inner.map((child) => node(child, root, depth + 1)));
  };
  const details = h('details', { on: { toggle: build } }, h('summary', {}, head), about, list);
  if (depth < 1) {
    build();
    details.open = true;
  }
  return h('li', {}, details);
}

function describe(schema: Schema): Child {
  const text = schema['description'];
  if (typeof text !== 'string' || text === '') return null;
  const drawn = markdown(text);
  drawn.classList.add('field-about');
  return drawn;
}

const shownLimits = [
  'enum',
  'const',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'examples',
];

function limits(schema: Schema): Child {
  const given = shownLimits.filter((keyword) => schema[keyword] !== undefined);
  if (given.length === 0) return null;
  return h(
    'div',
    { class: 'limits' },
    given.map((keyword) =>
      h('span', { class: 'limit mono' }, h('b', {}, keyword), ' ', shorten(JSON.stringify(schema[keyword]))),
    ),
  );
}

function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
