import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** Licences under which a package may be shipped: permissive ones, and MPL-2.0 for unchanged files. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
])

interface Locked {
  packages: Record<string, { license?: string; dev?: boolean; link?: boolean }>
}

/** SPDX: `(MIT OR GPL-3.0)` leaves the choice, `A AND B` asks for both. */
function mayShip(license = ''): boolean {
  const choices = license.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((all) => all.split(' AND ').every((one) => ALLOWED.has(one)))
}

test('every shipped package has a licence under which it may be shipped', async () => {
  const file = join(import.meta.dir, '../../package-lock.json')
  const { packages } = (await Bun.file(file).json()) as Locked
  // The packages of the executable's list of components: see scripts/package.ts.
  const shipped = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
  )
  expect(shipped.length).toBeGreaterThan(100)
  const refused = shipped.filter(([, { license }]) => !mayShip(license))
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
})

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['AGPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE', false],
  [undefined, false],
])('%s may be shipped: %p', (license, may) => {
  expect(mayShip(license)).toBe(may)
})
