import { type Kysely, sql } from 'kysely'

/** Workspaces, people, keys, links and their slugs, and the records of idempotent requests. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `CREATE TABLE workspaces (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    language TEXT,
    require_two_factor SMALLINT NOT NULL DEFAULT 0,
    links_count BIGINT NOT NULL DEFAULT 0,
    api_keys_count BIGINT NOT NULL DEFAULT 0,
    members_count BIGINT NOT NULL DEFAULT 0,
    links_made BIGINT NOT NULL DEFAULT 0,
    last_link_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX workspaces_name ON workspaces (name_key)',
  `CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,
    name TEXT,
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE TABLE members (
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, user_id)
  )`,
  `CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    prefix TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    rotated_from TEXT
  )`,
  'CREATE INDEX api_keys_workspace ON api_keys (workspace_no, created_at)',
  `CREATE TABLE domains (
    no BIGINT NOT NULL PRIMARY KEY,
    host TEXT NOT NULL UNIQUE
  )`,
  `CREATE TABLE links (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    domain_no BIGINT NOT NULL,
    slug TEXT NOT NULL,
    slug_key TEXT NOT NULL,
    destination_url TEXT NOT NULL,
    target_url TEXT NOT NULL,
    title TEXT,
    notes TEXT,
    tags TEXT NOT NULL,
    aliases TEXT NOT NULL,
    external_id TEXT,
    enabled SMALLINT NOT NULL,
    blocked SMALLINT NOT NULL DEFAULT 0,
    redirect_status SMALLINT NOT NULL,
    forward_query SMALLINT NOT NULL,
    starts_at BIGINT,
    expires_at BIGINT,
    max_clicks BIGINT,
    uses BIGINT NOT NULL DEFAULT 0,
    fallback_url TEXT,
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    search_text TEXT NOT NULL
  )`,
  'CREATE INDEX links_updated ON links (workspace_no, updated_at, seq)',
  'CREATE INDEX links_slug ON links (workspace_no, slug_key, seq)',
  `CREATE UNIQUE INDEX links_external_id ON links (workspace_no, external_id)
    WHERE external_id IS NOT NULL`,
  // Few links have conditions: with these, a list by status reads only them (see links/status.ts).
  `CREATE INDEX links_special ON links
    (workspace_no, seq, enabled, blocked, starts_at, expires_at, max_clicks, uses)
    WHERE enabled = 0 OR blocked <> 0 OR starts_at IS NOT NULL OR expires_at IS NOT NULL
      OR max_clicks IS NOT NULL`,
  `CREATE INDEX links_domain ON links (workspace_no, domain_no, seq) WHERE domain_no <> 0`,
  // Without a rowid the whole row lies in the index: the redirect reads one tree, not two.
  `CREATE TABLE slugs (
    slug_key TEXT NOT NULL,
    domain_no BIGINT NOT NULL,
    workspace_no BIGINT NOT NULL,
    link_seq BIGINT,
    slug TEXT NOT NULL,
    target_url TEXT,
    redirect_status SMALLINT NOT NULL,
    special SMALLINT NOT NULL,
    PRIMARY KEY (slug_key, domain_no)
  ) WITHOUT ROWID`,
  `CREATE TABLE link_tags (
    workspace_no BIGINT NOT NULL,
    tag_key TEXT NOT NULL,
    link_seq BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, tag_key, link_seq)
  ) WITHOUT ROWID`,
  // The index alone: the text stands in links.search_text.
  `CREATE VIRTUAL TABLE links_search USING fts5 (
    search_text, content = '', contentless_delete = 1, tokenize = 'trigram'
  )`,
  `CREATE TABLE idempotency (
    workspace_no BIGINT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status SMALLINT NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, key)
  ) WITHOUT ROWID`,
  'CREATE INDEX idempotency_created ON idempotency (created_at)',
]
