import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { ProblemError } from '../api/problem.ts';
import type { Session } from '../api/resources.ts';
import { Asked } from '../components/confirm.tsx';
import { Toasts } from '../components/toasts.tsx';
import type { Texts } from '../i18n/en.ts';
import { TextProvider, type Language } from '../i18n/text.tsx';
import { theme } from '../theme/theme.ts';
import { Pages } from './Pages.tsx';
import { SessionProvider } from './session.tsx';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the gateway refused once it refuses again; only a lost connection is worth another try.
      retry: (failures, error) => !(error instanceof ProblemError) && failures < 2,
    },
  },
});

/** Everything the pages stand on. Styles come from files only: see theme-css.ts. */
export function App({
  language,
  texts,
  session,
}: {
  language: Language;
  texts: Texts;
  session: Promise<Session>;
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
            <Router base="/admin">
              <Pages />
              <Asked />
              <Toasts />
            </Router>
          </SessionProvider>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
