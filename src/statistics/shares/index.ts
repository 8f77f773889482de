import { createShareService } from './service.ts'
import { createShareTokens } from './tokens.ts'
import { createShareViews } from './view.ts'

type Deps = Omit<
  Parameters<typeof createShareService>[0] & Parameters<typeof createShareViews>[0],
  'tokens'
>

/** Shared statistics: their management, and their public views. `key`: a secret of the instance. */
export function createShares({ key, ...deps }: Deps & { key: Uint8Array }) {
  const context = { ...deps, tokens: createShareTokens(key) }
  return { shares: createShareService(context), shareViews: createShareViews(context) }
}
