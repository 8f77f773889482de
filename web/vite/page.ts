import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'
import dashboard, { NONCE, RESOLVE } from '../vite.config.ts'
import { fontPreload } from './font-preload.ts'
import { messages } from './messages.ts'

const web = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * A page that is a program of its own, so that its visitors load nothing of the dashboard: `{name}.html`
 * with the messages of these files alone. It is built into the dashboard's folder.
 */
export function pageConfig(name: string, parts: readonly string[]): UserConfig {
  return {
    root: web('.'),
    base: '/app/',
    plugins: [react(), tailwindcss(), messages(parts), fontPreload('inter-latin-wght-normal')],
    html: { cspNonce: NONCE },
    resolve: RESOLVE,
    build: {
      ...dashboard.build,
      emptyOutDir: false,
      // The dashboard's build has copied them; its pages only name them.
      copyPublicDir: false,
      manifest: `.vite/${name}.json`,
      rolldownOptions: { input: web(`${name}.html`) },
    },
  }
}
