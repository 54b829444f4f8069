import { Compass } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { EmptyState } from '../components/feedback/EmptyState.tsx';
import { LoadFailure, LoadingRows } from '../components/feedback/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { useText } from '../i18n/text.tsx';
import { SignIn } from '../pages/sign-in/SignIn.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { pageComponent } from './page-files.ts';
import { pageAt, type PageName } from './page-table.ts';
import { useSession } from './account/session.tsx';
import { Shell } from './Shell.tsx';

const doors = ['/sign-in', '/setup', '/invitation'];

/** What an address shows to whoever is there. */
export function Pages() {
  const { state } = useSession();
  const [path] = useLocation();
  if (state.kind === 'unreachable')
    return <LoadFailure error={state.error} retry={() => location.reload()} />;
  if (state.kind === 'out') return <SignIn />;
  const page = pageAt(path);
  return (
    <Shell>
      <ErrorBoundary>
        <Suspense fallback={<LoadingRows rows={8} />}>
          {page !== null ? (
            <OnePage key={`${page.name} ${page.subject}`} name={page.name} subject={page.subject} />
          ) : doors.includes(path) ? (
            <Redirect to="/" />
          ) : (
            <Nowhere />
          )}
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}

function OnePage({ name, subject }: { name: PageName; subject: string }) {
  // Kept: a page must not begin anew because its file has come meanwhile.
  const [Component] = useState(() => pageComponent(name));
  return <Component reference={subject} />;
}

function Nowhere() {
  const t = useText();
  return (
    <Page title={t('nowhere.title')}>
      <EmptyState icon={Compass} title={t('nowhere.text')} />
    </Page>
  );
}
