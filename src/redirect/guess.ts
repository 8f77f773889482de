import type { HashQueue } from '../limits/index.ts'
import { SEQS_PER_WORKSPACE } from '../storage/index.ts'
import { FORM_BYTES_MAX, readField } from './form.ts'
import type { Pages } from './pages.ts'
import type { RedirectDeps } from './types.ts'
import type { Visit } from './visit.ts'

/** Checks the password sent by a visitor. Null: it is correct, and the visit is unlocked. */
export async function answerGuess(
  visit: Visit,
  { seq, hash }: { seq: number; hash: string },
  deps: RedirectDeps & { hashes: HashQueue },
  pages: Pages,
): Promise<Response | null> {
  const { request } = visit
  const { guesses, hashes, verifyPassword = Bun.password.verify } = deps
  const password = await readField(request, 'password')
  if (password === null) {
    return pages.error(request, 'PAYLOAD_TOO_LARGE', { params: { max: FORM_BYTES_MAX } })
  }
  const { allowed, retryAfterSeconds } = await guesses.take(seq, visit.address)
  const workspace = String(Math.floor(seq / SEQS_PER_WORKSPACE))
  const verify = () => verifyPassword(password, hash)
  if (allowed && password !== '' && (await hashes.run('link', workspace, verify))) {
    await guesses.right(seq)
    visit.unlocked = hash
    return null
  }
  if (allowed) return pages.password(request, { kind: 'wrong' })
  return pages.password(request, { kind: 'too_many', retryAfterSeconds })
}
