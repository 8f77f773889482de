/** The least that a JSON server can do: parse the body, answer with it. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    return Response.json(JSON.parse(await request.text()), { status: 201 })
  },
})
console.log(server.url.origin)
