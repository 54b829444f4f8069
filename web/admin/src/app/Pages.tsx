import { Compass } from 'lucide-react';
import { Component, lazy, Suspense, useState, type ReactNode } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useIsOffline } from '../api/reachability.ts';
import { EmptyState } from '../components/feedback/EmptyState.tsx';
import { LoadFailure, LoadingRows } from '../components/feedback/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { useText } from '../i18n/text.tsx';
import { SignIn } from '../pages/sign-in/SignIn.tsx';
import { pageComponent } from './page-files.ts';
import { pageAt, type PageName } from './page-table.ts';
import { useSession } from './account/session.tsx';
import { Shell } from './Shell.tsx';

const SignInAgain = lazy(() => import('../pages/sign-in/SignInAgain.tsx'));

const signInPaths = ['/sign-in', '/setup', '/invitation'];

/** Picks the page for the current path and session. */
export function Pages() {
  const { state } = useSession();
  const [path] = useLocation();
  if (state.kind === 'unreachable')
    return <LoadFailure error={state.error} retry={() => location.reload()} />;
  if (state.kind === 'out') return <SignIn />;
  const page = pageAt(path);
  const { session, isExpired } = state;
  // Someone without a role has a page of their own and nothing else here.
  if (session.role === 'none' && page !== null && page.name !== 'me') return <Redirect to="/me" replace />;
  return (
    <>
      <Shell key={`${session.via} ${session.name}`}>
        <ErrorBoundary>
          <Suspense fallback={<LoadingRows rows={8} />}>
            {page !== null ? (
              <OnePage key={`${page.name} ${page.subject}`} name={page.name} subject={page.subject} />
            ) : signInPaths.includes(path) ? (
              <Redirect to="/" />
            ) : (
              <NotFound />
            )}
          </Suspense>
        </ErrorBoundary>
      </Shell>
      {isExpired && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </>
  );
}

function OnePage({ name, subject }: { name: PageName; subject: string }) {
  // Kept in state: a page must not remount because its file has loaded in the meantime.
  const [PageView] = useState(() => pageComponent(name));
  return <PageView reference={subject} />;
}

function NotFound() {
  const t = useText();
  return (
    <Page title={t('notFound.title')}>
      <EmptyState icon={Compass} title={t('notFound.text')} />
    </Page>
  );
}

/** Keeps a page that fails from taking the app down. If it failed while the gateway was offline, it is retried on reconnect. */
function ErrorBoundary({ children }: { children: ReactNode }) {
  return <Boundary isOffline={useIsOffline()}>{children}</Boundary>;
}

class Boundary extends Component<{ isOffline: boolean; children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: { isOffline: boolean }) {
    if (before.isOffline && !this.props.isOffline && this.state.error !== null)
      this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <LoadFailure error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
