import { generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate for `localhost` and its key, in PEM. Only for tests. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from('localhost')))))
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
  const day = 86_400_000
  // RFC 5280 §4.1: version 3, serial number, algorithm, issuer, validity, subject, key, names.
  const body = sequence(
    der(0xa0, der(2, Buffer.of(2))),
    der(2, Buffer.of(1)),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(sequence(oid(0x55, 29, 17), der(4, sequence(der(0x82, Buffer.from('localhost')))))),
    ),
  )
  const signature = der(3, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]))
  const certificate = sequence(body, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** A value in DER (X.690). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

const sequence = (...all: Buffer[]) => der(0x30, Buffer.concat(all))
const set = (...all: Buffer[]) => der(0x31, Buffer.concat(all))
const oid = (...bytes: number[]) => der(6, Buffer.from(bytes))
const time = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))
