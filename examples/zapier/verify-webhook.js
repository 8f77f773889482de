// Code by Zapier, "Run JavaScript", after the trigger "Webhooks by Zapier: Catch Raw Hook".
// Input data: secret (whsec_…, of the webhook), body (Raw Body), id, timestamp and signature (the
// headers Webhook-Id, Webhook-Timestamp and Webhook-Signature).
// The output is the event; a request that isn't from your Slugline, or is too old, stops the Zap.
const { createHmac, timingSafeEqual } = require('crypto')

const { secret, body, id, timestamp, signature = '' } = inputData
if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) {
  throw new Error('The timestamp is missing or too far from now.')
}
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
const text = `${id}.${timestamp}.${body}`
const expected = Buffer.from(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
const isGenuine = signature.split(' ').some((each) => {
  const given = Buffer.from(each)
  return given.length === expected.length && timingSafeEqual(given, expected)
})
if (!isGenuine) throw new Error('No signature is valid.')
output = JSON.parse(body)
