import { createDeliveries } from './deliveries.ts'
import { createWebhookSender } from './sender.ts'
import { createWebhooks } from './service.ts'

type Deps = Parameters<typeof createWebhookSender>[0] &
  Pick<Parameters<typeof createDeliveries>[0], 'jobs'>

/** Webhooks: their endpoints, deliveries, and what sends them. */
export function createWebhookServices(deps: Deps) {
  const webhookSender = createWebhookSender(deps)
  return {
    webhooks: createWebhooks(deps),
    webhookDeliveries: createDeliveries({ ...deps, wake: webhookSender.wake }),
    webhookSender,
  }
}
