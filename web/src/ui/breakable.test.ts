import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Breakable } from './breakable.tsx'

test('a URL or an email address may break after its parts, and keeps its letters', () => {
  const shown = (text: string) => renderToStaticMarkup(createElement(Breakable, null, text))
  expect(shown('https://example.com/a/b?c=d').split('<wbr/>')).toEqual([
    'https://',
    'example.com/',
    'a/',
    'b?',
    'c=d',
  ])
  expect(shown('ada@example.com').split('<wbr/>')).toEqual(['ada@', 'example.com'])
  expect(shown('Summer sale')).toBe('Summer sale')
  expect(shown('')).toBe('')
})
