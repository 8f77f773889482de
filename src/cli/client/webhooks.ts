import type { Command } from 'commander'
import type { Delivery, Webhook } from '../../features/webhooks/schemas.ts'
import { type CommandContext, checkLimit } from '../context.ts'
import { facts } from '../output.ts'
import type { RemoteJob } from './follow-job.ts'
import { bodyOf, remoteOf } from './remote.ts'

interface Options {
  types?: string
  tag?: string[]
  folder?: string[]
  domain?: string[]
}

const collect = (value: string, before: string[] = []) => [...before, value]
const pathOf = (...parts: string[]) => ['/webhooks', ...parts.map(encodeURIComponent)].join('/')

/** `webhooks`: webhooks of the logged-in instance, their deliveries and tests. */
export function registerWebhooksCommands(program: Command, context: CommandContext): void {
  const webhooks = program.command('webhooks').description('send events to a URL as they happen')
  const send = async <T>(method: 'PATCH' | 'POST', path: string, json?: object): Promise<T> =>
    bodyOf(remoteOf(context)(path, {}, { method, ...(json && { json }) }))
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
  const change = (json: object) => async (id: string) => show(await send('PATCH', pathOf(id), json))

  webhooks
    .command('list')
    .description('list webhooks, newest first')
    .action(() => list(context))
  webhooks
    .command('create')
    .description('create a webhook; its secret is shown only once')
    .argument('<url>', 'where requests are sent')
    .option('--types <types>', 'such as link.created,link.deleted (default: all but clicks)')
    .option('--tag <name>', 'only links with this tag; repeatable', collect)
    .option('--folder <id>', 'only links in this folder; repeatable', collect)
    .option('--domain <host>', 'only links on this domain; repeatable', collect)
    .action(async (url: string, options: Options) => {
      show(await send('POST', '/webhooks', fieldsOf(url, options)))
    })
  one('show', 'show a webhook', async (id) =>
    show(await bodyOf<Webhook>(remoteOf(context)(pathOf(id)))),
  ).alias('get')
  one('enable', 'send events again', change({ enabled: true }))
  one('disable', 'send nothing until it is enabled again', change({ enabled: false }))
  one('rotate-secret', 'make another secret; for a day the old one signs too', async (id) =>
    show(await send('POST', pathOf(id, 'rotate-secret'))),
  )
  one('delete', 'delete a webhook', async (id) => {
    await remoteOf(context)(pathOf(id), {}, { method: 'DELETE' })
    context.print(`Webhook ${id} deleted`, { id })
  })
  one('test', 'send a sample of each of its types', async (id) => {
    const { data } = await send<{ data: Delivery[] }>('POST', pathOf(id, 'test'))
    context.print(`${data.length} sent: see slugline webhooks deliveries ${id}`, { data })
  })
  webhooks
    .command('deliveries')
    .description('list what was sent, newest first')
    .argument('<id>', 'ID of the webhook')
    .option('--status <status>', 'pending, succeeded or failed')
    .option('--limit <n>', 'maximum number of results, up to 100', Number, 25)
    .action((id: string, query: Query) => deliveries(context, id, query))
  webhooks
    .command('replay')
    .description('send events again that happened after one, or one delivery')
    .argument('<id>', 'ID of the webhook')
    .option('--after <event>', 'ID of an event (default: from the oldest on)')
    .option('--delivery <id>', 'only this delivery')
    .action(async (id: string, { after, delivery }: { after?: string; delivery?: string }) => {
      if (delivery !== undefined) {
        const again = await send<Delivery>('POST', pathOf(id, 'deliveries', delivery, 'replay'))
        return context.print(`Delivery ${again.id} is sent again`, again)
      }
      const job = await send<RemoteJob>('POST', pathOf(id, 'replay'), after ? { after } : {})
      context.print(facts({ job: job.id, status: job.status }), job)
    })
}

interface Query {
  status?: string
  limit: number
}

async function list(context: CommandContext): Promise<void> {
  const query = { limit: '100' }
  const body = await bodyOf<{ data: Webhook[] }>(remoteOf(context)('/webhooks', query))
  if (context.json) return context.print('', body)
  context.printList(body.data, 'There are no webhooks.', {
    ID: ({ id }) => id,
    STATUS: ({ status, disabled_reason }) => [status, disabled_reason].filter(Boolean).join(': '),
    TYPES: ({ types }) => String(types.length),
    URL: ({ url }) => url,
  })
}

async function deliveries(
  context: CommandContext,
  id: string,
  { status, limit }: Query,
): Promise<void> {
  checkLimit(limit)
  const query = { limit: String(limit), ...(status !== undefined && { status }) }
  const path = pathOf(id, 'deliveries')
  const body = await bodyOf<{ data: Delivery[] }>(remoteOf(context)(path, query))
  if (context.json) return context.print('', body)
  context.printList(body.data, 'There are no such deliveries.', {
    AT: ({ created_at }) => created_at,
    TYPE: ({ type }) => type,
    STATUS: (delivery) => delivery.status,
    ATTEMPTS: ({ attempts }) => String(attempts.length),
    LAST: ({ attempts }) => String(attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? '-'),
    ID: (delivery) => delivery.id,
  })
}

function fieldsOf(url: string, { types, tag, folder, domain }: Options): object {
  const filter = {
    ...(tag && { tags: tag }),
    ...(folder && { folders: folder }),
    ...(domain && { domains: domain }),
  }
  return {
    url,
    ...(types !== undefined && { types: types.split(',') }),
    ...(Object.keys(filter).length > 0 && { filter }),
  }
}
