/** The pages of the app, without the door. */
export const pageNames = [
  'home',
  'add',
  'apis',
  'api',
  'newTool',
  'tools',
  'tool',
  'servers',
  'server',
  'keys',
  'calls',
  'call',
  'credentials',
  'admins',
  'audit',
  'analytics',
  'settings',
  'account',
] as const;

/** The path below `/admin` of what the browser shows. */
export const pathOf = (place: Pick<Location, 'pathname'>): string =>
  place.pathname.replace(/^\/admin(?=\/|$)/, '');

export type PageName = (typeof pageNames)[number];

const ofOne: readonly [RegExp, PageName][] = [
  [/^\/apis\/([^/]+)\/new-tool$/, 'newTool'],
  [/^\/apis\/([^/]+)$/, 'api'],
  [/^\/tools\/([^/]+)$/, 'tool'],
  [/^\/servers\/([^/]+)$/, 'server'],
  [/^\/calls\/([^/]+)$/, 'call'],
];

/** The page at a path below `/admin`, if there is one, and what it is about. */
export function pageAt(path: string): { readonly name: PageName; readonly subject: string } | null {
  if (path === '' || path === '/') return { name: 'home', subject: '' };
  for (const [pattern, name] of ofOne) {
    const subject = pattern.exec(path)?.[1];
    if (subject !== undefined) return { name, subject: decodeURIComponent(subject) };
  }
  const name = pageNames.find((entry) => path === `/${entry}`);
  return name === undefined ? null : { name, subject: '' };
}
