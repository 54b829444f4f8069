import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { loadDialogs } from '../components/feedback/load-dialogs.ts';
import type { Texts } from '../i18n/en.ts';
import type { Language } from '../i18n/language.ts';
import { TextProvider } from '../i18n/text.tsx';
import { theme } from '../theme/theme.ts';
import { LeavingGuard } from './LeavingGuard.tsx';
import { Pages } from './Pages.tsx';
import { SessionProvider, type SessionState } from './account/session.tsx';
import { useIdle } from './use-idle.ts';

const Dialogs = lazy(loadDialogs);

/** The providers around all pages. Styles come from files only: see theme-css.ts. */
export function App({
  language,
  texts,
  session,
  queries,
}: {
  language: Language;
  texts: Texts;
  session: SessionState;
  queries: QueryClient;
}) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <TextProvider initial={language} texts={texts}>
        <QueryClientProvider client={queries}>
          <SessionProvider first={session}>
            <LeavingGuard>
              <Pages />
              <LazyDialogs />
            </LeavingGuard>
          </SessionProvider>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}

/** Fetched early, once the first page is idle: a toast that reports a lost connection could not be fetched any more. */
function LazyDialogs() {
  return (
    useIdle() && (
      <Suspense>
        <Dialogs />
      </Suspense>
    )
  );
}
