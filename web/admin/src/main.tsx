import './theme/mantine.css';
import 'virtual:theme.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askSession } from './api/ask-session.ts';
import { App } from './app/App.tsx';
import { loadPage, loadShell, loadSignIn, pageAt } from './app/page-files.ts';
import { loadTexts, preferredLanguage } from './i18n/text.tsx';

// What the first page needs is asked for before anything is drawn, all at once.
const session = askSession();
void session.then(
  () => loadShell(),
  () => loadSignIn(),
);
const page = pageAt(location.pathname);
if (page !== null) void loadPage[page]();

const language = preferredLanguage();
document.documentElement.lang = language;
const texts = await loadTexts(language);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App language={language} texts={texts} session={session} />
  </StrictMode>,
);
