import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { LaterDialogs } from '../components/feedback/LaterDialogs.tsx';
import type { Texts } from '../i18n/en.ts';
import type { Language } from '../i18n/language.ts';
import { TextProvider } from '../i18n/text.tsx';
import { theme } from '../theme/theme.ts';
import { LeavingGuard } from './LeavingGuard.tsx';
import { Pages } from './Pages.tsx';
import { SessionProvider, type SessionState } from './account/session.tsx';

/** Everything the pages stand on. Styles come from files only: see theme-css.ts. */
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
              <LaterDialogs />
            </LeavingGuard>
          </SessionProvider>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
