// One file per page: the first page does not wait for the others.
export const loadPage = {
  home: () => import('../pages/home/Home.tsx'),
  add: () => import('../pages/add/AddApi.tsx'),
  apis: () => import('../pages/apis/Apis.tsx'),
  api: () => import('../pages/apis/ApiPage.tsx'),
  newTool: () => import('../pages/tools/NewTool.tsx'),
  tools: () => import('../pages/tools/Tools.tsx'),
  tool: () => import('../pages/tools/ToolPage.tsx'),
  servers: () => import('../pages/servers/Servers.tsx'),
  server: () => import('../pages/servers/ServerPage.tsx'),
  keys: () => import('../pages/keys/Keys.tsx'),
  calls: () => import('../pages/calls/Calls.tsx'),
  call: () => import('../pages/calls/CallPage.tsx'),
  credentials: () => import('../pages/credentials/Credentials.tsx'),
  admins: () => import('../pages/admins/Admins.tsx'),
  audit: () => import('../pages/audit/Audit.tsx'),
  analytics: () => import('../pages/analytics/Analytics.tsx'),
  settings: () => import('../pages/settings/Settings.tsx'),
  account: () => import('../pages/account/Account.tsx'),
} as const;

export const loadShell = () => import('./Shell.tsx');
export const loadSignIn = () => import('../pages/sign-in/SignIn.tsx');

const beginnings: readonly [RegExp, keyof typeof loadPage][] = [
  [/^\/?$/, 'home'],
  [/^\/apis\/[^/]+\/new-tool$/, 'newTool'],
  [/^\/apis\/./, 'api'],
  [/^\/tools\/./, 'tool'],
  [/^\/servers\/./, 'server'],
  [/^\/calls\/./, 'call'],
  [/^\/(add|apis|tools|servers|keys|calls|credentials|admins|audit|analytics|settings|account)$/, 'home'],
];

/** The page that an address of the app shows, if there is one. */
export function pageAt(address: string): keyof typeof loadPage | null {
  const path = address.replace(/^\/admin/, '');
  const found = beginnings.find(([pattern]) => pattern.test(path));
  if (found === undefined) return null;
  return found[0].exec(path)?.[1] === undefined ? found[1] : (path.slice(1) as keyof typeof loadPage);
}
