import { Compass } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState } from '../components/EmptyState.tsx';
import { Failed, Waiting } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { useText } from '../i18n/text.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { loadPage, loadShell, loadSignIn } from './page-files.ts';
import { useSession } from './session.tsx';

const Shell = lazy(loadShell);
const SignIn = lazy(loadSignIn);
const Home = lazy(loadPage.home);
const AddApi = lazy(loadPage.add);
const Apis = lazy(loadPage.apis);
const ApiPage = lazy(loadPage.api);
const NewTool = lazy(loadPage.newTool);
const Tools = lazy(loadPage.tools);
const ToolPage = lazy(loadPage.tool);
const Servers = lazy(loadPage.servers);
const ServerPage = lazy(loadPage.server);
const Keys = lazy(loadPage.keys);
const Calls = lazy(loadPage.calls);
const CallPage = lazy(loadPage.call);
const Credentials = lazy(loadPage.credentials);
const Admins = lazy(loadPage.admins);
const Audit = lazy(loadPage.audit);
const Analytics = lazy(loadPage.analytics);
const SettingsPage = lazy(loadPage.settings);
const Account = lazy(loadPage.account);

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
    <Suspense>
      <Shell>
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
    </Suspense>
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
