// A receiver of webhooks for Node.js 20 and newer, without dependencies: prints the events of genuine
// requests. Usage: WEBHOOK_SECRET=whsec_… node receiver.mjs [port]
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const KEY = Buffer.from(process.env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
const MAX_AGE_SECONDS = 300

/** Whether a request was signed with the secret within the last five minutes. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < MAX_AGE_SECONDS)) return false
  const signature = createHmac('sha256', KEY).update(`${id}.${time}.${body}`).digest('base64')
  const right = Buffer.from(`v1,${signature}`)
  return given
    .split(' ')
    .map((text) => Buffer.from(text))
    .some((one) => one.length === right.length && timingSafeEqual(one, right))
}

createServer(async (request, response) => {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const { id, type, object } = JSON.parse(body)
  console.log(`${type} ${object.short_url ?? object.id} (${id})`)
  response.writeHead(204).end()
}).listen(Number(process.argv[2] ?? 4000), '127.0.0.1')
