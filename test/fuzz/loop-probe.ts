/**
 * Loaded before the server: measures how long its event loop is held, in the CPU time of its thread, which other
 * programs of a busy machine don't lengthen. `GET /` at the port written to `LOOP_PROBE` returns the longest time in
 * milliseconds since the request before.
 */
const file = Bun.env.LOOP_PROBE
const EVERY_MS = 2

if (file !== undefined && process.argv.includes('serve')) {
  let longest = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user - before.user + now.system - before.system)
    before = now
  }
  setInterval(look, EVERY_MS).unref()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      look()
      const heldMs = longest / 1000
      longest = 0
      return Response.json({ heldMs })
    },
  })
  server.unref()
  await Bun.write(file, String(server.port))
}
