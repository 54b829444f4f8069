/** The children of an element. Strings become text nodes, never markup. */
export type Child = Node | string | number | null | undefined | false | readonly Child[];

type Attribute = string | number | boolean | null | undefined;

/** Attributes, and listeners under `on`. */
export type Props = { on?: Record<string, (event: Event) => void> } & {
  [name: string]: Attribute | Record<string, (event: Event) => void>;
};

/** Creates an element. This is the only way the page creates one: it never parses markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') continue;
    setAttribute(element, name, value as Attribute);
  }
  for (const [event, listener] of Object.entries(props.on ?? {})) element.addEventListener(event, listener);
  append(element, children);
  return element;
}

/** Sets an attribute; false, null and undefined remove it. */
export function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** Replaces the contents of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child as readonly Child[]);
    else if (child instanceof Node) parent.append(child);
    else if (typeof child === 'string' || typeof child === 'number') parent.append(String(child));
  }
}

let lastId = 0;

/** An id that is unique on this page. */
export function uniqueId(prefix: string): string {
  return `${prefix}-${++lastId}`;
}
