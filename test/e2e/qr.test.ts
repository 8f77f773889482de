import { expect, test } from 'bun:test'
import { join } from 'node:path'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { startSlugline } from '../harness/process.ts'

test('the command line saves codes as files, requested from an instance’s API', async () => {
  const slugline = await startSlugline()
  try {
    const { key } = await slugline.createKey()
    const body = { destination_url: 'https://example.com/', slug: 'Poster' }
    const made = await slugline.call('POST', '/api/v1/links', { key, body })
    const { id, short_url } = (await made.json()) as { id: string; short_url: string }
    const file = (name: string) => join(slugline.dataDir, name)
    const qr = (link: string, name: string, ...options: string[]) =>
      slugline.cli('links', 'qr', link, '--output', file(name), '--json', ...options)

    const unset = await qr('poster', 'a.png')
    expect([unset.status, JSON.parse(unset.stderr).error.code]).toEqual([2, 'NOT_LOGGED_IN'])
    await slugline.stop()
    await slugline.restart({ SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key })

    const png = await qr(
      'poster',
      'a.png',
      '--size',
      '200',
      '--modules',
      'dots',
      '--dark',
      '#123456',
    )
    expect(JSON.parse(png.stdout)).toMatchObject({ id, file: file('a.png') })
    const { data, width, height } = PNG.sync.read(
      Buffer.from(await Bun.file(file('a.png')).bytes()),
    )
    expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(`${short_url}?qr=1`)
    expect([width, height]).toEqual([200, 200])
    expect((await qr(id, 'a.svg')).status).toBe(0)
    expect(await Bun.file(file('a.svg')).text()).toStartWith('<svg')

    for (const [link, name, options, status, code] of [
      ['nothing', 'b.png', [], 1, 'LINK_NOT_FOUND'],
      [id, 'b.png', ['--size', '1'], 1, 'VALIDATION_FAILED'],
      [id, 'b.png', ['--dark', '#eeeeee'], 1, 'QR_UNREADABLE'],
      [id, 'b.gif', [], 2, 'USAGE'],
    ] as const) {
      const refused = await qr(link, name, ...options)
      expect([refused.status, JSON.parse(refused.stderr).error.code]).toEqual([status, code])
    }
    expect(await Bun.file(file('b.png')).exists()).toBe(false)
  } finally {
    await slugline.dispose()
  }
})
