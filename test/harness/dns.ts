import { createSocket } from 'node:dgram'
import ipaddr from 'ipaddr.js'
import type { HostRecord } from '../../src/features/domains/lookup.ts'

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const

const textData = (text: string) => Buffer.from([text.length, ...Buffer.from(text, 'latin1')])

const hostData = ({ type, value }: HostRecord) =>
  type === 'CNAME'
    ? Buffer.concat([...value.split('.').map(textData), Buffer.from([0])])
    : Buffer.from(ipaddr.parse(value).toByteArray())

/** A DNS server on loopback for TXT, A, AAAA and CNAME records; see RFC 1035 §4. */
export async function startDns() {
  const records = new Map<string, string[]>()
  const hosts = new Map<string, HostRecord[]>()
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
    const type = query.readUInt16BE(end + 1)
    const known = (hosts.get(name) ?? []).filter((record) => TYPES[record.type] === type)
    const texts = type === TYPES.TXT ? (records.get(name) ?? []) : []
    const found = [...texts.map(textData), ...known.map(hostData)]
    const header = Buffer.from(query.subarray(0, 12))
    header[2] = 0x84 | ((query[2] ?? 0) & 1)
    // No error, a failure of the server, or no such name.
    header[3] = 0x80 | (failing.has(name) ? 2 : found.length > 0 ? 0 : 3)
    header.writeUInt16BE(found.length, 6)
    header.fill(0, 8)
    const answers = found.map((data) => {
      // The name of the question; its type, IN, no time to live.
      const start = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
      return Buffer.concat([start, data])
    })
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...answers]), port, address)
  })
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    /** Texts by name. */
    records,
    /** Where hosts lead. */
    hosts,
    /** Names for which it fails. */
    failing,
    close: () => socket.close(),
  }
}
