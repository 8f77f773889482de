/**
 * Visitors who come when they come, whether earlier ones have been answered or not: a Poisson process
 * at a given mean rate. Each is counted from the moment it was due, so that a stall of the server's delays
 * all who come meanwhile. Runs until its input ends; then writes how it went as numbers of 64 bits, three
 * for each request: when it was due (milliseconds since the Unix epoch), its latency in milliseconds, and
 * how late it was sent, in milliseconds, though a connection was free: the generator's own fault.
 *
 * One thread that calls the system itself: an event loop's own turns and timers of a millisecond are
 * longer than a redirect. To be run as `startVisitors` does.
 */
import { dlopen, ptr } from 'bun:ffi'
import { writeSync } from 'node:fs'
import { seeded } from '../../test/harness/random.ts'
import { slugAt } from './wrk.ts'

// <sys/socket.h>, <netinet/tcp.h>, <fcntl.h>, <poll.h> of Linux.
const [AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_NODELAY] = [2, 1, 6, 1]
const POLLIN = 1
// <linux/sched.h>
const [SCHED_FIFO, SCHED_RESET_ON_FORK] = [1, 0x40000000]
/** More of them cost the generator more than they are worth: it looks at all of them each time. */
const CONNECTIONS = 16
const AT_MOST = 10_000_000

const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  ppoll: { args: ['ptr', 'u64', 'ptr', 'ptr'], returns: 'i32' },
  send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i32' },
  sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
})
// This thread alone, before any other; not those of the heap and the compiler.
libc.sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, ptr(new Int32Array([1])))

const [port, perSecond, links] = process.argv.slice(2).map(Number) as [number, number, number]
const requests = Array.from({ length: 4_096 }, (_, n) =>
  Buffer.from(
    [
      `GET /${slugAt(Math.floor((n * links) / 4_096))} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
      'Accept-Language: de-DE,de;q=0.9,en;q=0.8',
      'Accept-Encoding: gzip, deflate, br',
      'Referer: https://news.example.org/a/b',
      '\r\n',
    ].join('\r\n'),
  ),
)

/** struct pollfd: a descriptor, wanted events and those that came in. The last one is the input. */
const polled = new Int32Array(2 * (CONNECTIONS + 1))
const free: number[] = []
for (let i = 0; i < CONNECTIONS; i++) {
  polled[2 * i] = connected()
  polled[2 * i + 1] = POLLIN
  free.push(i)
}
polled[2 * CONNECTIONS] = 0
polled[2 * CONNECTIONS + 1] = POLLIN

/** When the request was due that a connection waits for the answer of. */
const dueAt = new Float64Array(CONNECTIONS)
const lateBy = new Float64Array(CONNECTIONS)
const found = new Float64Array(3 * AT_MOST)
let answered = 0
const answer = Buffer.alloc(65_536)
/** struct timespec, of which the upper halves stay 0. */
const timeout = new Int32Array(4)
const random = seeded(Date.now())
const now = () => performance.now()
/** Those who came while no connection was free. */
const waiting: number[] = []

let due = now() + 10
for (let ending = false; !ending || free.length < CONNECTIONS; ) {
  for (; !ending && due <= now(); due -= (Math.log(1 - random()) * 1_000) / perSecond) {
    // In turn: the server closes connections that rest.
    const connection = free.shift()
    if (connection === undefined) waiting.push(due)
    else send(connection, due, now() - due)
  }
  const restMs = ending ? 1_000 : Math.max(0, due - now())
  timeout[0] = Math.floor(restMs / 1_000)
  timeout[2] = Math.floor((restMs % 1_000) * 1e6)
  if (libc.ppoll(ptr(polled), CONNECTIONS + 1, ptr(timeout), null) <= 0) {
    if (ending) break
    continue
  }
  for (let i = 0; i < CONNECTIONS; i++) if (came(i)) receive(i)
  if (came(CONNECTIONS)) {
    ending = true
    polled[2 * CONNECTIONS] = -1
  }
}
const bytes = new Uint8Array(found.buffer, 0, answered * 24)
for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
process.exit()

function came(i: number): boolean {
  return (polled[2 * i + 1] as number) >>> 16 !== 0
}

function send(connection: number, due: number, late: number): void {
  const request = requests[Math.floor(random() * requests.length)] as Buffer
  dueAt[connection] = due
  lateBy[connection] = late
  libc.send(polled[2 * connection] as number, ptr(request), request.length, 0)
}

function receive(connection: number): void {
  const length = libc.recv(polled[2 * connection] as number, ptr(answer), answer.length, 0)
  const isRedirect = answer[9] === 0x33 && answer[10] === 0x30
  if (length <= 0 || !isRedirect) {
    throw new Error(`Not a redirect: ${answer.toString('latin1', 0, Math.max(0, length))}`)
  }
  const due = dueAt[connection] as number
  if (answered < AT_MOST) {
    found[3 * answered] = performance.timeOrigin + due
    found[3 * answered + 1] = now() - due
    found[3 * answered + 2] = lateBy[connection] as number
    answered++
  }
  const next = waiting.shift()
  if (next === undefined) free.push(connection)
  else send(connection, next, 0)
}

function connected(): number {
  const socket = libc.socket(AF_INET, SOCK_STREAM, 0)
  // struct sockaddr_in, its port and address in the network's order.
  const address = Buffer.alloc(16)
  address.writeUInt16LE(AF_INET, 0)
  address.writeUInt16BE(port, 2)
  address.set([127, 0, 0, 1], 4)
  if (libc.connect(socket, ptr(address), address.length) !== 0) throw new Error('No connection')
  const on = new Int32Array([1])
  libc.setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, ptr(on), 4)
  return socket
}
