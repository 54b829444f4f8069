import { fill, h } from '../dom.ts';

const region = h('div', { class: 'toast', role: 'status', 'aria-live': 'polite' });
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Says a short thing on screen and to screen readers. */
export function announce(text: string): void {
  if (!region.isConnected) document.body.append(region);
  fill(region, h('span', {}, text));
  region.classList.add('shown');
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    region.classList.remove('shown');
    fill(region);
  }, 2500);
}
