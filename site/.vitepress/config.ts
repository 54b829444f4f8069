import { posix } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';

const repository = 'https://github.com/handrail/handrail';

/** Points links that leave the site, to sources and decision records, to the repository. */
const repositoryLinks: NonNullable<MarkdownOptions['config']> = (md) => {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = String(env.relativePath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const href = token.attrGet('href') ?? '';
      if (href === '' || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const target = posix.normalize(posix.join('docs', posix.dirname(page), href));
      if (!target.startsWith('docs/') || target.startsWith('docs/adr'))
        token.attrSet('href', `${repository}/blob/main/${target}`);
    }
  });
};

// The site of docs/: served by a gateway at /docs, and as static files anywhere (SITE_BASE=/).
export default defineConfig({
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.cache',
  base: process.env['SITE_BASE'] ?? '/docs/',
  title: 'Handrail',
  description: 'A gateway that lets AI agents use any REST API.',
  lang: 'en',
  // One inline script less: page metadata is in a file.
  metaChunk: true,
  markdown: {
    config: repositoryLinks,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // No requests to anyone else: fonts are the system's, and search runs in the page.
  themeConfig: {
    // The button's name is its visible text.
    search: {
      provider: 'local',
      options: { translations: { button: { buttonText: 'Search', buttonAriaLabel: 'Search' } } },
    },
    socialLinks: [{ icon: 'github', link: repository }],
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/internal-api' },
      { text: 'Guides', link: '/guide/importing' },
      { text: 'Reference', link: '/reference/cli' },
    ],
    sidebar: [
      {
        text: 'Start in five minutes',
        items: [
          { text: 'My internal API', link: '/start/internal-api' },
          { text: 'Twenty APIs for a company', link: '/start/company' },
          { text: 'My own agent', link: '/start/agent' },
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'Importing APIs', link: '/guide/importing' },
          { text: 'Publishing servers', link: '/guide/servers' },
          { text: 'Calling tools from code', link: '/guide/code' },
          { text: 'The playground and checks', link: '/guide/playground' },
          { text: 'Files', link: '/guide/files' },
          { text: 'Pages and jobs', link: '/guide/pages-and-jobs' },
          { text: 'Connecting clients', link: '/guide/connecting-clients' },
          { text: 'Credentials', link: '/guide/credentials' },
          { text: 'Access', link: '/guide/access' },
          { text: 'Connect by URL', link: '/guide/connect-by-url' },
          { text: 'Limits', link: '/guide/limits' },
          { text: 'The admin app', link: '/guide/admin' },
          { text: 'Running in production', link: '/guide/running' },
          { text: 'Deploying', link: '/guide/deploying' },
          { text: 'Scaling', link: '/guide/scaling' },
          { text: 'Observability', link: '/guide/observability' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Command line', link: '/reference/cli' },
          { text: 'Configuration', link: '/reference/configuration' },
          { text: 'Errors', link: '/reference/errors' },
          { text: 'MCP', link: '/reference/mcp' },
          { text: 'Metrics', link: '/reference/metrics' },
          { text: 'Faults', link: '/reference/faults' },
          { text: 'Import fidelity', link: '/reference/import-fidelity' },
        ],
      },
    ],
  },
});
