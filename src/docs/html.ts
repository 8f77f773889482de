/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | null | undefined | false | readonly Value[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** HTML of a template: whatever is put in is escaped, unless it is {@link Html}. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  let text = strings[0] as string
  for (const [i, value] of values.entries()) text += textOf(value) + strings[i + 1]
  return new Html(text)
}

function textOf(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(textOf).join('')
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] as string)
}

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
export function inline(markdown: string | undefined): Html {
  const parts = (markdown ?? '').split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
