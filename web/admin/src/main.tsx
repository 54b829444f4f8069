import './theme/mantine.css';
import 'virtual:theme.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { readAhead } from './api/readings.ts';
import { App } from './app/App.tsx';
import { loadPage } from './app/page-files.ts';
import { initialRequests, pageAt, pathOf } from './app/page-table.ts';
import { firstState } from './app/account/session.tsx';
import { preferredLanguage } from './i18n/language.ts';
import { loadTexts } from './i18n/text.tsx';

// Everything that the first page needs was asked for by start.ts; it is drawn once, when all of it is here.
const queries = createQueryClient();
for (const request of initialRequests(location)) readAhead(queries, request);
const page = pageAt(pathOf(location));
const language = preferredLanguage();
document.documentElement.lang = language;
const [session, texts] = await Promise.all([
  firstState(),
  loadTexts(language),
  // A file that does not come is told where the page would stand.
  page && loadPage(page.name).catch(() => undefined),
]);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App language={language} texts={texts} session={session} queries={queries} />
  </StrictMode>,
);
