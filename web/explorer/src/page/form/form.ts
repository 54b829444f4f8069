import { WorkBudget } from '../../schema/budget.ts';
import type { Finding } from '../../schema/check-state.ts';
import { checkValue } from '../../schema/check-value.ts';
import { asText, pointerTo, pointerTokens } from '../../schema/json-values.ts';
import { fill, h, setAttribute } from '../dom.ts';
import { formats } from '../formats.ts';
import { propertiesOf, shapeOf } from '../arguments/schema-shape.ts';
import { t, textIfKnown } from '../texts.ts';
import { createField } from './create-field.ts';
import type { Field, FieldView, FormContext } from './field.ts';

const maxCheckSteps = 200_000;

/** The form of one schema. It renders a value, and reports its value after each change. */
export class Form {
  readonly element = h('div', { class: 'form' });
  readonly #schema: unknown;
  readonly #onChange: (value: unknown) => void;
  readonly #views = new Map<string, FieldView>();
  readonly #variants = new Map<string, () => unknown>();
  readonly #touched = new Set<string>();
  #field: Field | null = null;
  #showAll = false;

  constructor(schema: unknown, onChange: (value: unknown) => void) {
    this.#schema = schema;
    this.#onChange = onChange;
  }

  /** Renders the form again for a value from outside. */
  setValue(value: unknown): void {
    this.#views.clear();
    this.#variants.clear();
    const { schema, type } = shapeOf(this.#schema, this.#schema);
    if (
      propertiesOf(schema).length === 0 &&
      (type === 'object' || type === '') &&
      schema['additionalProperties'] === undefined &&
      schema['oneOf'] === undefined &&
      schema['anyOf'] === undefined &&
      isEmptyObject(value)
    ) {
      this.#field = null;
      fill(this.element, h('p', { class: 'muted' }, t('noArguments')));
      return;
    }
    this.#field = createField(this.#context(), {
      name: t('arguments'),
      schema: this.#schema,
      path: '',
      value,
      required: true,
      depth: 0,
    });
    fill(this.element, this.#field.element);
    this.check(value);
  }

  /** Forgets which fields were touched, as after a reset. */
  reset(): void {
    this.#touched.clear();
    this.#showAll = false;
  }

  /** Validates a value and shows problems at the touched fields, or at all fields if requested. */
  check(value: unknown, showAll = this.#showAll): Finding[] {
    this.#showAll = showAll;
    const findings = this.#find(value).map(atMissingMember);
    const byPath = groupByPath(findings);
    for (const [path, view] of this.#views) {
      const shown = showAll || this.#touched.has(path) ? (byPath.get(path) ?? []) : [];
      fill(view.problem, shown.length > 0 ? hintOf(shown[0] as Finding) : null);
      view.element.classList.toggle('wrong', shown.length > 0);
      if (view.control)
        setAttribute(
          view.control,
          'aria-invalid',
          shown.length > 0 && /INPUT|SELECT|TEXTAREA/.test(view.control.tagName) ? 'true' : null,
        );
    }
    return findings;
  }

  /** Moves the focus to the field at a path, or to the nearest one around it. */
  focusOn(path: string): void {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const view = this.#views.get(at);
      const target =
        view?.control ?? view?.element.querySelector<HTMLElement>('input, select, textarea, button');
      if (target) {
        target.focus();
        target.scrollIntoView({ block: 'center' });
        return;
      }
      if (at === '') return;
    }
  }

  #find(value: unknown): Finding[] {
    try {
      let findings = checkValue(this.#schema, value, { formats, budget: new WorkBudget(maxCheckSteps) });
      for (const [path, variant] of this.#variants) {
        if (!findings.some((finding) => isAtOrBelow(finding.path, path))) continue;
        const chosen = checkValue(variant(), valueAt(value, path), {
          formats,
          budget: new WorkBudget(maxCheckSteps),
          root: this.#schema,
        });
        findings = [
          ...findings.filter((finding) => !isAtOrBelow(finding.path, path)),
          ...chosen.map((finding) => ({ ...finding, path: path + finding.path })),
        ];
      }
      return findings;
    } catch {
      // A schema that can't be walked gives no hints; the server reports what is wrong with it.
      return [];
    }
  }

  #context(): FormContext {
    const context: FormContext = {
      root: this.#schema,
      create: (spec) => createField(context, spec),
      changed: (path) => {
        this.#touched.add(path);
        if (!this.#field) return;
        const value = this.#field.get();
        this.check(value);
        this.#onChange(value);
      },
      register: (path, view) => this.#views.set(path, view),
      registerVariant: (path, variant) => this.#variants.set(path, variant),
      forgetBelow: (path) => {
        for (const known of [this.#views, this.#variants]) {
          for (const key of known.keys()) if (key.startsWith(`${path}/`)) known.delete(key);
        }
      },
    };
    return context;
  }
}

/** A missing member is reported where it is missing, not at the object around it. */
function atMissingMember(finding: Finding): Finding {
  return finding.keyword === 'required'
    ? { ...finding, path: pointerTo(finding.path, String(finding.wanted)) }
    : finding;
}

/** A finding in the user's language. */
export function hintOf(finding: Finding): string {
  const { wanted } = finding;
  const shown = Array.isArray(wanted) ? wanted.join(' | ') : asText(wanted);
  return textIfKnown(`hint_${finding.keyword}`, { expected: shown }) ?? finding.message;
}

function valueAt(value: unknown, path: string): unknown {
  let place = value;
  for (const token of pointerTokens(path))
    place = (place as Record<string, unknown> | null | undefined)?.[token];
  return place;
}

function isAtOrBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function groupByPath(findings: Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) groups.set(finding.path, [...(groups.get(finding.path) ?? []), finding]);
  return groups;
}
