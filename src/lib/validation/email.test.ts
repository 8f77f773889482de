import { expect, test } from 'bun:test'
import { canonicalEmail, emailKey } from './email.ts'

test.each([
  ['a@example.com', 'a@example.com'],
  [' Ann@Example.com ', 'Ann@Example.com'],
  ['a@münchen.de', 'a@xn--mnchen-3ya.de'],
  ['a@MÜNCHEN.de', 'a@xn--mnchen-3ya.de'],
  ['a@mu\u0308nchen.de', 'a@xn--mnchen-3ya.de'],
  ['a@xn--mnchen-3ya.de', 'a@xn--mnchen-3ya.de'],
  ['a@XN--MNCHEN-3YA.DE', 'a@xn--mnchen-3ya.de'],
  ['A.b+c@mail.münchen.de', 'A.b+c@mail.xn--mnchen-3ya.de'],
  ['a@münchen。de', 'a@xn--mnchen-3ya.de'],
  ['a@日本語.jp', 'a@xn--wgv71a119e.jp'],
  ['a@faß.de', 'a@xn--fa-hia.de'],
  ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
])('%j is kept as %s', (given, kept) => {
  expect(canonicalEmail(given)).toBe(kept)
  expect(emailKey(given)).toBe(kept.toLowerCase())
})

test.each([
  '',
  'a',
  '@münchen.de',
  'a@münchen',
  'a@münchen.de/x',
  'a@münchen.de:25',
  'a@b@münchen.de',
  'a@mün chen.de',
  'a@ü.de?x',
  'a@%C3%BC.de',
  'a@[ü]',
  'a@-ü\u202e.de',
  'a@xn--mnchen-3ya.de.',
  'a@münchen.de.',
  // better-auth refuses such a top-level domain at sign-in, so it is refused everywhere alike.
  'a@пример.рф',
  'ä@münchen.de',
  `${'a'.repeat(250)}@ü.de`,
  `a@${'ü'.repeat(5_000)}.de`,
  `a@${'u\u0308'.repeat(2_000)}.de`,
])('%j is no address', (given) => {
  expect(canonicalEmail(given)).toBeNull()
})
