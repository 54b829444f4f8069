/** Outlines on a 24-unit square, drawn in the text color. */
const outlines = {
  search: ['M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14Z', 'm20 20-4-4'],
  key: ['M15 4a5 5 0 1 1-4.6 7L4 17.5V20h3v-2h2v-2h2l1-1.2', 'M16 8.5h.01'],
  sun: [
    'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
    'M12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  ],
  moon: ['M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z'],
  play: ['M7 5v14l12-7L7 5Z'],
  stop: ['M7 7h10v10H7z'],
  check: ['m5 12.5 4.5 4.5L19 7.5'],
  copy: ['M9 9h10v11H9z', 'M15 9V4H5v11h4'],
  download: ['M12 4v11m0 0 4-4m-4 4-4-4', 'M5 20h14'],
  link: [
    'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.300l-1 1',
    'M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  ],
  back: ['M15 5l-7 7 7 7'],
  plus: ['M12 5v14M5 12h14'],
  close: ['M6 6l12 12M18 6 6 18'],
  reset: ['M4 12a8 8 0 1 0 2.500-5.800L4 8.500', 'M4 4v4.500h4.500'],
  up: ['m6 15 6-6 6 6'],
  down: ['m6 9 6 6 6-6'],
  repeat: ['M17 3l3 3-3 3', 'M4 11V9a3 3 0 0 1 3-3h13', 'M7 21l-3-3 3-3', 'M20 13v2a3 3 0 0 1-3 3H4'],
  external: ['M14 4h6v6M20 4l-9 9', 'M18 14v6H4V6h6'],
  globe: ['M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z', 'M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18'],
  alert: ['M12 3.500 22 20H2L12 3.500Z', 'M12 10v4.500M12 17.200v.1'],
  wand: ['M5 19 16 8m2-2 1-1M14 4v2M20 10h-2M9 5l1 1M19 14l-1-1'],
} as const;

export type IconName = keyof typeof outlines;

/** A decorative icon. The text next to it, or the button's label, says what it means. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const outline of outlines[name]) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', outline);
    svg.append(path);
  }
  return svg;
}
