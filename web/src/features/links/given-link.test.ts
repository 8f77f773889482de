import { expect, test } from 'bun:test'
import { SLUG_LENGTH_MAX } from '@src/model/links/slug.ts'
import { BOUNDS, URL_LENGTH_MAX } from '@src/model/links/values.ts'
import { givenDraft, givenLinkSearch, MAX } from './given-link.ts'

const PAGE = 'https://example.com/a?b=1#c'

test('URL, title and slug fill the form', () => {
  expect(givenDraft({ url: PAGE, title: 'A page', slug: 'a-page' })).toEqual({
    destination_url: PAGE,
    title: 'A page',
    slug: 'a-page',
  })
  expect(givenDraft({ url: ' example.com/a ' })).toEqual({ destination_url: 'example.com/a' })
  // Another URL inside of a URL is a part of it.
  const nested = 'myapp://open?to=https://example.com/'
  expect(givenDraft({ url: nested })).toEqual({ destination_url: nested })
  expect(givenDraft({})).toEqual({})
})

test.each([
  [PAGE, PAGE],
  [`Read this: ${PAGE}`, PAGE],
  [`${PAGE}.`, PAGE],
  [`See (${PAGE}), please!`, PAGE],
  [`<${PAGE}>`, PAGE],
  [`[title](${PAGE})`, PAGE],
  [`“${PAGE}”`, PAGE],
  [`看这个：${PAGE}，很好。`, PAGE],
  [`「${PAGE}」`, PAGE],
  [`one\n${PAGE}\nhttps://example.org/second`, PAGE],
  ['https://en.wikipedia.org/wiki/Slug_(unit)', 'https://en.wikipedia.org/wiki/Slug_(unit)'],
  ['(https://en.wikipedia.org/wiki/Slug_(unit)).', 'https://en.wikipedia.org/wiki/Slug_(unit)'],
  ['HTTP://EXAMPLE.COM/A', 'HTTP://EXAMPLE.COM/A'],
  ['https://de.wikipedia.org/wiki/Österreich', 'https://de.wikipedia.org/wiki/Österreich'],
])('a URL in a shared text is found: %s', (text, found) => {
  expect(givenDraft({ text }).destination_url).toBe(found)
  // Apps share the text in any of the three.
  expect(givenDraft({ title: text }).destination_url).toBe(found)
  expect(givenDraft({ url: text }).destination_url).toBe(/\s/.test(text) ? found : text)
})

test('what stands beside the URL is the title, unless there is one', () => {
  expect(givenDraft({ text: `A page\n ${PAGE}` }).title).toBe('A page')
  expect(givenDraft({ text: `A page – ${PAGE}` }).title).toBe('A page')
  expect(givenDraft({ text: `${PAGE} via an app:` }).title).toBe('via an app')
  expect(givenDraft({ url: PAGE, title: 'Part 1:' }).title).toBe('Part 1:')
  expect(givenDraft({ text: `A page ${PAGE}`, title: 'Better' }).title).toBe('Better')
  expect(givenDraft({ text: PAGE, title: PAGE })).toEqual({ destination_url: PAGE })
  expect(givenDraft({ text: 'only words' })).toEqual({ title: 'only words' })
  expect(givenDraft({ text: 'https:// and javascript:alert(1)' }).destination_url).toBeUndefined()
})

test('the bounds are those of the API, and one character more says so', () => {
  expect(MAX).toEqual({ url: URL_LENGTH_MAX, title: BOUNDS.title, slug: SLUG_LENGTH_MAX })
  const long = '𝄞'.repeat(20_000)
  const draft = givenDraft({ url: `https://a.example/${long}`, title: long, slug: long })
  const lengths = Object.values(draft).map((value) => Array.from(value as string).length)
  expect(lengths).toEqual([MAX.url + 1, MAX.title, MAX.slug + 1])
})

test('a hostile text takes no time', () => {
  const started = performance.now()
  for (const part of [')', '(', '.', 'https://', 'http', ' ', '\u200b']) {
    givenDraft({ text: `https://a.example/${part.repeat(1_000_000)}` })
    givenDraft({ text: part.repeat(1_000_000) })
  }
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('repeated and unknown parameters are ignored', () => {
  expect(givenLinkSearch({ url: [PAGE, 'b'], other: 'x', title: '' })).toEqual({ url: PAGE })
})
