import { expect, test } from 'bun:test'
import { locationOf } from '@src/redirect/target.ts'
import { locationExample } from './path-example.ts'

test.each([
  'https://e.com',
  'https://e.com/',
  'https://e.com/p?x=1#f',
  'https://e.com/p/#f',
  'https://e.com/{path}/x',
  'https://e.com/?a={path.2}&b={path.1}&c={path.3}&d={query.q}&e={slug}',
])('%s is filled in as the server does', (destination) => {
  for (const forward_path of [0, 1]) {
    const visit = { slug: 's', rest: 'a/b', search: '' }
    const { href } = new URL(destination)
    const location = locationOf(href, { forward_query: 0, forward_path }, () => visit)
    expect(new URL(locationExample(destination, forward_path === 1, 's')).href).toBe(location)
  }
})
