import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { themeCss } from './theme-css.ts';

const gateway = process.env['HANDRAIL_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/admin/',
  plugins: [react(), themeCss()],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web/admin', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Inline data: URLs and the module preload polyfill would both need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    // Few files instead of many small ones: what every page needs in one, each page in its own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, minShareCount: 3 },
            { name: 'shared', test: /src[\\/](?:components|api|i18n|editing|app)[\\/]/, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': gateway, '/mcp': gateway, '/explorer': gateway } },
});
