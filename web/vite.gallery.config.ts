import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { messages } from './vite/messages.ts'
import { RESOLVE } from './vite.config.ts'

/** The gallery of the dashboard's controls, for development: no build of the product has it. */
export default defineConfig({
  root: fileURLToPath(new URL('./gallery', import.meta.url)),
  base: '/app/dev/ui/',
  plugins: [react(), tailwindcss(), messages(['common'])],
  resolve: RESOLVE,
  server: { host: '127.0.0.1', fs: { allow: [fileURLToPath(new URL('..', import.meta.url))] } },
  build: { reportCompressedSize: false },
})
