import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCursors } from '../../http/cursor.ts'
import { createApi } from '../../http/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import type { Plan } from '../../model/plans/types.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { openTestStorage } from '../../platform/storage/testing/database.ts'
import { DEFAULT_PLANS } from './defaults.ts'
import { parsePlans } from './file.ts'
import { registerPlanRoutes } from './routes.ts'
import { PlanListSchema } from './schemas.ts'
import { createPlans } from './service.ts'
import '../../lib/i18n/testing/pseudo.ts'

let dir: string
let storage: Storage
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-plans-'))
  storage = await openTestStorage(dir)
})
afterEach(async () => {
  await storage.close()
  rmSync(dir, { recursive: true, force: true })
})

function listing(plans: readonly Plan[] = DEFAULT_PLANS) {
  const api = createApi({
    storage,
    clock: systemClock,
    ids: createIds(systemClock, systemRandom),
    logger: silentLogger,
    authenticate: async () => null,
    clientAddress: (peer) => peer,
    anonymousPerMinute: 6_000,
    baseUrl: 'http://localhost:3000',
    pseudoLocales: true,
  })
  registerPlanRoutes(api, { plans: createPlans(plans), cursors: createCursors('a secret of ours') })
  return async (headers: Record<string, string> = {}, query = '') => {
    const request = new Request(`http://localhost:3000/api/v1/plans${query}`, { headers })
    const answer = await api.fetch(request, { peer: '192.0.2.1' })
    const text = await answer.text()
    return { answer, body: text === '' ? null : (JSON.parse(text) as { data: ListedPlans }) }
  }
}

type ListedPlans = {
  id: string
  name: string
  description: string | null
  limits: object
  features: string[]
}[]

describe('GET /api/v1/plans', () => {
  test('publicly lists what is enforced', async () => {
    const { answer, body } = await listing()()
    expect(answer.status).toBe(200)
    expect(PlanListSchema.strict().safeParse(body).error).toBeUndefined()
    expect(body?.data.map((plan) => plan.id)).toEqual(DEFAULT_PLANS.map((plan) => plan.id))
    expect(body?.data.map((plan) => plan.limits)).toEqual(DEFAULT_PLANS.map((plan) => plan.limits))
  })

  test('may be cached for five minutes, by language, and revalidated', async () => {
    const list = listing()
    const { answer } = await list({ 'accept-language': 'de' })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('vary')).toContain('Accept-Language')
    expect(answer.headers.get('content-language')).toBe('de')
    const etag = answer.headers.get('etag') as string
    const again = await list({ 'accept-language': 'de', 'if-none-match': etag })
    expect([again.answer.status, again.body]).toEqual([304, null])
    const english = await list({ 'accept-language': 'en', 'if-none-match': etag })
    expect(english.answer.status).toBe(200)
  })

  test('has texts in every language', async () => {
    const list = listing()
    const seen = new Set<string>()
    for (const locale of LOCALES) {
      const { body } = await list({}, `?lang=${locale}`)
      for (const { name, description } of body?.data ?? []) {
        expect(name.length).toBeGreaterThan(0)
        seen.add(String(description))
      }
    }
    expect(seen.size).toBe(LOCALES.length * DEFAULT_PLANS.length)
  })

  test('has no untranslated texts', async () => {
    const [english, pseudo] = await Promise.all([listing()(), listing()({}, '?lang=en-XA')])
    for (const [index, plan] of (english.body?.data ?? []).entries()) {
      const other = pseudo.body?.data[index]
      expect(other?.name).not.toBe(plan.name)
      expect(other?.description).not.toBe(plan.description)
    }
  })

  test('names features by ids, the same in every language', async () => {
    const list = listing()
    for (const lang of ['en', 'de', 'ja', 'en-XA']) {
      const { body } = await list({}, `?lang=${lang}`)
      const features = body?.data.map((plan) => plan.features)
      expect(features).toEqual(DEFAULT_PLANS.map((plan) => [...plan.features]))
    }
  })

  test('shows an operator’s own texts in the nearest language', async () => {
    const parsed = await parsePlans(
      JSON.stringify({
        plans: [
          {
            id: 'team',
            default: true,
            limits: {},
            name: { en: 'Team', de: 'Gruppe', pt: 'Equipa' },
            description: 'One text for all',
            features: ['own_support', 'aliases'],
          },
        ],
      }),
    )
    if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
    const list = listing(parsed.plans)
    const name = async (lang: string) => (await list({}, `?lang=${lang}`)).body?.data[0]?.name
    expect(await name('de')).toBe('Gruppe')
    expect(await name('pt-BR')).toBe('Equipa')
    expect(await name('ja')).toBe('Team')
    const [plan] = (await list({}, '?lang=de')).body?.data ?? []
    expect(plan?.description).toBe('One text for all')
    expect(plan?.features).toEqual(['own_support', 'aliases'])
  })
})
