import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { messages } from './vite/messages.ts'

/** What the server replaces in every answer; `src/http/dashboard` knows it too. */
export const NONCE = '__CSP_NONCE__'

/** The sources are written for React; Preact does the same in a sixth of the size (docs/adr/0098). */
const PREACT = [
  { find: /^react$|^react-dom$/, replacement: 'preact/compat' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
]
/** `tsconfigPaths`: `@src/` is what the dashboard shares with the server. */
export const RESOLVE = { alias: PREACT, tsconfigPaths: true }

/** What the dashboard is made of that changes least. */
const BASE = /node_modules\/preact\//
/** What every page of the dashboard is made of, and the first page; not what is loaded on demand. */
const APP =
  /@base-ui\/react\/(?:csp|direction)-provider\/|web\/src\/(?:app\/(?!palette|shortcut-list|new-workspace)|features\/links\/list\/page\.|ui\/listbox\.)/
/** Parts that most pages load on demand. */
const PARTS = /web\/src\/ui\/(?:select|combobox|popover|menu)-parts\./
/** Statistics has tabs at once; what they share with the parts comes with them. */
const TABS = /web\/src\/ui\/tabs\./
const STATISTICS = /web\/src\/features\/statistics\/(?!world-map|map-shapes)/

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [react(), tailwindcss(), messages()],
  html: { cspNonce: NONCE },
  resolve: RESOLVE,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    // Data addresses would need an exception in the content security policy, and can't be kept.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: fileURLToPath(new URL('index.html', import.meta.url)),
      output: {
        // Few files, because each costs a round trip where there is no HTTP/2; with all they import.
        codeSplitting: {
          groups: [
            { name: 'base', test: BASE, priority: 3 },
            { name: 'app', test: APP, priority: 2 },
            { name: 'tabs', test: TABS, priority: 2 },
            { name: 'parts', test: PARTS, priority: 1 },
            { name: 'statistics', test: STATISTICS },
          ],
        },
      },
    },
  },
})
