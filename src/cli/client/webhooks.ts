import type { Command } from 'commander'
import type { Body, Item, Query, Webhook } from '../../../sdk/typescript/src/index.ts'
import { type Columns, type CommandContext, checkLimit } from '../context.ts'
import { facts } from '../output.ts'
import { shortTime } from '../times.ts'
import { clientOf } from './remote.ts'

type NewWebhook = Body<'/webhooks', 'post'>

interface Options {
  types?: NonNullable<NewWebhook['types']>
  tag?: string[]
  folder?: string[]
  domain?: string[]
}

const listed = (value: string) => value.split(',')
const collect = (value: string, before: string[] = []) => [...before, value]

/** `webhooks`: webhooks of the logged-in instance, their deliveries and tests. */
export function registerWebhooksCommands(program: Command, context: CommandContext): void {
  const webhooks = program.command('webhooks').description('send events to a URL as they happen')
  const one = (name: string, description: string, run: (id: string) => Promise<void>) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', 'ID of the webhook')
      .action(run)
  const show = (webhook: Webhook & { secret?: string }) => {
    const { id, url, types, status, secret, public_key } = webhook
    const lines = { webhook: id, url, status, types: types.join(', '), public_key }
    context.print(facts({ ...lines, ...(secret !== undefined && { secret }) }), webhook)
  }
  const switchTo = (enabled: boolean) => async (id: string) =>
    show(await clientOf(context).webhooks.update(id, { enabled }))

  webhooks
    .command('list')
    .description('list webhooks, newest first')
    .action(() => list(context))
  webhooks
    .command('create')
    .description('create a webhook; its secret is shown only once')
    .argument('<url>', 'where requests are sent')
    .option(
      '--types <types>',
      'such as link.created,link.deleted (default: all but clicks)',
      listed,
    )
    .option('--tag <name>', 'only links with this tag; repeatable', collect)
    .option('--folder <id>', 'only links in this folder; repeatable', collect)
    .option('--domain <host>', 'only links on this domain; repeatable', collect)
    .action(async (url: string, options: Options) => {
      show(await clientOf(context).webhooks.create(fieldsOf(url, options)))
    })
  one('show', 'show a webhook', async (id) => show(await clientOf(context).webhooks.get(id))).alias(
    'get',
  )
  one('enable', 'send events again', switchTo(true))
  one('disable', 'send nothing until it is enabled again', switchTo(false))
  one('rotate-secret', 'create a new secret; the old one stays valid for 24 hours', async (id) =>
    show(await clientOf(context).webhooks.rotateSecret(id)),
  )
  one('delete', 'delete a webhook', async (id) => {
    await clientOf(context).webhooks.delete(id)
    context.print(`Webhook ${id} deleted`, { id })
  })
  one('test', 'send a sample of each of its types', async (id) => {
    const { data } = await clientOf(context).webhooks.test(id)
    context.print(`${data.length} sent: see slugline webhooks deliveries ${id}`, { data })
  })
  webhooks
    .command('deliveries')
    .description('list deliveries, newest first')
    .argument('<id>', 'ID of the webhook')
    .option('--status <status>', 'pending, succeeded or failed')
    .option('--limit <n>', 'maximum number of results, up to 100', Number, 25)
    .action((id: string, options: Deliveries) => deliveries(context, id, options))
  webhooks
    .command('replay')
    .description('resend past events, or one delivery')
    .argument('<id>', 'ID of the webhook')
    .option('--after <event>', 'resend events after this ID or since this time (default: all)')
    .option('--delivery <id>', 'resend only this delivery')
    .action(async (id: string, { after, delivery }: { after?: string; delivery?: string }) => {
      const { webhooks } = clientOf(context)
      if (delivery !== undefined) {
        const again = await webhooks.replayDelivery(id, delivery)
        return context.print(`Resending delivery ${again.id}`, again)
      }
      const job = await webhooks.replay(id, after ? { after } : {})
      context.print(facts({ job: job.id, status: job.status }), job)
    })
}

type Deliveries = Pick<Query<'/webhooks/{id}/deliveries'>, 'status'> & { limit: number }

async function list(context: CommandContext): Promise<void> {
  const body = await clientOf(context).webhooks.list({ limit: 100 }).page()
  const columns: Columns<Webhook> = {
    ID: ({ id }) => id,
    STATUS: ({ status, disabled_reason }) => [status, disabled_reason].filter(Boolean).join(': '),
    TYPES: ({ types }) => String(types.length),
    URL: ({ url }) => url,
  }
  context.printList(body.data, 'There are no webhooks.', columns, body)
}

async function deliveries(
  context: CommandContext,
  id: string,
  { status, limit }: Deliveries,
): Promise<void> {
  checkLimit(limit)
  const body = await clientOf(context).webhooks.deliveries(id, { status, limit }).page()
  const columns: Columns<Item<'/webhooks/{id}/deliveries'>> = {
    ID: (delivery) => delivery.id,
    TYPE: ({ type }) => type,
    STATUS: (delivery) => delivery.status,
    ATTEMPTS: ({ attempts }) => String(attempts.length),
    LAST: ({ attempts }) => String(attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? '-'),
    'CREATED (UTC)': ({ created_at }) => shortTime(created_at),
  }
  context.printList(body.data, 'There are no such deliveries.', columns, body)
}

function fieldsOf(url: string, { types, tag, folder, domain }: Options): NewWebhook {
  const filter = {
    ...(tag && { tags: tag }),
    ...(folder && { folders: folder }),
    ...(domain && { domains: domain }),
  }
  return {
    url,
    ...(types !== undefined && { types }),
    ...(Object.keys(filter).length > 0 && { filter }),
  }
}
