import { h, setAttribute, uniqueId } from '../dom.ts';
import { icon } from '../icons.ts';

/** A button that opens a short list of actions. */
export function menu(label: string, items: { label: string; run: () => void }[]): HTMLElement {
  const id = uniqueId('menu');
  const list = h('div', { class: 'menu', id, role: 'menu', 'aria-label': label });
  list.hidden = true;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-controls': id,
      on: { click: () => toggle(list.hidden === true) },
    },
    label,
    icon('down'),
  );
  const buttons = items.map((item) =>
    h(
      'button',
      {
        type: 'button',
        role: 'menuitem',
        tabindex: -1,
        on: {
          click: () => {
            toggle(false);
            button.focus();
            item.run();
          },
        },
      },
      item.label,
    ),
  );
  list.append(...buttons);
  const holder = h(
    'div',
    { class: 'menu-holder', on: { keydown: (event) => onKey(event as KeyboardEvent), focusout: onFocusOut } },
    button,
    list,
  );

  function toggle(open: boolean): void {
    list.hidden = !open;
    setAttribute(button, 'aria-expanded', String(open));
    if (open) buttons[0]?.focus();
  }

  function onKey(event: KeyboardEvent): void {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      event.stopPropagation();
      toggle(false);
      button.focus();
    } else if (step !== undefined) {
      event.preventDefault();
      const at = buttons.findIndex((item) => item === document.activeElement);
      buttons[(at + step + buttons.length) % buttons.length]?.focus();
    }
  }

  function onFocusOut(event: Event): void {
    const next = (event as FocusEvent).relatedTarget;
    if (!list.hidden && next instanceof Node && !holder.contains(next)) toggle(false);
    else if (next === null) setTimeout(() => holder.contains(document.activeElement) || toggle(false));
  }

  return holder;
}
