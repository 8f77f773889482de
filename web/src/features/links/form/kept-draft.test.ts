import { afterAll, expect, test } from 'bun:test'
import { sessionQuery } from '../../../api/session.ts'
import { queryClient } from '../../../app/queries.ts'

const values = new Map<string, string>()
const globals = globalThis as Record<string, unknown>
const before = {
  sessionStorage: globals.sessionStorage,
  addEventListener: globals.addEventListener,
}
globals.sessionStorage = {
  getItem: (name: string) => values.get(name) ?? null,
  setItem: (name: string, value: string) => void values.set(name, value),
  removeItem: (name: string) => void values.delete(name),
}
globals.addEventListener = () => {}
afterAll(() => Object.assign(globals, before))

const { keptDraft } = await import('./kept-draft.ts')
queryClient.setQueryData(sessionQuery.queryKey, { user: { id: 'usr_1' }, workspaces: [] } as never)

const read = (text: string) => {
  values.set('slugline_drafts', text)
  return keptDraft('wsp_1')
}

test.each([
  ...['', '{', 'null', '7', '[]', '"x"', '{}', '{"user":"usr_1"}'],
  ...['{"user":"usr_1","drafts":null,"edits":[]}', '{"user":"usr_1","drafts":[]}'],
  '{"user":"usr_1","drafts":{"a":1},"edits":[]}',
])('an unknown form of kept drafts is ignored: %s', (text) => {
  expect(read(text)).toBeNull()
  expect(values.has('slugline_drafts')).toBe(false)
})

test('a draft without newer fields gets them, one of another person is dropped', () => {
  const stored = (user: string) => ({
    user,
    edits: [],
    drafts: [['wsp_1', { destination_url: 'https://a.example/', domain: 's.example' }]],
  })
  expect(read(JSON.stringify(stored('usr_2')))).toBeNull()
  expect(read(JSON.stringify(stored('usr_1')))).toMatchObject({
    destination_url: 'https://a.example/',
    rules: [],
    social: { title: '' },
  })
})
