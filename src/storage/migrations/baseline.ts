import { type Generated, type Kysely, sql } from 'kysely'

/** Milliseconds since the Unix epoch, as every time is stored. */
export type Millis = number
/** 0 or 1: SQLite has no booleans, PostgreSQL stores a smallint. */
export type Flag = number

/** What an import makes of a record. */
export type ImportStatus = 'created' | 'renamed' | 'updated' | 'skipped' | 'refused'

/** A column's SQL in both databases. `T` is what it holds, as Kysely types it. */
export interface Column<T> {
  readonly sqlite: string
  readonly postgres: string
  /** Never set: carries the type. */
  readonly holds?: T
}

/** One table: its columns in order, and what follows them. */
interface Table {
  columns: Record<string, Column<unknown>>
  /** A key or a condition over several columns. */
  constraint?: string
  storage?: Storage
  indexes?: readonly string[]
}

type Storage = Pick<Column<never>, 'sqlite' | 'postgres'>

function column<T>(sqlite: string, postgres = sqlite): Column<T> {
  return { sqlite, postgres }
}

const text = column<string>('TEXT NOT NULL')
const optionalText = column<string | null>('TEXT')
const uniqueText = column<string>('TEXT NOT NULL UNIQUE')
const textKey = column<string>('TEXT NOT NULL PRIMARY KEY')
const userId = column<string>('TEXT NOT NULL REFERENCES users (id)')
const number = column<number>('BIGINT NOT NULL')
const optionalNumber = column<number | null>('BIGINT')
const count = column<number>('BIGINT NOT NULL DEFAULT 0')
/** Kept by the transaction that changes what it counts. */
const generatedCount = column<Generated<number>>('BIGINT NOT NULL DEFAULT 0')
const time = column<Millis>('BIGINT NOT NULL')
const optionalTime = column<Millis | null>('BIGINT')
const status = column<number>('SMALLINT NOT NULL')
const flag = column<Flag>('SMALLINT NOT NULL')
const generatedFlag = column<Generated<Flag>>('SMALLINT NOT NULL DEFAULT 0')
const workspaceNo = column<number>('BIGINT NOT NULL REFERENCES workspaces (no)')
/** A numeric primary key that the rows are stored by. */
const rowKey = column<number>('INTEGER PRIMARY KEY', 'BIGINT PRIMARY KEY')

/** Rows are stored in the index of the primary key. */
const CLUSTERED: Storage = { sqlite: ' WITHOUT ROWID', postgres: '' }

/**
 * The tables of both databases, but for the counters. `seq` is `workspace_no × 2^32 + n`, so an
 * index on it serves the rows of one workspace in the order of their creation. `…_key` of texts is
 * the text in lower case, in which it is compared.
 */
export const MAIN_TABLES = {
  workspaces: {
    columns: {
      /** Small number that stands for the workspace in every other table. */
      no: column<Generated<number>>(
        'INTEGER PRIMARY KEY AUTOINCREMENT',
        'BIGINT PRIMARY KEY DEFAULT next_workspace_no()',
      ),
      id: uniqueText,
      name: text,
      name_key: text,
      plan_id: text,
      language: optionalText,
      /** 1: members with a password need a second factor. */
      require_two_factor: generatedFlag,
      /** JSON array of addresses and networks whose visits aren't counted. */
      excluded_networks: column<Generated<string>>("TEXT NOT NULL DEFAULT '[]'"),
      /** The saved style of QR codes as JSON. */
      qr_style: optionalText,
      links_count: generatedCount,
      /** Slugs and aliases of the links that exist. */
      addresses_count: generatedCount,
      api_keys_count: generatedCount,
      members_count: generatedCount,
      /** How many tags were ever made here: the number of the newest one. */
      tags_made: generatedCount,
      /** How many links were ever created here: the low half of the next link's `seq`. */
      links_made: generatedCount,
      /** The latest `created_at` of a link, so that `seq` and `created_at` sort alike. */
      last_link_at: generatedCount,
      /** 1: they don't, because a link was made while the clock was far ahead. */
      links_unordered: generatedFlag,
      /** How many audit entries were ever written here: the low half of the next one's `seq`. */
      audit_made: generatedCount,
      created_at: time,
    },
    // Few rows, which are changed very often.
    storage: { sqlite: '', postgres: ' WITH (fillfactor = 40)' },
    indexes: [
      'CREATE INDEX workspaces_name ON workspaces (name_key)',
      "CREATE INDEX workspaces_excluding ON workspaces (no) WHERE excluded_networks <> '[]'",
    ],
  },
  users: {
    columns: {
      id: textKey,
      email: text,
      email_key: uniqueText,
      name: optionalText,
      /** Whether it was shown that the address is theirs. */
      email_verified: column<Flag>('SMALLINT NOT NULL DEFAULT 1'),
      /** A locale of ours, or null: the browser's. */
      language: optionalText,
      /** 1: may see all workspaces and set their plans. One person at most. */
      instance_owner: generatedFlag,
      two_factor_enabled: generatedFlag,
      created_at: time,
      updated_at: count,
    },
    indexes: [
      // Of two who race for it this index refuses one.
      'CREATE UNIQUE INDEX users_instance_owner ON users (instance_owner) WHERE instance_owner = 1',
    ],
  },
  /** What people look like, where they say so. */
  pictures: {
    columns: {
      user_id: column<string>('TEXT NOT NULL PRIMARY KEY REFERENCES users (id)'),
      /** Of the picture, short: another one has another address. */
      digest: text,
      /** PNG, in Base64. */
      png: text,
    },
  },
  /** Ways to sign in: a password stored here, or an account of another service. */
  accounts: {
    columns: {
      id: textKey,
      user_id: userId,
      /** `credential`: a password of ours. */
      provider_id: text,
      /** Who they are there; the user's id for `credential`. */
      account_id: text,
      /** argon2id in PHC form. */
      password_hash: optionalText,
      created_at: time,
      updated_at: time,
    },
    constraint: 'UNIQUE (provider_id, account_id)',
    indexes: ['CREATE INDEX accounts_user ON accounts (user_id)'],
  },
  /** Where people are signed in. Their addresses are not kept. */
  sessions: {
    columns: {
      id: textKey,
      user_id: userId,
      /** What the cookie holds, next to a signature of it. */
      token: uniqueText,
      /** Coarse: `Firefox, Windows`. */
      user_agent: optionalText,
      created_at: time,
      updated_at: time,
      expires_at: time,
    },
    indexes: [
      'CREATE INDEX sessions_user ON sessions (user_id)',
      'CREATE INDEX sessions_expiry ON sessions (expires_at)',
    ],
  },
  /** Tokens that work once: resets, challenges, states. */
  verifications: {
    columns: {
      id: textKey,
      /** SHA-256 of the token or name. */
      identifier: text,
      value: text,
      created_at: time,
      updated_at: time,
      expires_at: time,
    },
    indexes: [
      'CREATE INDEX verifications_identifier ON verifications (identifier)',
      'CREATE INDEX verifications_expiry ON verifications (expires_at)',
    ],
  },
  /** The second factor of people who have one. Secret and codes are encrypted. */
  two_factors: {
    columns: {
      id: textKey,
      user_id: column<string>('TEXT NOT NULL UNIQUE REFERENCES users (id)'),
      secret: text,
      backup_codes: text,
      verified: column<Flag>('SMALLINT NOT NULL DEFAULT 1'),
      failed_verification_count: count,
      locked_until: optionalTime,
    },
  },
  passkeys: {
    columns: {
      id: textKey,
      user_id: userId,
      name: optionalText,
      credential_id: uniqueText,
      public_key: text,
      counter: number,
      device_type: text,
      backed_up: flag,
      transports: optionalText,
      aaguid: optionalText,
      created_at: time,
    },
    indexes: ['CREATE INDEX passkeys_user ON passkeys (user_id)'],
  },
  /** Attempts at what is limited strictly; the state of `limits/decide.ts`. */
  attempts: {
    columns: {
      /** A keyed hash of what is limited and for whom. */
      key: textKey,
      at: time,
      used: column<number>('DOUBLE PRECISION NOT NULL'),
      /** From then on the row says no more than its absence would. */
      full_at: time,
    },
    indexes: ['CREATE INDEX attempts_full ON attempts (full_at)'],
  },
  /** API requests of the workspaces in the last hour. */
  request_minutes: {
    columns: {
      /** Minutes since the Unix epoch. */
      minute: number,
      workspace_no: number,
      allowed: number,
      limited: number,
    },
    constraint: 'PRIMARY KEY (minute, workspace_no)',
  },
  /** The picture that a workspace puts on its QR codes. */
  logos: {
    columns: {
      workspace_no: rowKey,
      /** PNG, in Base64. */
      png: text,
      width: number,
      height: number,
      updated_at: time,
    },
  },
  /** UTM parameters that are used often. */
  utm_templates: {
    columns: {
      id: textKey,
      workspace_no: number,
      name: text,
      name_key: text,
      source: optionalText,
      medium: optionalText,
      campaign: optionalText,
      term: optionalText,
      content: optionalText,
      created_at: time,
      updated_at: time,
      version: number,
    },
    constraint: 'UNIQUE (workspace_no, name_key)',
  },
  /** The list of links, narrowed and sorted under a name. */
  views: {
    columns: {
      id: textKey,
      workspace_no: number,
      /** Whose it is; null: of a shared one, who has left. */
      user_id: optionalText,
      shared: flag,
      name: text,
      name_key: text,
      /** JSON object: filter, sort, order and columns. */
      shown: text,
      created_at: time,
      updated_at: time,
      version: number,
    },
    indexes: ['CREATE INDEX views_workspace ON views (workspace_no, name_key, id)'],
  },
  /** Statistics that are shared at an address of their own. */
  shares: {
    columns: {
      id: textKey,
      workspace_no: number,
      /** SHA-256 of the 32 characters of the address, hexadecimal. */
      token_hash: uniqueText,
      name: optionalText,
      kind: column<'link' | 'tag' | 'folder' | 'workspace'>('TEXT NOT NULL'),
      /** The id of the link, tag or folder, which may be gone; null: it is the workspace. */
      subject_id: optionalText,
      /** JSON object: parameters of statistics with lists of values. */
      filters: text,
      /** JSON array of names in `shares/show.ts`. */
      shown: text,
      password_hash: optionalText,
      expires_at: optionalTime,
      /** Who changed it last: what they can't see isn't shown. Null: a key, which sees all. */
      seen_by: optionalText,
      views: count,
      created_at: time,
      updated_at: time,
      version: number,
    },
    indexes: ['CREATE INDEX shares_workspace ON shares (workspace_no, id)'],
  },
  /** Clicks that are to be deleted: all of a link before a time. */
  click_deletions: { columns: { link_seq: rowKey, before: time } },
  /** Facts of the whole instance. */
  instance: { columns: { name: textKey, value: text } },
  members: {
    columns: { workspace_no: workspaceNo, user_id: userId, role: text, created_at: time },
    constraint: 'PRIMARY KEY (workspace_no, user_id)',
    indexes: ['CREATE INDEX members_user ON members (user_id)'],
  },
  api_keys: {
    columns: {
      id: textKey,
      /** The 8 public characters. */
      prefix: uniqueText,
      /** HMAC-SHA-256 of the whole key, hexadecimal. */
      hash: text,
      workspace_no: workspaceNo,
      name: text,
      /** Scopes, sorted, separated by a space. */
      scopes: text,
      created_by: optionalText,
      created_at: time,
      expires_at: optionalTime,
      revoked_at: optionalTime,
      last_used_at: optionalTime,
      /** The id of the key that this one was rotated from. */
      rotated_from: optionalText,
    },
    indexes: ['CREATE INDEX api_keys_workspace ON api_keys (workspace_no, created_at)'],
  },
  /** Who may join a workspace. A row goes when it is accepted, revoked or replaced. */
  invitations: {
    columns: {
      id: textKey,
      workspace_no: workspaceNo,
      email: text,
      email_key: text,
      role: text,
      /** SHA-256 of the token, hexadecimal. */
      token_hash: uniqueText,
      /** A user's id; null: the operator. */
      invited_by: optionalText,
      created_at: time,
      expires_at: time,
    },
    constraint: 'UNIQUE (workspace_no, email_key)',
    indexes: ['CREATE INDEX invitations_expiry ON invitations (expires_at)'],
  },
  /** Hosts of short links: shared ones of the configuration, and those of workspaces. */
  domains: {
    columns: {
      /** 0 is the instance's own domain. */
      no: column<number>('BIGINT NOT NULL PRIMARY KEY'),
      host: text,
      /** Null: the host is shared by all workspaces, and what follows is unused. */
      id: optionalText,
      workspace_no: optionalNumber,
      status: column<Generated<'shared' | 'pending' | 'active' | 'failing' | 'removed'>>(
        "TEXT NOT NULL DEFAULT 'shared'",
      ),
      /** What the TXT record must say. */
      token: column<Generated<string>>("TEXT NOT NULL DEFAULT ''"),
      checked_at: optionalTime,
      /** JSON array of strings: the TXT records that the last check found. */
      found: column<Generated<string>>("TEXT NOT NULL DEFAULT '[]'"),
      /** Why it got no answer; null: it got one. */
      lookup_error: optionalText,
      /** Since when the record is missing. */
      failing_since: optionalTime,
      root_url: optionalText,
      not_found_url: optionalText,
      expired_url: optionalText,
      case_sensitive: generatedFlag,
      /** JSON object. */
      brand: optionalText,
      /** `all`, `none`, or the text of robots.txt. */
      robots: column<Generated<string>>("TEXT NOT NULL DEFAULT 'all'"),
      /** JSON. */
      apple_app_site_association: optionalText,
      assetlinks: optionalText,
      created_at: generatedCount,
      updated_at: generatedCount,
      version: column<Generated<number>>('BIGINT NOT NULL DEFAULT 1'),
    },
    indexes: [
      // Of those who race for a host this index refuses all but one.
      `CREATE UNIQUE INDEX domains_host ON domains (host)
        WHERE status IN ('shared', 'active', 'failing')`,
      `CREATE UNIQUE INDEX domains_claim ON domains (workspace_no, host)
        WHERE workspace_no IS NOT NULL AND status <> 'removed'`,
      'CREATE UNIQUE INDEX domains_id ON domains (id) WHERE id IS NOT NULL',
      `CREATE INDEX domains_checked ON domains (checked_at)
        WHERE status IN ('active', 'failing')`,
    ],
  },
  links: {
    columns: {
      seq: rowKey,
      id: uniqueText,
      workspace_no: number,
      domain_no: number,
      slug: text,
      slug_key: text,
      /** Byte for byte as it was given. */
      destination_url: text,
      /** As the WHATWG URL standard serialises it: what `Location` says. */
      target_url: text,
      title: optionalText,
      notes: optionalText,
      /** JSON array of numbers: the `no` of tags. One of them may be gone, or be another's now. */
      tag_nos: column<Generated<string>>("TEXT NOT NULL DEFAULT '[]'"),
      /** The id of a folder, which may be gone, or be another's now. */
      folder_id: column<Generated<string | null>>('TEXT'),
      /** 1: lists leave it out. */
      archived: generatedFlag,
      /** JSON array of strings: further slugs, as typed; `no:slug` on another domain. */
      aliases: text,
      external_id: optionalText,
      enabled: flag,
      /** JSON object `{id, reason, at}` of the block of its addresses; null: they are not blocked. */
      block: column<Generated<string | null>>('TEXT'),
      redirect_status: status,
      forward_query: flag,
      forward_path: generatedFlag,
      /** 1: all below its slugs leads to it too. */
      match_prefix: generatedFlag,
      starts_at: optionalTime,
      expires_at: optionalTime,
      max_clicks: optionalNumber,
      /** Visitors let through since `max_clicks` was set, those before it included. */
      uses: generatedCount,
      /** Clicks that came along with an import; part of no other number. */
      imported_clicks: generatedCount,
      fallback_url: optionalText,
      /** JSON arrays, see `rules/types.ts`; null: there are none. */
      rules: optionalText,
      variants: optionalText,
      password_hash: optionalText,
      /** JSON object `{title, description, image_url}` for previews; null: there is none. */
      social: column<Generated<string | null>>('TEXT'),
      /** `full`, `count` or `none`: what is kept of clicks. */
      tracking: column<Generated<string>>("TEXT NOT NULL DEFAULT 'full'"),
      created_at: time,
      updated_at: time,
      version: number,
      /** What `search` looks through besides tags, in lower case. */
      search_text: text,
    },
    indexes: [
      'CREATE INDEX links_updated ON links (workspace_no, updated_at, seq)',
      'CREATE INDEX links_slug ON links (workspace_no, slug_key, seq)',
      `CREATE UNIQUE INDEX links_external_id ON links (workspace_no, external_id)
        WHERE external_id IS NOT NULL`,
      'CREATE INDEX links_domain ON links (workspace_no, domain_no, seq) WHERE domain_no <> 0',
      `CREATE INDEX links_folder ON links (workspace_no, folder_id, seq)
        WHERE folder_id IS NOT NULL`,
      'CREATE INDEX links_archived ON links (workspace_no, seq) WHERE archived = 1',
    ],
  },
  /**
   * Every slug that was ever given out. The redirect reads this row alone, unless the link has
   * conditions.
   */
  slugs: {
    columns: {
      slug_key: text,
      domain_no: number,
      workspace_no: number,
      /** Null: the link is gone, and the slug is held back from other workspaces. */
      link_seq: optionalNumber,
      /** The slug as typed. */
      slug: text,
      /** Copy of the link's. */
      target_url: optionalText,
      redirect_status: status,
      /** 1: the link has conditions (dates, password, limits, …), read its row; 2: and is a prefix. */
      special: flag,
      /** The block of this address, which outlives the link; null: it is not blocked. */
      block_id: column<Generated<string | null>>('TEXT'),
    },
    constraint: 'PRIMARY KEY (slug_key, domain_no)',
    storage: CLUSTERED,
    indexes: [
      'CREATE INDEX slugs_block ON slugs (block_id) WHERE block_id IS NOT NULL',
      'CREATE INDEX slugs_domain ON slugs (domain_no, link_seq) WHERE domain_no <> 0',
    ],
  },
  /** What the owner of the instance has blocked. */
  blocks: {
    columns: {
      id: textKey,
      kind: column<'link' | 'host' | 'destination_host' | 'workspace'>('TEXT NOT NULL'),
      /** `host/slug`, a host, or the id of a workspace. */
      value: text,
      reason: text,
      /** Of kind `link`: the link that has the address, if there is one. */
      link_id: optionalText,
      /** The workspace of that link, or the one that is blocked. */
      workspace_no: optionalNumber,
      /** As the audit log names the person. */
      created_by: text,
      created_at: time,
    },
    constraint: 'UNIQUE (kind, value)',
    indexes: ['CREATE INDEX blocks_link ON blocks (link_id) WHERE link_id IS NOT NULL'],
  },
  /** What workspaces answer to blocks, each once. */
  appeals: {
    columns: {
      block_id: text,
      workspace_no: number,
      link_id: text,
      text,
      created_by: text,
      created_at: time,
    },
    constraint: 'PRIMARY KEY (block_id, workspace_no)',
  },
  /** What visitors report of an address: one row each, so that they can't fill the database. */
  reports: {
    columns: {
      slug_key: text,
      domain_no: number,
      times: number,
      text,
      reported_at: time,
    },
    constraint: 'PRIMARY KEY (slug_key, domain_no)',
  },
  /**
   * The tags of a workspace. Links name them by number, so a rename changes one row. A tag that was
   * merged into another keeps its row, with the other's key and name: both numbers are one tag.
   */
  tags: {
    columns: {
      workspace_no: number,
      no: number,
      id: uniqueText,
      key: text,
      name: text,
      /** What `search` looks through. */
      search_text: text,
      /** One of `COLOURS` in `tags/`. */
      colour: text,
      /** The `no` of the tag that this one was merged into; null: it is a tag of its own. */
      merged_into: optionalNumber,
      created_at: time,
      updated_at: time,
      version: number,
    },
    constraint: 'PRIMARY KEY (workspace_no, no)',
    storage: CLUSTERED,
    indexes: [
      'CREATE UNIQUE INDEX tags_key ON tags (workspace_no, key) WHERE merged_into IS NULL',
      'CREATE INDEX tags_numbers ON tags (workspace_no, key, no)',
    ],
  },
  /** The links of a tag. Rows of a deleted tag stay until their links' tags change. */
  link_tags: {
    columns: {
      workspace_no: number,
      tag_no: number,
      link_seq: number,
    },
    constraint: 'PRIMARY KEY (workspace_no, tag_no, link_seq)',
    storage: CLUSTERED,
  },
  /** Folders; a link is in one at most. One that was moved into another keeps its row. */
  folders: {
    columns: {
      id: textKey,
      workspace_no: number,
      name: text,
      /** What folders are sorted by and `search` looks through. */
      name_key: text,
      /** `members`: only those in `folder_members`, and who manages the workspace, see its links. */
      access: column<'workspace' | 'members'>('TEXT NOT NULL'),
      /** The id of the folder that has its links now; null: it is a folder of its own. */
      merged_into: optionalText,
      created_at: time,
      updated_at: time,
      version: number,
    },
    indexes: [
      'CREATE INDEX folders_workspace ON folders (workspace_no, name_key, id)',
      'CREATE INDEX folders_merged ON folders (merged_into) WHERE merged_into IS NOT NULL',
    ],
  },
  /** Who sees the links of a folder that isn't everybody's. */
  folder_members: {
    columns: { folder_id: text, user_id: text },
    constraint: 'PRIMARY KEY (folder_id, user_id)',
    storage: CLUSTERED,
    indexes: ['CREATE INDEX folder_members_user ON folder_members (user_id)'],
  },
  /** Links that were deleted and can be restored for some days. Their slugs are held meanwhile. */
  deleted_links: {
    columns: {
      /** The link's, which it gets again. */
      seq: rowKey,
      id: uniqueText,
      workspace_no: number,
      deleted_at: time,
      /** The link's. */
      folder_id: column<Generated<string | null>>('TEXT'),
      /** JSON object: the row of `links`, without `search_text`. */
      row: text,
    },
    indexes: [
      'CREATE INDEX deleted_links_time ON deleted_links (deleted_at)',
      'CREATE INDEX deleted_links_workspace ON deleted_links (workspace_no, deleted_at, seq)',
    ],
  },
  /** Earlier passwords: the audit log must not hold them, and a restore needs them. */
  link_passwords: {
    columns: {
      link_seq: number,
      /** The version that replaced this password. */
      version: number,
      /** Null: there was none. */
      password_hash: optionalText,
    },
    constraint: 'PRIMARY KEY (link_seq, version)',
  },
  idempotency: {
    columns: {
      workspace_no: number,
      key: text,
      /** SHA-256 of method, path and body. */
      request_hash: text,
      status,
      /** JSON object of the headers to replay. */
      headers: text,
      body: text,
      created_at: time,
    },
    constraint: 'PRIMARY KEY (workspace_no, key)',
    storage: CLUSTERED,
    indexes: ['CREATE INDEX idempotency_created ON idempotency (created_at)'],
  },
  /** Work that takes long: see `jobs/`. Finished ones are deleted after some days. */
  jobs: {
    columns: {
      id: textKey,
      workspace_no: number,
      type: text,
      status: column<'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'>('TEXT NOT NULL'),
      done: count,
      /** Null: not known yet. */
      total: optionalNumber,
      failed: count,
      /** JSON: who asked for it, as the audit log names them. */
      actor: text,
      /** JSON: what is to be done. */
      input: text,
      /** JSON: how far it is, as its handler keeps it; null: at the start. */
      state: optionalText,
      /** JSON: what it gives out; null: nothing yet. */
      result: optionalText,
      /** JSON `{code, params}`: why it failed. */
      error: optionalText,
      /** Which process runs it. */
      lease_owner: optionalText,
      /** From then on any process may go on with it; null: it is finished. */
      lease_until: optionalTime,
      /** How often it was begun since it last got further. */
      attempts: count,
      created_at: time,
      started_at: optionalTime,
      finished_at: optionalTime,
    },
    indexes: [
      'CREATE INDEX jobs_workspace ON jobs (workspace_no, id)',
      'CREATE INDEX jobs_open ON jobs (lease_until) WHERE lease_until IS NOT NULL',
      'CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL',
    ],
  },
  /** Files that are being imported, in parts, until their jobs end. */
  import_chunks: {
    columns: { upload: text, n: number, text },
    constraint: 'PRIMARY KEY (upload, n)',
  },
  /** What a job has made of each record of an import. */
  import_rows: {
    columns: {
      job_id: text,
      /** The number of the record, from 1. */
      n: number,
      status: column<ImportStatus>('TEXT NOT NULL'),
      slug: optionalText,
      destination_url: optionalText,
      /** The link that was made, changed or in the way. */
      link_id: optionalText,
      /** JSON array of `{field, code, params}`. */
      reasons: text,
      /** The link's version before; null: the import made it. */
      version_before: optionalNumber,
      /** The link's version since; null: nothing was written. */
      version: optionalNumber,
      /** The link's imported clicks before. */
      clicks_before: optionalNumber,
      /** What became of it when the import was undone; null: it was not. */
      undo: column<'deleted' | 'restored' | 'kept' | null>('TEXT'),
    },
    constraint: 'PRIMARY KEY (job_id, n)',
    storage: CLUSTERED,
    indexes: [
      // By the link first: SQLite would rather read all rows of a job than begin with `job_id` here.
      `CREATE INDEX import_rows_updated ON import_rows (link_id, version_before)
        WHERE version_before IS NOT NULL`,
    ],
  },
  /** Slugs and external ids of the records that a dry run has passed. */
  import_seen: {
    columns: { job_id: text, key: text },
    constraint: 'PRIMARY KEY (job_id, key)',
    storage: CLUSTERED,
  },
  /** What imports need until their jobs end. */
  imports: {
    columns: {
      job_id: textKey,
      /** The file, in `import_chunks`. */
      upload: optionalText,
      /** The token of another service, encrypted. */
      token: optionalText,
    },
  },
  /** Who changed what. Rows are only ever added; none holds a secret. */
  audit: {
    columns: {
      seq: rowKey,
      at: time,
      actor_type: column<'user' | 'api_key' | 'command' | 'system'>('TEXT NOT NULL'),
      /** A user's or key's id; null for the command line. */
      actor_id: optionalText,
      /** Who it was, in words that stay when the user or key is gone. */
      actor_label: text,
      action: text,
      target_type: text,
      target_id: text,
      target_label: text,
      /** The link's version after the change; null for what has no versions. */
      version: optionalNumber,
      /** JSON object: the changed fields as they were. */
      before: text,
      /** JSON object: the changed fields as they are since. */
      after: text,
      request_id: optionalText,
    },
    indexes: [
      'CREATE INDEX audit_target ON audit (target_id, seq)',
      'CREATE INDEX audit_actor ON audit (actor_id, seq) WHERE actor_id IS NOT NULL',
      'CREATE INDEX audit_action ON audit (action, seq)',
    ],
  },
  /** Workspaces that are gone, whose links and clicks are being purged, or have been. */
  deleted_workspaces: {
    columns: {
      no: rowKey,
      id: uniqueText,
      deleted_at: time,
      /** When the last of its links was gone; null: some are still there. */
      purged_at: optionalTime,
    },
  },
} satisfies Record<string, Table>

/** What the click worker counts. In SQLite a file that it alone writes; readers attach it. */
export const COUNTER_TABLES = {
  link_counters: {
    columns: {
      link_seq: rowKey,
      workspace_no: number,
      total: count,
      human: count,
      bot: count,
      unique_visitors: count,
      last_clicked_at: optionalTime,
      /** How many of these are of clicks that were counted alone: no single one is stored. */
      bare_human: generatedCount,
      bare_bot: generatedCount,
      bare_unique: generatedCount,
    },
    storage: { sqlite: '', postgres: ' WITH (fillfactor = 80)' },
    indexes: [
      'CREATE INDEX link_counters_human ON link_counters (workspace_no, human, link_seq)',
      `CREATE INDEX link_counters_last
        ON link_counters (workspace_no, (coalesce(last_clicked_at, 0)), link_seq)`,
    ],
  },
  /** Up to which link (`seq`) of a workspace `link_counters` has a row for every link. */
  counter_watermarks: { columns: { workspace_no: rowKey, link_seq: number } },
  /** Who was counted already as a unique visitor of a link on a day. */
  link_visitors: {
    columns: {
      /** Days since the Unix epoch, UTC. */
      day: number,
      link_seq: number,
      /** The first 96 bits of the day's hash. */
      visitor: text,
    },
    constraint: 'PRIMARY KEY (day, link_seq, visitor)',
    storage: CLUSTERED,
  },
  /** A workspace's clicks of a UTC month that are counted. */
  workspace_months: {
    columns: {
      /** Months since January 1970. */
      month: number,
      workspace_no: number,
      clicks: number,
    },
    constraint: 'PRIMARY KEY (month, workspace_no)',
  },
  /** From where to where in a node's journal a workspace's clicks of a month aren't counted. */
  uncounted_clicks: {
    columns: {
      /** 0: a single machine. */
      node_no: number,
      workspace_no: number,
      month: number,
      from_segment: number,
      from_offset: number,
      /** Null: to the end. */
      until_segment: optionalNumber,
      until_offset: optionalNumber,
    },
    constraint: 'PRIMARY KEY (node_no, workspace_no, month, from_segment, from_offset)',
  },
} satisfies Record<string, Table>

/** Up to where each node's journal is in the counters, and stored for reports (reported later). */
export const NODE_TABLES = {
  node_watermarks: {
    columns: {
      node_no: rowKey,
      segment: count,
      offset: count,
      shipped_segment: count,
      shipped_offset: count,
    },
  },
} satisfies Record<string, Table>

/** Up to where the journal has been counted. Nodes have `node_watermarks` instead. */
export const JOURNAL_TABLES = {
  journal_watermark: { columns: { id: rowKey, segment: number, offset: number } },
} satisfies Record<string, Table>

/** The statements that make tables and their indexes. */
export function statementsFor(
  dialect: 'sqlite' | 'postgres',
  tables: Readonly<Record<string, Table>>,
): string[] {
  const statements = Object.entries(tables).flatMap(
    ([name, { columns, constraint, storage, indexes = [] }]) => {
      const lines = Object.entries(columns).map(([name, each]) => `"${name}" ${each[dialect]}`)
      if (constraint !== undefined) lines.push(constraint)
      return [`CREATE TABLE ${name} (${lines.join(', ')})${storage?.[dialect] ?? ''}`, ...indexes]
    },
  )
  // Texts are compared byte by byte, as SQLite does by itself.
  return dialect === 'sqlite'
    ? statements
    : statements.map((each) => each.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"'))
}

/**
 * Few links have conditions: a list by status reads only them (see `links/filter.ts`).
 * @param covering further columns, for answers from the index alone
 */
export function specialLinksIndex(covering: string): string {
  return `CREATE INDEX links_special ON links
    (workspace_no, seq, enabled, block, starts_at, expires_at, max_clicks${covering})
    WHERE enabled = 0 OR block IS NOT NULL OR starts_at IS NOT NULL OR expires_at IS NOT NULL
      OR max_clicks IS NOT NULL`
}

/** Runs statements one after another. */
export async function runAll(db: Kysely<never>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
