/** The minimum of a JSON server: parses the body, and sends it back. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    return Response.json(JSON.parse(await request.text()), { status: 201 })
  },
})
console.log(server.url.origin)
