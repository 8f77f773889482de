import { describe, expect, test } from 'bun:test'
import { FILE_BYTES_MAX, receiveFile } from './upload.ts'

const MEGABYTE = new TextEncoder().encode(`${'x'.repeat(1_048_575)}\n`)
const BEGIN = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n'

/** Uploads an endless file; returns the answer and how much of it was read. */
async function receive(headers: Record<string, string>, head = '') {
  let megabytes = 0
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => head && controller.enqueue(new TextEncoder().encode(head)),
    pull(controller) {
      megabytes++
      controller.enqueue(MEGABYTE)
    },
  })
  const request = new Request('http://sho.rt/', { method: 'POST', headers, body })
  const outcome = await receiveFile(request, async () => true).then(
    () => 'received',
    ({ code }) => code,
  )
  return { outcome, megabytes }
}

describe('a file that is too large', () => {
  const csv = { 'Content-Type': 'text/csv' }
  const form = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const max = FILE_BYTES_MAX / MEGABYTE.length

  test.each([
    ['a file', csv, FILE_BYTES_MAX + 1],
    ['a form', form, FILE_BYTES_MAX + 3 * MEGABYTE.length],
  ])('is refused by what it says of itself, before it is read: %s', async (_, headers, length) => {
    const { outcome, megabytes } = await receive({ ...headers, 'Content-Length': String(length) })
    expect(outcome).toBe('PAYLOAD_TOO_LARGE')
    // The stream reads one chunk ahead.
    expect(megabytes).toBeLessThanOrEqual(1)
  })

  test.each([
    ['a file', csv, ''],
    ['a form', form, BEGIN],
  ])('is refused where it passes the limit: %s', async (_, headers, head) => {
    const { outcome, megabytes } = await receive(headers, head)
    expect(outcome).toBe('PAYLOAD_TOO_LARGE')
    expect(megabytes).toBeGreaterThan(max)
    expect(megabytes).toBeLessThan(max + 10)
  })
})
