import { expect, test } from 'bun:test'
import { totp } from './totp.ts'

// RFC 6238, appendix B, SHA-1: the last six of eight digits.
const SECRET = 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('generates the codes of RFC 6238', () => {
  expect(totp(SECRET, 59_000)).toBe('287082')
  expect(totp(SECRET, 1_111_111_109_000)).toBe('081804')
  expect(totp(SECRET, 20_000_000_000_000)).toBe('353130')
})
