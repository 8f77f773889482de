import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Operations that write nothing, though they aren't a GET. */
const SAFE = ['explainLink', 'explainUrl', 'previewImport']
/** Their responses contain a secret, or need no key. */
const WITHOUT_KEY = [
  'createKey',
  'createWebhook',
  'rotateKey',
  'rotateWebhookSecret',
  'unlockShare',
]

interface Operation {
  operationId: string
  parameters?: { $ref?: string }[]
}

test('operations that write offer an Idempotency-Key in the document, others do not', () => {
  const file = join(import.meta.dir, '../../openapi.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const without: string[] = []
  for (const item of Object.values(paths)) {
    for (const [method, { operationId, parameters = [] }] of Object.entries(item)) {
      const refs = parameters.map(({ $ref }) => $ref ?? '')
      const hasKey = refs.some((ref) => ref.endsWith('/IdempotencyKeyParam'))
      if (method === 'get') expect([operationId, hasKey]).toEqual([operationId, false])
      else if (!hasKey) without.push(operationId)
    }
  }
  expect(without.sort()).toEqual([...SAFE, ...WITHOUT_KEY].sort())
})
