import './theme/mantine.css';
import 'virtual:theme.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { loadTexts, preferredLanguage } from './i18n/text.tsx';

const language = preferredLanguage();
document.documentElement.lang = language;
const texts = await loadTexts(language);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App language={language} texts={texts} />
  </StrictMode>,
);
