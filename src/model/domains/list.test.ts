import { expect, test } from 'bun:test'
import { createDomainList, type ListedDomain } from './list.ts'

const shared = (no: number, host: string): ListedDomain => ({
  no,
  host,
  workspace_no: null,
  status: 'shared',
  case_sensitive: 0,
})

function listOf(base: string, ...others: string[]) {
  const hosts = [new URL(base).host, ...others]
  return createDomainList({
    storage: {} as never,
    base: new URL(base),
    shared: hosts,
    rows: hosts.map((host, no) => shared(no, host)),
  })
}

test('a host is served on any port if no host of the instance has one', () => {
  const list = listOf('https://s.example', 'go.example')
  for (const [host, no] of [
    ['s.example:8443', 0],
    ['go.example:8443', 1],
    ['GO.example:80', 1],
    ['go.example.:8443', 1],
    ['go.example:443', 1],
    ['other.example:8443', undefined],
  ] as const) {
    expect([host, list.noOf(host)]).toEqual([host, no])
  }
})

test('ports tell hosts apart if one of the instance has a port', () => {
  const list = listOf('http://localhost:3000', 'localhost:3001', 'go.example')
  expect(list.noOf('localhost:3000')).toBe(0)
  expect(list.noOf('localhost:3001')).toBe(1)
  expect(list.noOf('localhost:3002')).toBeUndefined()
  expect(list.noOf('go.example:8080')).toBeUndefined()
})
