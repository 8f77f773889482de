import { createHash } from 'node:crypto'

/**
 * The page's only script: it hides what the text in the search field isn't in. A title that
 * matches comes before any text, so that "list links" isn't every endpoint that mentions them.
 */
export const SEARCH = `
const field = document.querySelector('#search')
const found = document.querySelector('#found')
const entries = new Map([...document.querySelectorAll('nav a')].map((a) => [a.hash.slice(1), a.parentElement]))
const items = [...document.querySelectorAll('[data-item]')].map((element) => ({
  element,
  title: (element.dataset.item + ' ' + element.querySelector('h2, h3').textContent).toLowerCase(),
  text: element.textContent.toLowerCase(),
  entry: entries.get(element.id),
}))
const groups = [...document.querySelectorAll('nav details')].map((list) => ({ list, open: list.open }))
function search() {
  const words = field.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  const has = (text) => words.every((word) => text.includes(word))
  const titled = items.filter(({ title }) => has(title))
  const shown = new Set(titled.length > 0 ? titled : items.filter(({ text }) => has(text)))
  for (const item of items) {
    item.element.hidden = !shown.has(item)
    if (item.entry) item.entry.hidden = !shown.has(item)
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = group.querySelector('[data-item]:not([hidden])') === null
  }
  for (const { list, open } of groups) {
    list.hidden = list.querySelector('li:not([hidden])') === null
    list.open = words.length > 0 || open
  }
  found.textContent = words.length === 0 ? '' : shown.size + ' found'
}
function clear() {
  field.value = ''
  search()
}
field.addEventListener('input', search)
field.form.addEventListener('submit', (event) => {
  event.preventDefault()
  document.querySelector('[data-item]:not([hidden])')?.scrollIntoView()
})
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && event.target === field) clear()
  if (event.key !== '/' || event.target === field) return
  event.preventDefault()
  field.focus()
})
// A link to something that is hidden shows it.
addEventListener('click', (event) => {
  const { hash } = event.target.closest?.('a') ?? {}
  if (hash && document.getElementById(hash.slice(1))?.closest('[hidden]')) clear()
})
field.closest('label').hidden = false
search()
`

/** The hash by which a policy allows exactly this text. */
export function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
