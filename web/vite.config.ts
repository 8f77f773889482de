import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontPreload } from './vite/font-preload.ts'
import { messages } from './vite/messages.ts'

/** What the server replaces in every answer; `src/dashboard` knows it too. */
const NONCE = '__CSP_NONCE__'

const VENDOR =
  /node_modules\/(?:react|react-dom|scheduler|clsx|openapi-fetch|lucide-react|@tanstack\/(?!react-virtual)[^/]+)\//
/** The small parts that all pages are made of; not those that are loaded on demand. */
const KIT =
  /web\/src\/(?:ui\/(?!menu-parts|popover-parts|dialog|select|tabs|switch)|lib\/|i18n\/(?!messages)|app\/(?:workspace\.|shortcuts\.|jobs|search-params|language|preferences|navigation))/

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [react(), tailwindcss(), messages(), fontPreload('inter-latin-wght-normal')],
  html: { cspNonce: NONCE },
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
      output: {
        // What every page needs comes in few files; everything else where it is needed.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: VENDOR },
            { name: 'kit', test: KIT },
          ],
        },
      },
    },
  },
})
