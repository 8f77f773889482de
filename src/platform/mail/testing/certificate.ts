import { generateKeyPairSync, sign } from 'node:crypto'

/**
 * A self-signed certificate for `localhost` and 127.0.0.1 (RFC 5280 §4.1), and its key, both in
 * PEM: generated for each test of TLS.
 */
export function makeCertificate(): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))))
  const alternatives = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  )
  const basic = sequence(der(0x01, Buffer.from([0xff])))
  const extensions = sequence(
    sequence(oid('551d11'), der(0x04, alternatives)),
    sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, basic)),
  )
  const certificate = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time('20000101000000Z'), time('21000101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', certificate, privateKey)])
  const signed = sequence(certificate, ecdsaWithSha256, der(0x03, signature))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A tag, a length and the content (X.690 §8.1). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function time(text: string): Buffer {
  return der(0x18, Buffer.from(text))
}
