import { Explorer } from './explorer.ts';
import { readSettings } from './settings.ts';
import { startLanguage } from './texts.ts';
import { startTheme } from './controls/theme.ts';

startTheme();
startLanguage();
new Explorer(readSettings()).start();
