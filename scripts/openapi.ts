/**
 * Writes `openapi.json`, the committed description of the API; with `--check`, fails if the
 * committed one differs. With `--dashboard` the same for `web/openapi.json`, the description of the
 * dashboard's API, for the types of its client.
 */
import { join } from 'node:path'
import { createLinkService, type LinkServiceDeps } from '../src/features/links/index.ts'
import { DEFAULT_PLANS } from '../src/features/plans/defaults.ts'
import { createPlans } from '../src/features/plans/service.ts'
import { type DashboardDeps, describeApi, describeDashboard } from '../src/server/app.ts'

// Only the schemas are used: there are never requests.
const links = createLinkService({
  domains: { hosts: ['localhost'] },
  ownHosts: { hosts: ['localhost'], listenPort: () => 3000, basePort: 3000 },
  urlRules: { schemes: ['http', 'https'], blockedHosts: [] },
} as unknown as LinkServiceDeps)
const deps = { links, plans: createPlans(DEFAULT_PLANS) } as unknown as DashboardDeps
const forDashboard = process.argv.includes('--dashboard')
const text = forDashboard ? describeDashboard(deps) : describeApi(deps)
const name = forDashboard ? 'web/openapi.json' : 'openapi.json'
const path = join(import.meta.dir, '..', name)

if (process.argv.includes('--check')) {
  const file = Bun.file(path)
  const committed = (await file.exists()) ? await file.text() : ''
  if (committed !== text) {
    const command = forDashboard ? 'bin/bun scripts/openapi.ts --dashboard' : 'npm run openapi'
    console.error(`${name} is not what the schemas say. Run: ${command}`)
    process.exit(1)
  }
} else {
  await Bun.write(path, text)
}
