import type { Generated } from 'kysely'

/** Milliseconds since the Unix epoch, as every time is stored. */
export type Millis = number
/** 0 or 1: SQLite has no booleans, PostgreSQL stores a smallint. */
export type Flag = number

export interface WorkspacesTable {
  /** Small number that stands for the workspace in every other table. */
  no: Generated<number>
  id: string
  name: string
  /** The name in lower case. */
  name_key: string
  plan_id: string
  language: string | null
  /** 1: members with a password need a second factor. */
  require_two_factor: Generated<Flag>
  /** Counters, changed in the transaction that changes what they count. */
  links_count: Generated<number>
  /** Slugs and aliases of the links that exist. */
  addresses_count: Generated<number>
  api_keys_count: Generated<number>
  members_count: Generated<number>
  /** How many links were ever created here: the low half of the next link's `seq`. */
  links_made: Generated<number>
  /** The newest link's `created_at`, so that `seq` and `created_at` sort alike. */
  last_link_at: Generated<Millis>
  /** How many audit entries were ever written here: the low half of the next one's `seq`. */
  audit_made: Generated<number>
  created_at: Millis
}

export interface UsersTable {
  id: string
  email: string
  /** The address in lower case; unique. */
  email_key: string
  name: string | null
  /** Whether it was shown that the address is theirs. */
  email_verified: Flag
  /** A locale of ours, or null: the browser's. */
  language: string | null
  /** 1: may see all workspaces and set their plans. One person at most. */
  instance_owner: Generated<Flag>
  two_factor_enabled: Generated<Flag>
  created_at: Millis
  updated_at: Millis
}

/** A way to sign in: a password stored here, or an account of another service. */
export interface AccountsTable {
  id: string
  user_id: string
  /** `credential`: a password of ours. */
  provider_id: string
  /** Who they are there; the user's id for `credential`. */
  account_id: string
  /** argon2id in PHC form. */
  password_hash: string | null
  created_at: Millis
  updated_at: Millis
}

/** Where people are signed in. Their addresses are not kept. */
export interface SessionsTable {
  id: string
  user_id: string
  /** What the cookie holds, next to a signature of it. */
  token: string
  /** Coarse: `Firefox, Windows`. */
  user_agent: string | null
  created_at: Millis
  updated_at: Millis
  expires_at: Millis
}

/** What was sent or shown once and is used up by its use: resets, challenges, states. */
export interface VerificationsTable {
  id: string
  /** SHA-256 of the token or name. */
  identifier: string
  value: string
  created_at: Millis
  updated_at: Millis
  expires_at: Millis
}

/** The second factor of people who have one. Secret and codes are encrypted. */
export interface TwoFactorsTable {
  id: string
  user_id: string
  secret: string
  backup_codes: string
  verified: Flag
  failed_verification_count: number
  locked_until: Millis | null
}

export interface PasskeysTable {
  id: string
  user_id: string
  name: string | null
  credential_id: string
  public_key: string
  counter: number
  device_type: string
  backed_up: Flag
  transports: string | null
  aaguid: string | null
  created_at: Millis
}

/** Attempts at what is limited strictly; the state of `limits/decide.ts`. */
export interface AttemptsTable {
  /** A keyed hash of what is limited and for whom. */
  key: string
  at: Millis
  used: number
  /** From then on the row says no more than its absence would. */
  full_at: Millis
}

/** Facts of the whole instance. */
export interface InstanceTable {
  name: string
  value: string
}

export interface MembersTable {
  workspace_no: number
  user_id: string
  role: string
  created_at: Millis
}

export interface ApiKeysTable {
  id: string
  /** The 8 public characters; unique. */
  prefix: string
  /** HMAC-SHA-256 of the whole key, hexadecimal. */
  hash: string
  workspace_no: number
  name: string
  /** Scopes, sorted, separated by a space. */
  scopes: string
  created_by: string | null
  created_at: Millis
  expires_at: Millis | null
  revoked_at: Millis | null
  last_used_at: Millis | null
  /** The id of the key that this one was rotated from. */
  rotated_from: string | null
}

export interface DomainsTable {
  /** 0 is the instance's own domain. */
  no: number
  host: string
}

export interface LinksTable {
  /** `workspace_no × 2^32 + n`: one workspace's links lie together, in the order of creation. */
  seq: number
  id: string
  workspace_no: number
  domain_no: number
  slug: string
  slug_key: string
  /** Byte for byte as it was given. */
  destination_url: string
  /** As the WHATWG URL standard serialises it: what `Location` says. */
  target_url: string
  title: string | null
  notes: string | null
  /** JSON array of strings, sorted. */
  tags: string
  /** JSON array of strings: further slugs, as typed. */
  aliases: string
  external_id: string | null
  enabled: Flag
  /** JSON object `{id, reason, at}` of the block of its addresses; null: they are not blocked. */
  block: Generated<string | null>
  redirect_status: number
  forward_query: Flag
  starts_at: Millis | null
  expires_at: Millis | null
  max_clicks: number | null
  /** Visitors let through since `max_clicks` was set, those before it included. */
  uses: Generated<number>
  fallback_url: string | null
  password_hash: string | null
  created_at: Millis
  updated_at: Millis
  version: number
  /** What `search` looks through, in lower case. */
  search_text: string
}

/** Every slug that was ever given out, and what the redirect needs to know of it. */
export interface SlugsTable {
  /** The slug without regard to case; unique with `domain_no`. */
  slug_key: string
  domain_no: number
  workspace_no: number
  /** Null: the link is gone, and the slug is held back from other workspaces. */
  link_seq: number | null
  /** The slug as typed. */
  slug: string
  /** Copy of the link's, so that a plain redirect reads one row of one table. */
  target_url: string | null
  redirect_status: number
  /** 1: the link has conditions (dates, password, limits, …), read its row. */
  special: Flag
  /** The block of this address, which outlives the link; null: it is not blocked. */
  block_id: Generated<string | null>
}

export interface LinkTagsTable {
  workspace_no: number
  /** The tag in lower case. */
  tag_key: string
  link_seq: number
}

/** Who changed what. Rows are only ever added; none holds a secret. */
export interface AuditTable {
  /** `workspace_no × 2^32 + n`, like a link's. */
  seq: number
  at: Millis
  actor_type: 'user' | 'api_key' | 'command'
  /** A user's or key's id; null for the command line. */
  actor_id: string | null
  /** Who it was, in words that stay when the user or key is gone. */
  actor_label: string
  /** Like `link.updated`. */
  action: string
  target_type: string
  target_id: string
  target_label: string
  /** The link's version after the change; null for what has no versions. */
  version: number | null
  /** JSON object: the changed fields as they were. */
  before: string
  /** JSON object: the changed fields as they are since. */
  after: string
  request_id: string | null
}

/** What the owner of the instance has blocked. */
export interface BlocksTable {
  id: string
  kind: 'link' | 'host' | 'destination_host' | 'workspace'
  /** `host/slug`, a host, or the id of a workspace. */
  value: string
  reason: string
  /** Of kind `link`: the link that has the address, if there is one. */
  link_id: string | null
  /** The workspace of that link, or the one that is blocked. */
  workspace_no: number | null
  /** As the audit log names the person. */
  created_by: string
  created_at: Millis
}

/** What workspaces answer to blocks, each once. */
export interface AppealsTable {
  block_id: string
  workspace_no: number
  link_id: string
  text: string
  created_by: string
  created_at: Millis
}

/** What visitors report of an address: one row each, so that they can't fill the database. */
export interface ReportsTable {
  slug_key: string
  domain_no: number
  times: number
  /** What the last visitor wrote. */
  text: string
  reported_at: Millis
}

/** Links that were deleted and can be restored for some days. Their slugs are held meanwhile. */
export interface DeletedLinksTable {
  /** The link's, which it gets again. */
  seq: number
  id: string
  workspace_no: number
  deleted_at: Millis
  /** JSON object: the row of `links`, without `search_text`. */
  row: string
}

/** Passwords that links had before, so that an earlier version can be restored whole. */
export interface LinkPasswordsTable {
  link_seq: number
  /** The version that replaced this password. */
  version: number
  /** Null: there was none. */
  password_hash: string | null
}

/** Workspaces that are gone, whose links and clicks are being purged, or have been. */
export interface DeletedWorkspacesTable {
  no: number
  id: string
  deleted_at: Millis
  /** When the last of its links was gone; null: some are still there. */
  purged_at: Millis | null
}

/** Who may join a workspace. A row goes when it is accepted, revoked or replaced. */
export interface InvitationsTable {
  id: string
  workspace_no: number
  email: string
  /** The address in lower case; unique within the workspace. */
  email_key: string
  role: string
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string
  /** A user's id; null: the operator. */
  invited_by: string | null
  created_at: Millis
  expires_at: Millis
}

export interface IdempotencyTable {
  workspace_no: number
  key: string
  /** SHA-256 of method, path and body. */
  request_hash: string
  status: number
  /** JSON object of the headers to replay. */
  headers: string
  body: string
  created_at: Millis
}

/** Written by the click worker alone, in a file of its own; readers attach it. */
export interface LinkCountersTable {
  link_seq: number
  workspace_no: number
  total: number
  human: number
  bot: number
  unique_visitors: number
  last_clicked_at: Millis | null
}

/** Up to which link (`seq`) of a workspace `link_counters` has a row for every link. */
export interface CounterWatermarksTable {
  workspace_no: number
  link_seq: number
}

/** Up to where the journal has been counted. */
export interface JournalWatermarkTable {
  id: number
  segment: number
  offset: number
}

/** Who was counted already as a unique visitor of a link on a day. */
export interface LinkVisitorsTable {
  /** Days since the Unix epoch, UTC. */
  day: number
  link_seq: number
  visitor: string
}

/** A workspace's clicks of a UTC month that are counted. */
export interface WorkspaceMonthsTable {
  /** Months since January 1970. */
  month: number
  workspace_no: number
  clicks: number
}

/** From where to where in a node's journal a workspace's clicks of a month aren't counted. */
export interface UncountedClicksTable {
  /** 0: a single machine. */
  node_no: number
  workspace_no: number
  month: number
  from_segment: number
  from_offset: number
  /** Null: to the end. */
  until_segment: number | null
  until_offset: number | null
}

/** How far each node's journal is counted and stored; PostgreSQL alone. */
export interface NodeWatermarksTable {
  node_no: number
  segment: number
  offset: number
  shipped_segment: number
  shipped_offset: number
}

/** All tables. In SQLite those from `link_counters` on live in the attached `counters.db`. */
export interface Schema {
  workspaces: WorkspacesTable
  users: UsersTable
  accounts: AccountsTable
  sessions: SessionsTable
  verifications: VerificationsTable
  two_factors: TwoFactorsTable
  passkeys: PasskeysTable
  attempts: AttemptsTable
  instance: InstanceTable
  members: MembersTable
  api_keys: ApiKeysTable
  domains: DomainsTable
  links: LinksTable
  slugs: SlugsTable
  link_tags: LinkTagsTable
  idempotency: IdempotencyTable
  audit: AuditTable
  deleted_links: DeletedLinksTable
  deleted_workspaces: DeletedWorkspacesTable
  link_passwords: LinkPasswordsTable
  blocks: BlocksTable
  appeals: AppealsTable
  reports: ReportsTable
  invitations: InvitationsTable
  link_counters: LinkCountersTable
  counter_watermarks: CounterWatermarksTable
  journal_watermark: JournalWatermarkTable
  link_visitors: LinkVisitorsTable
  workspace_months: WorkspaceMonthsTable
  uncounted_clicks: UncountedClicksTable
  node_watermarks: NodeWatermarksTable
}

/** Each workspace owns this many consecutive values of `links.seq`. */
export const SEQS_PER_WORKSPACE = 2 ** 32
