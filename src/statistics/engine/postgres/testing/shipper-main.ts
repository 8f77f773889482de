import { shipUntilDeath } from '../../testing/dying.ts'
import { openShipping } from './shipper.ts'

await shipUntilDeath((dataDir, url) => openShipping(dataDir, url, { dies: true }))
