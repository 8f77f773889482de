import { html } from 'hono/html'

export { html, raw } from 'hono/html'

/** Markup: what is put into a template is escaped, unless it is markup itself. */
export type Html = ReturnType<typeof html>

/** Paragraphs and `## ` headings, with what stands in backticks as code: all our Markdown. */
export function prose(markdown: string | undefined): Html | undefined {
  if (markdown === undefined) return undefined
  return html`${markdown.split('\n\n').map(block)}`
}

function block(text: string): Html {
  if (text.startsWith('## ')) return html`<h3>${inline(text.slice(3))}</h3>\n`
  return html`<p>${inline(text)}</p>\n`
}

/** One line of such text. */
export function inline(markdown = ''): Html {
  const parts = markdown.split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
