import { pageConfig } from './vite/page.ts'

const COMPAT = 'preact/compat'

/**
 * The pages before the sign-in, the first that anybody loads: with Preact, which does for forms what
 * React does in a fifth of its size (docs/adr/0098).
 */
export default pageConfig('signed-out', ['common', 'auth'], {
  resolve: {
    alias: [
      { find: /^react$|^react-dom$/, replacement: COMPAT },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
    ],
  },
})
