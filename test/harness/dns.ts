import { createSocket } from 'node:dgram'

/** A DNS server on loopback for TXT records only; see RFC 1035 §4. */
export async function startDns() {
  const records = new Map<string, string[]>()
  const failing = new Set<string>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = []
    let end = 12
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length))
      end += length + 1
    }
    const name = labels.join('.').toLowerCase()
    const found = records.get(name) ?? []
    const header = Buffer.from(query.subarray(0, 12))
    header[2] = 0x84 | ((query[2] ?? 0) & 1)
    // No error, a failure of the server, or no such name.
    header[3] = 0x80 | (failing.has(name) ? 2 : found.length > 0 ? 0 : 3)
    header.writeUInt16BE(found.length, 6)
    header.fill(0, 8)
    const answers = found.map((text) => {
      // The name of the question; TXT, IN, no time to live.
      const start = Buffer.from([
        0xc0,
        12,
        0,
        16,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        text.length + 1,
        text.length,
      ])
      return Buffer.concat([start, Buffer.from(text, 'latin1')])
    })
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...answers]), port, address)
  })
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    records,
    /** Names for which it fails. */
    failing,
    close: () => socket.close(),
  }
}
