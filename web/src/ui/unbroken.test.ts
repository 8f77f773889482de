import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Unbroken } from './unbroken.tsx'

test('a name with hyphens stays together, and nothing else of the text', () => {
  const shown = (text: string) => renderToStaticMarkup(createElement(Unbroken, null, text))
  const together = (name: string) => `<span class="inline-block max-w-full">${name}</span>`
  expect(shown('Copied s.example/pod-12-b now')).toBe(
    `Copied ${together('s.example/pod-12-b')} now`,
  )
  expect(shown('\u2068pod-12\u2069 x')).toBe(`\u2068${together('pod-12')}\u2069 x`)
  expect(shown('Saved – all of it')).toBe('Saved – all of it')
})
