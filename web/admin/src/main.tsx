import './theme/fonts.css';
import './theme/mantine.css';
import 'virtual:theme.css';
import './theme/base.css';
import { QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ProblemError } from './api/problem.ts';
import { prefetch } from './api/query-options.ts';
import { App } from './app/App.tsx';
import { loadPage } from './app/page-files.ts';
import { initialRequests, pageAt, pathOf } from './app/page-table.ts';
import { loadSession } from './app/account/session.tsx';
import { preferredLanguage } from './i18n/language.ts';
import { loadTexts } from './i18n/text.tsx';

// start.ts has already requested everything the first page needs. Render once, when all of it is here.
const queries = new QueryClient({
  defaultOptions: {
    // The gateway often runs on the same machine, which may be offline otherwise.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      // The gateway would reject the same request again; only a lost connection is worth a retry.
      retry: (failures, error) => !(error instanceof ProblemError) && failures < 2,
    },
  },
});
for (const request of initialRequests(location)) prefetch(queries, request);
const page = pageAt(pathOf(location));
const language = preferredLanguage();
document.documentElement.lang = language;
const [session, texts] = await Promise.all([
  loadSession(),
  loadTexts(language),
  // A page file that fails to load is reported in place of the page.
  page && loadPage(page.name).catch(() => undefined),
]);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App language={language} texts={texts} session={session} queries={queries} />
  </StrictMode>,
);
