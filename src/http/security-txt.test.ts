import { expect, test } from 'bun:test'
import { createSecurityTxt } from './security-txt.ts'

const clock = { now: () => Date.UTC(2030, 0, 31, 9) }
const PATH = '/.well-known/security.txt'
const baseUrl = 'https://s.example'
const request = (method = 'GET') => new Request(baseUrl + PATH, { method })

test('is served with the operator’s contact, if one is set', async () => {
  const answer = createSecurityTxt({ contact: 'mailto:security@example.com', baseUrl, clock })
  const response = answer(request(), PATH)
  expect(response?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response?.text()).toBe(
    [
      'Contact: mailto:security@example.com',
      'Expires: 2030-07-30T00:00:00.000Z',
      'Canonical: https://s.example/.well-known/security.txt',
      '',
    ].join('\n'),
  )
  expect(answer(request('POST'), PATH)).toBeNull()
  expect(answer(request(), '/security.txt')).toBeNull()
  expect(createSecurityTxt({ contact: null, baseUrl, clock })(request(), PATH)).toBeNull()
})
