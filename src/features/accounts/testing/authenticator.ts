import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Deviations of an authenticator, or of a page that deceives it. */
export interface Ceremony {
  origin?: string
  rpId?: string
  challenge?: string
  /** Whether it verified its user: by PIN, fingerprint or face. */
  userVerified?: boolean
  counter?: number
}

/**
 * A software authenticator (WebAuthn Level 3 §6): one discoverable passkey, ES256, without
 * attestation. It responds like a browser's `toJSON`.
 */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0

  function clientData(type: string, challenge: string, given: Ceremony): Buffer {
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: given.challenge ?? challenge,
        origin: given.origin ?? origin,
        crossOrigin: false,
      }),
    )
  }

  function authenticatorData(given: Ceremony, credential?: Buffer): Buffer {
    const { rpId = new URL(origin).hostname, userVerified = true } = given
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (credential === undefined ? 0 : 0x40)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(given.counter ?? ++counter)
    const parts = [sha256(rpId), Buffer.from([flags]), count]
    return Buffer.concat(credential === undefined ? parts : [...parts, credential])
  }

  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  }

  return {
    id: common.id,
    /** `navigator.credentials.create` */
    create({ challenge }: { challenge: string }, given: Ceremony = {}) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const data = authenticatorData(given, attested)
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ])
      return {
        ...common,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, given).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /** `navigator.credentials.get` */
    get({ challenge }: { challenge: string }, given: Ceremony = {}) {
      const data = authenticatorData(given)
      const client = clientData('webauthn.get', challenge, given)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...common,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}

/** An ES256 key in COSE (RFC 9053 §2.1, §7.1.1), as CBOR. */
function coseKey(key: ReturnType<typeof generateKeyPairSync>['publicKey']): Buffer {
  const { x = '', y = '' } = (key as import('node:crypto').KeyObject).export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from('a501020326200121', 'hex'),
    Buffer.from([0x58, 32]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 32]),
    Buffer.from(y, 'base64url'),
  ])
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
