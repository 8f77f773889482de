import { createHash } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID = new RegExp(`^evt_[${ALPHABET}]{26}$`)
const NUMBER_BYTES = 6
const FEED_BYTES = 8
const BYTES = 16

/** The feed of a workspace: a short digest of the ids of the instance's feed and the workspace. */
export type Feed = Buffer

/** The feed of a workspace. Another one after a restore or a move, which renew `feedId`. */
export function feedOf(feedId: string, workspaceNo: number): Feed {
  return digestOf(`${feedId} ${workspaceNo}`).subarray(0, FEED_BYTES)
}

function digestOf(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/**
 * The id of the event that is the audit entry with a number: the number, the feed, and a checksum in
 * 128 bits, so that the event is found by its key, and an id of another feed is recognized.
 */
export function eventIdOf(feed: Feed, number: number): string {
  const bytes = Buffer.alloc(BYTES)
  bytes.writeUIntBE(number, 0, NUMBER_BYTES)
  feed.copy(bytes, NUMBER_BYTES)
  digestOf(bytes.subarray(0, NUMBER_BYTES + FEED_BYTES)).copy(bytes, NUMBER_BYTES + FEED_BYTES, 0)
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return `evt_${text}`
}

/** The number in an id of this feed; `other`: of another feed; null: it is malformed. */
export function numberOf(feed: Feed, id: string): number | 'other' | null {
  if (!ID.test(id)) return null
  let value = 0n
  for (const character of id.slice(4)) value = value * 32n + BigInt(ALPHABET.indexOf(character))
  if (value >= 1n << BigInt(8 * BYTES)) return null
  const bytes = Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex')
  const number = bytes.readUIntBE(0, NUMBER_BYTES)
  const theirs = Buffer.from(bytes.subarray(NUMBER_BYTES, NUMBER_BYTES + FEED_BYTES))
  if (eventIdOf(theirs, number) !== id) return null
  return theirs.equals(feed) ? number : 'other'
}
