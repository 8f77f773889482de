import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { languageOf } from './language.ts'

test.each([
  ['de', 'de'],
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['DE-de', 'de'],
  ['en;q=0.5, fr', 'fr'],
  ['en;q=0.5,fr;q=0.7,it;q=0.7', 'fr'],
  ['en;Q=0.2,nl;q=0.9', 'nl'],
  ['*', null],
  ['*,pt-BR;q=0.5', 'pt'],
  ['zh-CN,zh;q=0.9', 'zh-Hans'],
  ['zh', 'zh-Hans'],
  ['zh-TW', 'zh-Hant'],
  ['zh-HK,en;q=0.5', 'zh-Hant'],
  ['zh-Hant-CN', 'zh-Hant'],
  ['zh-Hans-HK', 'zh-Hans'],
  ['iw-IL', 'he'],
  ['sr-Latn-RS', 'sr'],
  ['en-US-u-ca-gregory', 'en'],
  ['yue-HK', 'yue'],
  ['en_US', 'en'],
  ['zh_TW,en;q=0.5', 'zh-Hant'],
  ['de_DE.UTF-8', 'de'],
  ['mo', 'ro'],
  ['nb-NO,nb;q=0.9,en;q=0.5', 'no'],
  ['no', 'no'],
  ['nn-NO', 'nn'],
  ['', null],
  ['und', null],
  ['de;q=0', null],
  ['de;q=2,en;q=0.1', 'en'],
  ['de;q=x', null],
  ['123', null],
  ['english', null],
  ['<script>', null],
  ['d', null],
])('of %j it is %j', (header, language) => {
  expect(languageOf(header)).toBe(language)
})

test('is null or a short tag, whatever is sent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (header) => {
      expect(languageOf(header) ?? 'de').toMatch(/^([a-z]{2,3}|zh-Han[st])$/)
    }),
  )
})
