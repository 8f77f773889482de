/**
 * The cost of the runtime alone: `Bun.serve` with the body and headers of our redirect, in one
 * batch per event-loop turn. Nothing is looked up or recorded.
 */
import { family } from './machine.ts'

const SOURCE = `
let waiting = []
function flush() {
  const now = waiting
  waiting = []
  for (const { request, answer } of now) {
    const headers = request.headers
    const seen = [headers.get('user-agent'), headers.get('referer'), headers.get('accept-language')]
    const isHtml = headers.get('accept')?.includes('text/html') && seen.length === 3
    const location = 'https://example.com/articles/1?ref=' + request.url.length
    answer(new Response(isHtml ? '<a href="' + location + '">' + location + '</a>' : null, {
      status: 302,
      headers: {
        Location: location,
        'X-Request-Id': '019a0000-0000-7000-8000-000000000000',
        'Cache-Control': 'private, no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Type': 'text/html; charset=utf-8',
      },
    }))
  }
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) =>
    new Promise((answer) => {
      if (waiting.push({ request, answer }) === 1) setImmediate(flush)
    }),
})
console.log(server.url.origin)
`

/** Starts it; `wrapper` is a command that runs it, such as taskset. */
export async function startFloor(wrapper: string[]) {
  const child = Bun.spawn([...wrapper, process.execPath, '-e', SOURCE], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return {
    url: new TextDecoder().decode(value).trim(),
    pid: family(child.pid).at(-1) ?? child.pid,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
