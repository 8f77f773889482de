import { expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { verifyWebhook, WebhookVerificationError } from '../../sdk/typescript/src/index.ts'

/** The example of the Standard Webhooks libraries. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  now: 1_614_265_330_000,
}

async function refused(webhook: Parameters<typeof verifyWebhook>[0]): Promise<void> {
  const error = await verifyWebhook(webhook).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(WebhookVerificationError)
}

test('the example of the specification is valid, with any kind of headers and body', async () => {
  expect(await verifyWebhook<unknown>(EXAMPLE)).toEqual({ test: 2432232314 })
  const headers = new Headers(EXAMPLE.headers)
  const body = new TextEncoder().encode(EXAMPLE.body)
  expect(await verifyWebhook<unknown>({ ...EXAMPLE, headers, body })).toEqual({ test: 2432232314 })
})

test('a changed body, id, time, secret or signature is refused', async () => {
  const { headers } = EXAMPLE
  await refused({ ...EXAMPLE, body: '{"test": 2432232315}' })
  await refused({ ...EXAMPLE, headers: { ...headers, 'webhook-id': 'msg_other' } })
  await refused({ ...EXAMPLE, headers: { ...headers, 'webhook-timestamp': '1614265331' } })
  await refused({ ...EXAMPLE, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx' })
  await refused({ ...EXAMPLE, secret: 'whsec_*' })
  await refused({ ...EXAMPLE, headers: {} })
  for (const signature of ['', 'v1', 'v1,', 'v1,*', 'v2,g0hM9SsE', 'v1,g0hM9SsE+OTPJTGt']) {
    await refused({ ...EXAMPLE, headers: { ...headers, 'webhook-signature': signature } })
  }
})

test('a time more than 5 minutes away is refused, before and after', async () => {
  for (const seconds of [-300, 0, 300]) {
    await verifyWebhook({ ...EXAMPLE, now: EXAMPLE.now + seconds * 1000 })
  }
  await refused({ ...EXAMPLE, now: EXAMPLE.now + 300_001 })
  await refused({ ...EXAMPLE, now: EXAMPLE.now - 300_001 })
  await refused({ ...EXAMPLE, headers: { ...EXAMPLE.headers, 'webhook-timestamp': 'NaN' } })
  await verifyWebhook({ ...EXAMPLE, now: EXAMPLE.now + 400_000, toleranceSeconds: 400 })
})

test('one of several signatures is enough, while a secret is rotated', async () => {
  const other = createHmac('sha256', 'other').update('x').digest('base64')
  const signature = `v1,${other} ${EXAMPLE.headers['webhook-signature']}`
  await verifyWebhook({
    ...EXAMPLE,
    headers: { ...EXAMPLE.headers, 'webhook-signature': signature },
  })
})

test('a public key checks Ed25519', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const secret = `whpk_${raw.toString('base64')}`
  const { headers, body } = EXAMPLE
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const own = `v1a,${sign(null, Buffer.from(content), privateKey).toString('base64')}`
  const signature = `${headers['webhook-signature']} ${own}`
  const webhook = { ...EXAMPLE, secret, headers: { ...headers, 'webhook-signature': signature } }
  await verifyWebhook(webhook)
  await refused({ ...webhook, body: '{}' })
  await refused({ ...EXAMPLE, secret })
  // A secret doesn't accept what a public key would.
  await refused({
    ...webhook,
    secret: EXAMPLE.secret,
    headers: { ...headers, 'webhook-signature': own },
  })
})
