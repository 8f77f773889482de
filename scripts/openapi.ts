/**
 * Writes `openapi.json`, the committed description of the API; with `--check`, fails where the
 * committed one is not what the schemas say.
 */
import { join } from 'node:path'
import { describeApi } from '../src/app.ts'
import { createLinkService, type LinkServiceDeps } from '../src/links/index.ts'
import { DEFAULT_PLANS } from '../src/plans/defaults.ts'
import { createPlans } from '../src/plans/service.ts'

// Only the schemas are asked for: no request ever comes here.
const links = createLinkService({
  domains: { hosts: ['localhost'] },
  ownHosts: { hosts: ['localhost'], listenPort: () => 3000, basePort: 3000 },
  urlRules: { schemes: ['http', 'https'], blockedHosts: [] },
} as unknown as LinkServiceDeps)
const text = describeApi({ links, plans: createPlans(DEFAULT_PLANS) })
const path = join(import.meta.dir, '..', 'openapi.json')

if (process.argv.includes('--check')) {
  const file = Bun.file(path)
  const committed = (await file.exists()) ? await file.text() : ''
  if (committed !== text) {
    console.error('openapi.json is not what the schemas say. Run: npm run openapi')
    process.exit(1)
  }
} else {
  await Bun.write(path, text)
}
