import { expect, test } from 'bun:test'
import { createI18n } from '../../i18n/index.tsx'
import { LOCALES } from '../../i18n/locales.ts'
import audit from '../../i18n/messages/de/audit.json'
import common from '../../i18n/messages/de/common.json'
import jobs from '../../i18n/messages/de/jobs.json'
import keys from '../../i18n/messages/de/keys.json'
import links from '../../i18n/messages/de/links.json'
import shares from '../../i18n/messages/de/shares.json'
import statistics from '../../i18n/messages/de/statistics.json'
import type { Messages } from '../../i18n/messages.ts'
import { ACTIONS, actionsOf, KINDS, type Kind } from './kinds.ts'
import { actionLabel, fieldKey, targetName, valueWord } from './words.ts'

const texts = { ...audit, ...common, ...jobs, ...keys, ...links, ...shares, ...statistics }
const i18n = createI18n('de', texts as unknown as Messages)

test('names of the API have the labels of the pages', () => {
  expect(targetName({ type: 'job', id: 'job_1', label: 'imports.file' }, i18n)).toBe(
    jobs['jobs.kind.import'],
  )
  expect(targetName({ type: 'link', id: 'lnk_1', label: 'summer' }, i18n)).toBe('summer')
  expect(targetName({ type: 'share', id: 'shr_1', label: '' }, i18n, { tag: 'x' })).toContain('x')
  expect(fieldKey('prefix')).toBe('keys.column.key')
  const scopes = valueWord('scopes', ['links:read', 'a:new_one'], i18n)
  expect(scopes).toContain(keys['keys.scope.links:read'])
  expect(scopes).toContain('a:new_one')
  expect(valueWord('show', ['countries'], i18n)).toBe(statistics['statistics.dimension.country'])
  expect(valueWord('subject', { link_id: 'lnk_1' }, i18n)).toBe(shares['shares.link'])
  expect(valueWord('types', ['link.created', 'a.new_one'], i18n)).toBe(
    i18n.format.list([actionLabel('link.created', i18n), 'a.new_one']),
  )
  expect(valueWord('show', [], i18n)).toBeNull()
  expect(valueWord('title', 'Summer', i18n)).toBeNull()
  for (const [field, value] of [
    ['slug_style', 'words'],
    ['status', 'pending'],
    ['tracking', 'count'],
    ['match', 'prefix'],
  ] as const) {
    expect(valueWord(field, value, i18n)).not.toBeNull()
  }
  expect(fieldKey('robots')).toBe('domains.robots')
  expect(fieldKey('social.image_url')).toBe('links.field.social.image')
})

test.each(LOCALES.map((locale) => [locale]))(
  'actions go after a name, and begin a line in the filter: %s',
  async (locale) => {
    const messages = (await import(`../../i18n/messages/${locale}/audit.json`)) as Messages
    const { t, ...rest } = createI18n(locale, messages)
    for (const action of ACTIONS) {
      const text = t(`audit.action.${action}`)
      // German nouns and abbreviations keep their capital.
      if (locale !== 'de') expect(text).not.toMatch(/^\p{Lu}(?!\p{Lu})/u)
      expect(actionLabel(action, { t, ...rest })).not.toMatch(/^\p{Ll}/u)
    }
  },
)

test('each action is of one kind', () => {
  const kinds = Object.keys(KINDS) as Kind[]
  expect(kinds.flatMap(actionsOf).sort()).toEqual([...ACTIONS].sort())
})
