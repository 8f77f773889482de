import { expect, test } from 'bun:test'
import { createHostCheck } from './host-check.ts'

const answer = createHostCheck({
  domains: {
    hosts: ['sho.rt', 'go.example:8443', 'xn--mnchen-3ya.example'],
    ownedAt: (host) => (host === 'acme.example' ? 7 : undefined),
  },
  trustedProxies: ['10.0.0.0/8'],
})
const PATH = '/.well-known/slugline/host'

function ask(
  domain: string,
  { peer = '10.1.2.3', method = 'GET', path = PATH, headers = {} } = {},
) {
  const url = `http://10.0.0.9:3000${path}?domain=${domain}`
  return answer(new Request(url, { method, headers }), path, () => peer)
}

test('a proxy learns which hosts are ours', () => {
  for (const domain of [
    'sho.rt',
    'SHO.RT',
    'sho.rt.',
    'go.example',
    'xn--mnchen-3ya.example',
    'acme.example',
  ]) {
    expect([domain, ask(domain)?.status]).toEqual([domain, 200])
  }
  for (const domain of [
    '',
    'sho.rt:443',
    'www.sho.rt',
    'acme.example:443',
    'rt',
    'sho.rt%00',
    'evil.example',
    '%',
  ]) {
    expect([domain, ask(domain)?.status]).toEqual([domain, 404])
  }
  expect(answer(new Request(`http://x${PATH}`), PATH, () => '127.0.0.1')?.status).toBe(404)
  expect(ask('sho.rt', { method: 'POST' })?.status).toBe(405)
})

test('no one else does', () => {
  for (const peer of ['::1', '::ffff:127.0.0.1', '::ffff:10.1.2.3', '10.255.0.1']) {
    expect([peer, ask('sho.rt', { peer })?.status]).toEqual([peer, 200])
  }
  for (const peer of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '']) {
    expect([peer, ask('sho.rt', { peer })]).toEqual([peer, null])
  }
  for (const name of ['X-Forwarded-For', 'Via', 'Forwarded']) {
    expect(ask('sho.rt', { headers: { [name]: '127.0.0.1' } })).toBeNull()
  }
  expect(ask('sho.rt', { path: '/.well-known/slugline' })).toBeNull()
})
