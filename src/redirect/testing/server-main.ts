import { openSite } from './site.ts'

/** A server with a supervisor, for tests that kill it: `bun server-main.ts DATA_DIR`. */
const [, , dataDir = ''] = process.argv
const site = await openSite(dataDir, { woken: true })
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request, self) =>
    site.redirect.fetch(request, () => self.requestIP(request)?.address ?? ''),
})
console.log(server.port)
process.on('SIGTERM', async () => {
  await server.stop()
  await site.close()
  process.exit(0)
})
