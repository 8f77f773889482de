import { type Body, type Calls, callsOf, type Item, type Result, type Write } from './calls.js'
import { linksOf } from './links.js'
import { reportsOf, resourcesOf } from './resources.js'
import { type ClientOptions, type RequestOptions, type Send, Transport } from './transport.js'

export type { Body, Item, Query, Result } from './calls.js'
export * from './errors.js'
export { List, type Page } from './pages.js'
export type { Click, Event, ImportFile } from './resources.js'
export type { ClientOptions, RequestOptions, Send, WriteOptions } from './transport.js'
export { type ReceivedWebhook, verifyWebhook, WebhookVerificationError } from './webhook.js'

/** A link. */
export type Link = Result<'/links/{id}'>
/** A link to create; only `destination_url` is required. */
export type NewLink = Body<'/links', 'post'>
/** Changes of a link; null sets a field to its default. */
export type LinkChanges = Body<'/links/{id}', 'patch'>
/** A tag, folder, domain, job, API key, webhook. */
export type Tag = Item<'/tags'>
export type Folder = Item<'/folders'>
export type Domain = Item<'/domains'>
export type Job = Item<'/jobs'>
export type ApiKey = Item<'/keys'>
export type Webhook = Item<'/webhooks'>
/** Clicks over time. */
export type Stats = Result<'/stats'>

/**
 * A client of one instance. Failed requests are repeated where that is safe; then they throw a
 * `SluglineError`.
 */
export class Slugline {
  readonly links: ReturnType<typeof linksOf>
  readonly tags: Resources['tags']
  readonly folders: Resources['folders']
  readonly domains: Resources['domains']
  readonly utmTemplates: Resources['utmTemplates']
  readonly shares: Resources['shares']
  readonly keys: Resources['keys']
  readonly jobs: Resources['jobs']
  readonly imports: Resources['imports']
  readonly webhooks: Resources['webhooks']
  readonly logo: Resources['logo']
  readonly plans: Resources['plans']
  readonly stats: Reports['stats']
  readonly clicks: Reports['clicks']
  readonly events: Reports['events']
  readonly #calls: Calls

  constructor(options: ClientOptions) {
    this.#calls = callsOf(new Transport(options))
    this.links = linksOf(this.#calls)
    const resources = resourcesOf(this.#calls)
    this.tags = resources.tags
    this.folders = resources.folders
    this.domains = resources.domains
    this.utmTemplates = resources.utmTemplates
    this.shares = resources.shares
    this.keys = resources.keys
    this.jobs = resources.jobs
    this.imports = resources.imports
    this.webhooks = resources.webhooks
    this.logo = resources.logo
    this.plans = resources.plans
    const reports = reportsOf(this.#calls)
    this.stats = reports.stats
    this.clicks = reports.clicks
    this.events = reports.events
  }

  /** What the key may do. */
  me(options?: RequestOptions): Promise<Result<'/me'>> {
    return this.#calls.get('/me', [], undefined, options)
  }

  /** Documents and collections of the instance. */
  index(options?: RequestOptions): Promise<Result<''>> {
    return this.#calls.get('', [], undefined, options)
  }

  /** Where a visitor of a short URL would go, and why. */
  explain(
    body: Body<'/explain', 'post'>,
    options?: Write<'/explain', 'post'>,
  ): Promise<Result<'/explain', 'post'>> {
    return this.#calls.write('post', '/explain', [], body, options)
  }

  /** Any request, for what has no method here: the response, whose body is still to be read. */
  request(send: Send): Promise<Response> {
    return this.#calls.response(send)
  }
}

type Resources = ReturnType<typeof resourcesOf>
type Reports = ReturnType<typeof reportsOf>
