import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontPreload } from './vite/font-preload.ts'
import { messages } from './vite/messages.ts'
import dashboard, { NONCE } from './vite.config.ts'

/** The files of messages that the page needs. */
const PARTS = ['common', 'statistics', 'shares']

/**
 * The page of shared statistics: a program of its own, so that viewers load nothing of the rest and
 * the dashboard's files are cut for the dashboard alone. It is built into the same folder.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  publicDir: false,
  plugins: [react(), tailwindcss(), messages(PARTS), fontPreload('inter-latin-wght-normal')],
  html: { cspNonce: NONCE },
  build: {
    ...dashboard.build,
    emptyOutDir: false,
    manifest: '.vite/shared.json',
    rolldownOptions: { input: fileURLToPath(new URL('shared.html', import.meta.url)) },
  },
})
