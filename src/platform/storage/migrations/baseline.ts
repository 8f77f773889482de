import { type Generated, type Kysely, sql } from 'kysely'

/** Milliseconds since the Unix epoch, as every time is stored. */
export type Millis = number
/** 0 or 1: SQLite has no booleans, PostgreSQL stores a smallint. */
export type Flag = number

/** The outcome of a record of an import. */
export type ImportStatus = 'created' | 'renamed' | 'updated' | 'skipped' | 'refused'

/** A column's SQL in both databases. `T` is the type of its values, for Kysely. */
export interface Column<T> {
  readonly sqlite: string
  readonly postgres: string
  /** Never set: only carries the type. */
  readonly holds?: T
}

/** A table: its columns in order, its constraint and its indexes. */
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
/** A count, maintained by the transactions that change the counted rows. */
const generatedCount = column<Generated<number>>('BIGINT NOT NULL DEFAULT 0')
const time = column<Millis>('BIGINT NOT NULL')
const optionalTime = column<Millis | null>('BIGINT')
const status = column<number>('SMALLINT NOT NULL')
const flag = column<Flag>('SMALLINT NOT NULL')
const generatedFlag = column<Generated<Flag>>('SMALLINT NOT NULL DEFAULT 0')
const workspaceNo = column<number>('BIGINT NOT NULL REFERENCES workspaces (no)')
/** A numeric primary key in whose order the rows are stored. */
const rowKey = column<number>('INTEGER PRIMARY KEY', 'BIGINT PRIMARY KEY')

const versioned = { created_at: time, updated_at: time, version: number }

/** Rows are stored in the index of the primary key. */
const CLUSTERED: Storage = { sqlite: ' WITHOUT ROWID', postgres: '' }

/**
 * The tables of both databases, except the counters. `seq` is `workspace_no × 2^32 + n`, so an
 * index on it lists the rows of a workspace in the order of their creation. A text's `…_key` is its
 * lower-case form, for comparisons.
 */
export const MAIN_TABLES = {
  workspaces: {
    columns: {
      /** A small number, the key of the workspace in all other tables. */
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
      /** How many tags were ever created here: the number of the newest one. */
      tags_made: generatedCount,
      /** How many links were ever created here: the low half of the next link's `seq`. */
      links_made: generatedCount,
      /** The latest `created_at` of a link, so that `seq` and `created_at` sort alike. */
      last_link_at: generatedCount,
      /** 1: they don't, because a link was created while the clock was far ahead. */
      links_unordered: generatedFlag,
      /** How many audit entries were ever written here: the low half of the next one's `seq`. */
      audit_made: generatedCount,
      created_at: time,
    },
    // Few rows, which change very often.
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
      /** Whether it was verified that the address is theirs. */
      email_verified: column<Flag>('SMALLINT NOT NULL DEFAULT 1'),
      /** A supported locale, or null: the browser's. */
      language: optionalText,
      /** 1: may see all workspaces and set their plans. At most one person. */
      instance_owner: generatedFlag,
      two_factor_enabled: generatedFlag,
      created_at: time,
      updated_at: count,
    },
    indexes: [
      // This index lets only one of two concurrent claims succeed.
      'CREATE UNIQUE INDEX users_instance_owner ON users (instance_owner) WHERE instance_owner = 1',
    ],
  },
  /** People's pictures. */
  pictures: {
    columns: {
      user_id: column<string>('TEXT NOT NULL PRIMARY KEY REFERENCES users (id)'),
      /** A short digest of the picture, part of its URL. */
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
      /** `credential`: a password stored here. */
      provider_id: text,
      /** Their id there; the user's id for `credential`. */
      account_id: text,
      /** argon2id in PHC form. */
      password_hash: optionalText,
      created_at: time,
      updated_at: time,
    },
    constraint: 'UNIQUE (provider_id, account_id)',
    indexes: ['CREATE INDEX accounts_user ON accounts (user_id)'],
  },
  /** Sessions of people. Their IP addresses are not stored. */
  sessions: {
    columns: {
      id: textKey,
      user_id: userId,
      /** The session token; the cookie has it with a signature. */
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
  /** Single-use tokens: resets, challenges, states. */
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
  /** The second factors of people. Secret and codes are encrypted. */
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
  /** Attempts at strictly limited actions; the state of `limits/decide.ts`. */
  attempts: {
    columns: {
      /** A keyed hash of the limited action and its subject. */
      key: textKey,
      at: time,
      used: column<number>('DOUBLE PRECISION NOT NULL'),
      /** From then on the row is equivalent to a missing one. */
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
  /** The logo that a workspace puts on its QR codes. */
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
  /** Templates of UTM parameters. */
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
      ...versioned,
    },
    constraint: 'UNIQUE (workspace_no, name_key)',
  },
  /** Saved views of the list of links: filter, order and columns under a name. */
  views: {
    columns: {
      id: textKey,
      workspace_no: number,
      /** The owner; null: the view is shared, and its owner has left. */
      user_id: optionalText,
      shared: flag,
      name: text,
      name_key: text,
      /** JSON object: filter, sort, order and columns. */
      shown: text,
      ...versioned,
    },
    indexes: ['CREATE INDEX views_workspace ON views (workspace_no, name_key, id)'],
  },
  /** Statistics shared at a public address. */
  shares: {
    columns: {
      id: textKey,
      workspace_no: number,
      /** SHA-256 of the 32 characters of the address, hexadecimal. */
      token_hash: uniqueText,
      name: optionalText,
      kind: column<'link' | 'tag' | 'folder' | 'workspace'>('TEXT NOT NULL'),
      /** The id of the link, tag or folder, which may be deleted; null: the workspace. */
      subject_id: optionalText,
      /** JSON object: parameters of statistics with lists of values. */
      filters: text,
      /** JSON array of names in `statistics/shares/show.ts`. */
      shown: text,
      password_hash: optionalText,
      expires_at: optionalTime,
      /** The last person who changed it, who limits what is shown. Null: a key, which sees all. */
      seen_by: optionalText,
      views: count,
      ...versioned,
    },
    indexes: ['CREATE INDEX shares_workspace ON shares (workspace_no, id)'],
  },
  /** Clicks to be deleted: all of a link before a time. */
  click_deletions: { columns: { link_seq: rowKey, before: time } },
  /** Values of the whole instance. */
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
  /** Invitations to workspaces. Accepted, revoked and replaced ones are deleted. */
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
      /** Null: the host is shared by all workspaces, and the following columns are unused. */
      id: optionalText,
      workspace_no: optionalNumber,
      status: column<Generated<'shared' | 'pending' | 'active' | 'failing' | 'removed'>>(
        "TEXT NOT NULL DEFAULT 'shared'",
      ),
      /** The required value of the TXT record. */
      token: column<Generated<string>>("TEXT NOT NULL DEFAULT ''"),
      checked_at: optionalTime,
      /** JSON array of strings: the TXT records that the last check found. */
      found: column<Generated<string>>("TEXT NOT NULL DEFAULT '[]'"),
      /** The error of the last check's DNS query; null: none. */
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
      // This index lets only one of several concurrent claims of a host succeed.
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
      /** Byte for byte as entered. */
      destination_url: text,
      /** As serialized by the WHATWG URL standard, for `Location`. */
      target_url: text,
      title: optionalText,
      notes: optionalText,
      /** JSON array of numbers: the `no` of tags, some of which may be deleted or merged. */
      tag_nos: column<Generated<string>>("TEXT NOT NULL DEFAULT '[]'"),
      /** The id of a folder, which may be deleted or merged. */
      folder_id: column<Generated<string | null>>('TEXT'),
      /** 1: lists omit it. */
      archived: generatedFlag,
      /** JSON array of strings: additional slugs, as typed; `no:slug` on another domain. */
      aliases: text,
      external_id: optionalText,
      enabled: flag,
      /** JSON object `{id, reason, at}` of the block of its addresses; null: not blocked. */
      block: column<Generated<string | null>>('TEXT'),
      redirect_status: status,
      forward_query: flag,
      forward_path: generatedFlag,
      /** 1: all paths below its slugs match too. */
      match_prefix: generatedFlag,
      starts_at: optionalTime,
      expires_at: optionalTime,
      max_clicks: optionalNumber,
      /** Redirected visitors since `max_clicks` was set, including earlier ones. */
      uses: generatedCount,
      /** Clicks taken over by an import; part of no other number. */
      imported_clicks: generatedCount,
      fallback_url: optionalText,
      /** JSON arrays, see `redirect/rules/types.ts`; null: none. */
      rules: optionalText,
      variants: optionalText,
      password_hash: optionalText,
      /** JSON object `{title, description, image_url}` for previews; null: none. */
      social: column<Generated<string | null>>('TEXT'),
      /** `full`, `count` or `none`: what is stored of clicks. */
      tracking: column<Generated<string>>("TEXT NOT NULL DEFAULT 'full'"),
      ...versioned,
      /** The text searched by `search` besides tags, in lower case. */
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
  /** Every slug ever used. The redirect reads only this row, unless the link has conditions. */
  slugs: {
    columns: {
      slug_key: text,
      domain_no: number,
      workspace_no: number,
      /** Null: the link is deleted, and the slug stays reserved for its workspace. */
      link_seq: optionalNumber,
      /** The slug as typed. */
      slug: text,
      /** Copy of the link's. */
      target_url: optionalText,
      redirect_status: status,
      /** 1: the link has conditions (dates, password, limits, …), read its row; 2: and is a prefix. */
      special: flag,
      /** The block of this address, which outlives the link; null: not blocked. */
      block_id: column<Generated<string | null>>('TEXT'),
    },
    constraint: 'PRIMARY KEY (slug_key, domain_no)',
    storage: CLUSTERED,
    indexes: [
      'CREATE INDEX slugs_block ON slugs (block_id) WHERE block_id IS NOT NULL',
      'CREATE INDEX slugs_domain ON slugs (domain_no, link_seq) WHERE domain_no <> 0',
    ],
  },
  /** Blocks by the owner of the instance. */
  blocks: {
    columns: {
      id: textKey,
      kind: column<'link' | 'host' | 'destination_host' | 'workspace'>('TEXT NOT NULL'),
      /** `host/slug`, a host, or the id of a workspace. */
      value: text,
      reason: text,
      /** Of kind `link`: the link with the address, if any. */
      link_id: optionalText,
      /** The workspace of that link, or the blocked one. */
      workspace_no: optionalNumber,
      /** The person, as in the audit log. */
      created_by: text,
      created_at: time,
    },
    constraint: 'UNIQUE (kind, value)',
    indexes: ['CREATE INDEX blocks_link ON blocks (link_id) WHERE link_id IS NOT NULL'],
  },
  /** Workspaces' appeals of blocks, one each. */
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
  /** Visitors' reports: one row per address, so that they can't fill the database. */
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
   * The tags of a workspace. Links refer to them by number, so a rename changes one row. A merged
   * tag keeps its row, with the other's key and name: both numbers are one tag.
   */
  tags: {
    columns: {
      workspace_no: number,
      no: number,
      id: uniqueText,
      key: text,
      name: text,
      /** The text searched by `search`. */
      search_text: text,
      /** One of `COLOURS` in `tags/`. */
      colour: text,
      /** The `no` of the tag that this one was merged into; null: not merged. */
      merged_into: optionalNumber,
      ...versioned,
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
  /** Folders; a link is in at most one. A merged folder keeps its row. */
  folders: {
    columns: {
      id: textKey,
      workspace_no: number,
      name: text,
      /** For sorting folders and for `search`. */
      name_key: text,
      /** `members`: only those in `folder_members` and managers of the workspace see its links. */
      access: column<'workspace' | 'members'>('TEXT NOT NULL'),
      /** The id of the folder that has its links now; null: not merged. */
      merged_into: optionalText,
      ...versioned,
    },
    indexes: [
      'CREATE INDEX folders_workspace ON folders (workspace_no, name_key, id)',
      'CREATE INDEX folders_merged ON folders (merged_into) WHERE merged_into IS NOT NULL',
    ],
  },
  /** The members who see the links of a restricted folder. */
  folder_members: {
    columns: { folder_id: text, user_id: text },
    constraint: 'PRIMARY KEY (folder_id, user_id)',
    storage: CLUSTERED,
    indexes: ['CREATE INDEX folder_members_user ON folder_members (user_id)'],
  },
  /** Deleted links that can be restored for some days. Their slugs stay reserved until then. */
  deleted_links: {
    columns: {
      /** The link's id, which it gets again. */
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
  /** Earlier passwords, for restoring: the audit log must not contain them. */
  link_passwords: {
    columns: {
      link_seq: number,
      /** The version that replaced this password. */
      version: number,
      /** Null: none. */
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
  /** Background jobs: see `jobs/`. Finished ones are deleted after some days. */
  jobs: {
    columns: {
      id: textKey,
      workspace_no: number,
      type: text,
      status: column<'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'>('TEXT NOT NULL'),
      done: count,
      /** Null: unknown yet. */
      total: optionalNumber,
      failed: count,
      /** JSON: who requested it, in the form of the audit log. */
      actor: text,
      /** JSON: its input. */
      input: text,
      /** JSON: its progress, in a form of its handler; null: at the start. */
      state: optionalText,
      /** JSON: its output; null: none yet. */
      result: optionalText,
      /** JSON `{code, params}`: the error. */
      error: optionalText,
      /** The process that runs it. */
      lease_owner: optionalText,
      /** From then on any process may take it over; null: it is finished. */
      lease_until: optionalTime,
      /** How often it was started since its last progress. */
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
  /** Files of running imports, in chunks. */
  import_chunks: {
    columns: { upload: text, n: number, text },
    constraint: 'PRIMARY KEY (upload, n)',
  },
  /** The outcomes of the records of an import. */
  import_rows: {
    columns: {
      job_id: text,
      /** The number of the record, from 1. */
      n: number,
      status: column<ImportStatus>('TEXT NOT NULL'),
      slug: optionalText,
      destination_url: optionalText,
      /** The created, changed or conflicting link. */
      link_id: optionalText,
      /** JSON array of `{field, code, params}`. */
      reasons: text,
      /** The link's version before; null: the import created it. */
      version_before: optionalNumber,
      /** The link's version after; null: nothing was written. */
      version: optionalNumber,
      /** The link's imported clicks before. */
      clicks_before: optionalNumber,
      /** The outcome of undoing the import; null: not undone. */
      undo: column<'deleted' | 'restored' | 'kept' | null>('TEXT'),
    },
    constraint: 'PRIMARY KEY (job_id, n)',
    storage: CLUSTERED,
    indexes: [
      // The link comes first, because SQLite would otherwise read all rows of a job.
      `CREATE INDEX import_rows_updated ON import_rows (link_id, version_before)
        WHERE version_before IS NOT NULL`,
    ],
  },
  /** Slugs and external ids of the records that a dry run has processed. */
  import_seen: {
    columns: { job_id: text, key: text },
    constraint: 'PRIMARY KEY (job_id, key)',
    storage: CLUSTERED,
  },
  /** Inputs of imports until their jobs end. */
  imports: {
    columns: {
      job_id: textKey,
      /** The file, in `import_chunks`. */
      upload: optionalText,
      /** The token of another service, encrypted. */
      token: optionalText,
    },
  },
  /** The audit log. Rows are only added; none contains a secret. */
  audit: {
    columns: {
      seq: rowKey,
      at: time,
      actor_type: column<'user' | 'api_key' | 'command' | 'system'>('TEXT NOT NULL'),
      /** A user's or key's id; null for the command line. */
      actor_id: optionalText,
      /** The actor's name, which stays when the user or key is deleted. */
      actor_label: text,
      action: text,
      target_type: text,
      target_id: text,
      target_label: text,
      /** The link's version after the change; null for objects without versions. */
      version: optionalNumber,
      /** JSON object: the changed fields before the change. */
      before: text,
      /** JSON object: the changed fields after the change. */
      after: text,
      request_id: optionalText,
    },
    indexes: [
      'CREATE INDEX audit_target ON audit (target_id, seq)',
      'CREATE INDEX audit_actor ON audit (actor_id, seq) WHERE actor_id IS NOT NULL',
      'CREATE INDEX audit_action ON audit (action, seq)',
    ],
  },
  /** Deleted workspaces, whose links and clicks are being purged or have been. */
  deleted_workspaces: {
    columns: {
      no: rowKey,
      id: uniqueText,
      deleted_at: time,
      /** When the last of its links was purged; null: some are left. */
      purged_at: optionalTime,
    },
  },
} satisfies Record<string, Table>

/** The click worker's tables. In SQLite a separate file that only it writes; readers attach it. */
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
      /** How many of these clicks were only counted: none is stored. */
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
  /** The link (`seq`) of a workspace up to which all have a row in `link_counters`. */
  counter_watermarks: { columns: { workspace_no: rowKey, link_seq: number } },
  /** Counted unique visitors by link and day. */
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
  /** A workspace's counted clicks of a UTC month. */
  workspace_months: {
    columns: {
      /** Months since January 1970. */
      month: number,
      workspace_no: number,
      clicks: number,
    },
    constraint: 'PRIMARY KEY (month, workspace_no)',
  },
  /** Ranges of a node's journal in which a workspace's clicks of a month aren't counted. */
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

/** The position of each node's journal in the counters, and in the stored clicks, reported late. */
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

/** The counted position of the journal. Nodes have `node_watermarks` instead. */
export const JOURNAL_TABLES = {
  journal_watermark: { columns: { id: rowKey, segment: number, offset: number } },
} satisfies Record<string, Table>

/** The statements that create tables and their indexes. */
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
  return dialect === 'sqlite' ? statements : collated(statements)
}

/** Statements whose texts PostgreSQL compares by bytes, which is SQLite's default. */
export function collated(statements: readonly string[]): string[] {
  return statements.map((each) => each.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"'))
}

/**
 * Few links have conditions: a list by status reads only them (see `features/links/filter.ts`).
 * @param covering additional columns, for index-only scans
 */
export function specialLinksIndex(covering: string): string {
  return `CREATE INDEX links_special ON links
    (workspace_no, seq, enabled, block, starts_at, expires_at, max_clicks${covering})
    WHERE enabled = 0 OR block IS NOT NULL OR starts_at IS NOT NULL OR expires_at IS NOT NULL
      OR max_clicks IS NOT NULL`
}

/** Runs statements in order. */
export async function runAll(db: Kysely<never>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
