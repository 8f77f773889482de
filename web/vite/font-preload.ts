import type { Plugin } from 'vite'

/** Asks for a font with the page, not after its style sheet, so that no text moves. */
export function fontPreload(name: string): Plugin {
  return {
    name: 'slugline-font-preload',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find(
          (path) => path.includes(name) && path.endsWith('.woff2'),
        )
        if (file === undefined) return []
        const attrs = {
          rel: 'preload',
          href: `/app/${file}`,
          as: 'font',
          type: 'font/woff2',
          crossorigin: '',
        }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
