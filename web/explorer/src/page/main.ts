import { Explorer } from './explorer.ts';
import { readSettings } from './settings.ts';
import { startTheme } from './theme.ts';

startTheme();
new Explorer(readSettings()).start();
