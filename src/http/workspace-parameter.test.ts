import { expect, test } from 'bun:test'
import { memberOf } from './admission.ts'
import type { Person, Sessions } from './callers.ts'
import type { AnyEndpoint } from './types.ts'

/** The workspace of a signed-in person's request, or the error code. */
async function workspaceOf(method: string, path: string, header?: string): Promise<string> {
  const asked: string[] = []
  const sessions = {
    async memberOf(_: unknown, id: string) {
      asked.push(id)
      return { scopes: new Set(['links:read']) }
    },
  } as unknown as Sessions
  const request = new Request(`http://localhost:3000/app/api/v1${path}`, {
    method,
    headers: header === undefined ? {} : { 'slugline-workspace': header },
  })
  const endpoint = { scope: 'links:read' } as AnyEndpoint
  try {
    await memberOf(request, { userId: 'usr_1' } as Person, endpoint, sessions)
  } catch (error) {
    return (error as { code: string }).code
  }
  return asked.join()
}

test('a download, which can’t add a header, may name its workspace in the query', async () => {
  expect(await workspaceOf('GET', '/clicks.csv?workspace=wsp_a')).toBe('wsp_a')
  expect(await workspaceOf('GET', '/clicks.csv?workspace=wsp_a', 'wsp_b')).toBe('wsp_b')
  expect(await workspaceOf('GET', '/clicks.csv')).toBe('WORKSPACE_NOT_FOUND')
  expect(await workspaceOf('GET', '/clicks.csv?workspace=a&workspace=b')).toBe(
    'WORKSPACE_NOT_FOUND',
  )
  // Changes can name it only in the header.
  expect(await workspaceOf('POST', '/links?workspace=wsp_a')).toBe('WORKSPACE_NOT_FOUND')
})
