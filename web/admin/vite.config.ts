import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compileHints } from './compile-hints.ts';
import { compressFiles } from './compress-files.ts';
import { sharedSources } from './shared-sources.ts';
import { startScript } from './start-script.ts';
import { themeCss } from './theme-css.ts';

const gateway = process.env['HANDRAIL_URL'] ?? 'http://127.0.0.1:8080';

/** Used by every page, including sign-in. */
const base =
  /vite[\\/]preload-helper|node_modules[\\/](?:react|react-dom|scheduler|wouter|@tanstack[\\/](?:react-query|query-core)|@mantine[\\/]core[\\/].*[\\/](?:core|Input|InputBase|TextInput|PasswordInput|Button|ActionIcon|UnstyledButton|Loader|Text|Stack|Group|Badge|Skeleton|Transition|CloseButton|Paper|Kbd|Alert|Switch|InlineInput|Anchor|NativeSelect)|@mantine[\\/]hooks)[\\/]/;

/** Menus, selects and dialogs. */
const floating =
  /node_modules[\\/](?:@floating-ui|react-number-format|react-remove-scroll|@mantine[\\/]core)[\\/]/;

/** Virtualized tables. */
const scrolling =
  /node_modules[\\/]@tanstack[\\/](?:react-)?virtual|src[\\/]components[\\/]tables[\\/]VirtualTable|filter-tools\.ts/;

/** Used by a single component and bundled with it. */
const single = /lean-qr|use-drag/;

/** Our own code that every page uses, including sign-in. */
const shared =
  /@handrail[\\/]theme\.css|src[\\/](?:(?:components|api|i18n|editing|app|theme|pages[\\/]sign-in)[\\/]|pages[\\/].*[\\/](?:filter|view)\.ts)/;

/** Exceptions: loaded on demand, or by only a few pages. */
const later =
  /(?:page-files|SignInAgain|Markdown|markdown-blocks|AccountMenu|ImportTray|PlacesSheet|Palette|ShortcutList|[\\/]Dialogs|OpenActionMenu|ViewOnly|[\\/]e[ns]|VirtualTable|TwoLines|ColumnMenu|ListPage|sort-rows|use-table-view|use-usage-columns|ResultView|ResultBlocks|LineDiff|CodeBlock|CopyButton|charts.*|qr.*|LimitsForm|QuantityInput|ConflictDialog|DetailPage|SaveBar)\.tsx?$/;

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/admin/',
  plugins: [react(), themeCss(), startScript(), compileHints(), compressFiles()],
  resolve: { alias: sharedSources },
  build: {
    outDir: fileURLToPath(new URL('../../dist/web/admin', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Inline data: URLs and the module preload polyfill would both need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    cssCodeSplit: false,
    // A few files instead of many small ones: one with what every page needs, and one per page. Menus, dialogs and
    // virtualized tables are separate, because sign-in and the first page need neither.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: (id) => base.test(id) && !single.test(id), priority: 3 },
            { name: 'floating', test: floating, priority: 2, minShareCount: 2 },
            { name: 'scrolling', test: scrolling, priority: 2 },
            {
              name: 'libraries',
              test: (id) => id.includes('node_modules') && !single.test(id),
              minShareCount: 2,
            },
            { name: 'shared', test: (id) => shared.test(id) && !later.test(id) },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': gateway, '/mcp': gateway, '/explorer': gateway } },
});
