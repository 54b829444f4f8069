import { Compass } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState } from '../components/EmptyState.tsx';
import { Failed, Waiting } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { useText } from '../i18n/text.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { LiveChanges } from './LiveChanges.tsx';
import { useSession } from './session.tsx';
import { Shell } from './Shell.tsx';
import { Shortcuts } from './Shortcuts.tsx';

// One chunk per page: the first page does not wait for the others.
const SignIn = lazy(() => import('../pages/sign-in/SignIn.tsx'));
const Home = lazy(() => import('../pages/home/Home.tsx'));
const AddApi = lazy(() => import('../pages/add/AddApi.tsx'));
const Apis = lazy(() => import('../pages/apis/Apis.tsx'));
const ApiPage = lazy(() => import('../pages/apis/ApiPage.tsx'));
const Tools = lazy(() => import('../pages/tools/Tools.tsx'));
const NewTool = lazy(() => import('../pages/tools/NewTool.tsx'));
const ToolPage = lazy(() => import('../pages/tools/ToolPage.tsx'));
const Servers = lazy(() => import('../pages/servers/Servers.tsx'));
const ServerPage = lazy(() => import('../pages/servers/ServerPage.tsx'));
const Keys = lazy(() => import('../pages/keys/Keys.tsx'));
const Calls = lazy(() => import('../pages/calls/Calls.tsx'));
const CallPage = lazy(() => import('../pages/calls/CallPage.tsx'));
const Credentials = lazy(() => import('../pages/credentials/Credentials.tsx'));
const Admins = lazy(() => import('../pages/admins/Admins.tsx'));
const Audit = lazy(() => import('../pages/audit/Audit.tsx'));
const Analytics = lazy(() => import('../pages/analytics/Analytics.tsx'));
const SettingsPage = lazy(() => import('../pages/settings/Settings.tsx'));
const Account = lazy(() => import('../pages/account/Account.tsx'));
const Palette = lazy(() => import('./Palette.tsx'));

/** Which page an address shows. */
export function Pages() {
  const { state } = useSession();
  if (state.kind === 'asking') return null;
  if (state.kind === 'unreachable') return <Failed error={state.error} retry={() => location.reload()} />;
  if (state.kind === 'out')
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  return (
    <Shell>
      <Shortcuts />
      <LiveChanges />
      <Suspense>
        <Palette />
      </Suspense>
      <ErrorBoundary>
        <Suspense fallback={<Waiting rows={8} />}>
          <Switch>
            <Route path="/" component={Home} />
            <Route path="/add" component={AddApi} />
            <Route path="/apis" component={Apis} />
            <Route path="/apis/:api/new-tool">{({ api }) => <NewTool key={api} reference={api} />}</Route>
            <Route path="/apis/:api">{({ api }) => <ApiPage key={api} reference={api} />}</Route>
            <Route path="/tools" component={Tools} />
            <Route path="/tools/:tool">{({ tool }) => <ToolPage key={tool} reference={tool} />}</Route>
            <Route path="/servers" component={Servers} />
            <Route path="/servers/:server">
              {({ server }) => <ServerPage key={server} reference={server} />}
            </Route>
            <Route path="/keys" component={Keys} />
            <Route path="/calls" component={Calls} />
            <Route path="/calls/:call">{({ call }) => <CallPage key={call} reference={call} />}</Route>
            <Route path="/credentials" component={Credentials} />
            <Route path="/admins" component={Admins} />
            <Route path="/audit" component={Audit} />
            <Route path="/analytics" component={Analytics} />
            <Route path="/settings" component={SettingsPage} />
            <Route path="/account" component={Account} />
            {['/sign-in', '/setup', '/invitation'].map((path) => (
              <Route key={path} path={path}>
                <Redirect to="/" />
              </Route>
            ))}
            <Route component={Nowhere} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}

function Nowhere() {
  const t = useText();
  return (
    <Page title={t('nowhere.title')}>
      <EmptyState icon={Compass} title={t('nowhere.text')} />
    </Page>
  );
}
