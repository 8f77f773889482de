import { type Kysely, sql } from 'kysely'

/**
 * All tables of the embedded database and its counters at once. Texts are compared byte by byte, as
 * SQLite does; keys that lists are sorted by have no value first, for the same reason.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const TEXT = 'TEXT COLLATE "C"'

const STATEMENTS = [
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  // A sequence would leave gaps behind refusals, and numbers are few: seq must stay below 2^53.
  'CREATE TABLE numbers (name TEXT PRIMARY KEY, value BIGINT NOT NULL)',
  "INSERT INTO numbers (name, value) VALUES ('workspaces', 0)",
  `CREATE FUNCTION next_workspace_no() RETURNS BIGINT LANGUAGE plpgsql AS $$
    DECLARE n BIGINT;
    BEGIN
      UPDATE numbers SET value = greatest(value,
          (SELECT coalesce(max(no), 0) FROM workspaces),
          (SELECT coalesce(max(no), 0) FROM deleted_workspaces)) + 1
        WHERE name = 'workspaces' RETURNING value INTO n;
      RETURN n;
    END $$`,
  `CREATE TABLE workspaces (
    no BIGINT PRIMARY KEY DEFAULT next_workspace_no(),
    id ${TEXT} NOT NULL UNIQUE,
    name ${TEXT} NOT NULL,
    name_key ${TEXT} NOT NULL,
    plan_id ${TEXT} NOT NULL,
    language ${TEXT},
    require_two_factor SMALLINT NOT NULL DEFAULT 0,
    links_count BIGINT NOT NULL DEFAULT 0,
    api_keys_count BIGINT NOT NULL DEFAULT 0,
    members_count BIGINT NOT NULL DEFAULT 0,
    links_made BIGINT NOT NULL DEFAULT 0,
    last_link_at BIGINT NOT NULL DEFAULT 0,
    audit_made BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  ) WITH (fillfactor = 40)`,
  'CREATE INDEX workspaces_name ON workspaces (name_key)',
  `CREATE TABLE users (
    id ${TEXT} PRIMARY KEY,
    email ${TEXT} NOT NULL,
    email_key ${TEXT} NOT NULL UNIQUE,
    name ${TEXT},
    email_verified SMALLINT NOT NULL DEFAULT 1,
    language ${TEXT},
    instance_owner SMALLINT NOT NULL DEFAULT 0,
    two_factor_enabled SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL DEFAULT 0
  )`,
  'CREATE UNIQUE INDEX users_instance_owner ON users (instance_owner) WHERE instance_owner = 1',
  `CREATE TABLE accounts (
    id ${TEXT} PRIMARY KEY,
    user_id ${TEXT} NOT NULL REFERENCES users (id),
    provider_id ${TEXT} NOT NULL,
    account_id ${TEXT} NOT NULL,
    password_hash ${TEXT},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider_id, account_id)
  )`,
  'CREATE INDEX accounts_user ON accounts (user_id)',
  `CREATE TABLE sessions (
    id ${TEXT} PRIMARY KEY,
    user_id ${TEXT} NOT NULL REFERENCES users (id),
    token ${TEXT} NOT NULL UNIQUE,
    user_agent ${TEXT},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX sessions_user ON sessions (user_id)',
  'CREATE INDEX sessions_expiry ON sessions (expires_at)',
  `CREATE TABLE verifications (
    id ${TEXT} PRIMARY KEY,
    identifier ${TEXT} NOT NULL,
    value ${TEXT} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX verifications_identifier ON verifications (identifier)',
  'CREATE INDEX verifications_expiry ON verifications (expires_at)',
  `CREATE TABLE two_factors (
    id ${TEXT} PRIMARY KEY,
    user_id ${TEXT} NOT NULL UNIQUE REFERENCES users (id),
    secret ${TEXT} NOT NULL,
    backup_codes ${TEXT} NOT NULL,
    verified SMALLINT NOT NULL DEFAULT 1,
    failed_verification_count BIGINT NOT NULL DEFAULT 0,
    locked_until BIGINT
  )`,
  `CREATE TABLE passkeys (
    id ${TEXT} PRIMARY KEY,
    user_id ${TEXT} NOT NULL REFERENCES users (id),
    name ${TEXT},
    credential_id ${TEXT} NOT NULL UNIQUE,
    public_key ${TEXT} NOT NULL,
    counter BIGINT NOT NULL,
    device_type ${TEXT} NOT NULL,
    backed_up SMALLINT NOT NULL,
    transports ${TEXT},
    aaguid ${TEXT},
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX passkeys_user ON passkeys (user_id)',
  `CREATE TABLE attempts (
    key ${TEXT} PRIMARY KEY,
    at BIGINT NOT NULL,
    used DOUBLE PRECISION NOT NULL,
    full_at BIGINT NOT NULL
  )`,
  'CREATE INDEX attempts_full ON attempts (full_at)',
  `CREATE TABLE instance (
    name ${TEXT} PRIMARY KEY,
    value ${TEXT} NOT NULL
  )`,
  `CREATE TABLE members (
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    user_id ${TEXT} NOT NULL REFERENCES users (id),
    role ${TEXT} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, user_id)
  )`,
  'CREATE INDEX members_user ON members (user_id)',
  `CREATE TABLE api_keys (
    id ${TEXT} PRIMARY KEY,
    prefix ${TEXT} NOT NULL UNIQUE,
    hash ${TEXT} NOT NULL,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    name ${TEXT} NOT NULL,
    scopes ${TEXT} NOT NULL,
    created_by ${TEXT},
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    rotated_from ${TEXT}
  )`,
  'CREATE INDEX api_keys_workspace ON api_keys (workspace_no, created_at)',
  `CREATE TABLE domains (
    no BIGINT PRIMARY KEY,
    host ${TEXT} NOT NULL UNIQUE
  )`,
  `CREATE TABLE links (
    seq BIGINT PRIMARY KEY,
    id ${TEXT} NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    domain_no BIGINT NOT NULL,
    slug ${TEXT} NOT NULL,
    slug_key ${TEXT} NOT NULL,
    destination_url ${TEXT} NOT NULL,
    target_url ${TEXT} NOT NULL,
    title ${TEXT},
    notes ${TEXT},
    tags ${TEXT} NOT NULL,
    aliases ${TEXT} NOT NULL,
    external_id ${TEXT},
    enabled SMALLINT NOT NULL,
    blocked SMALLINT NOT NULL DEFAULT 0,
    redirect_status SMALLINT NOT NULL,
    forward_query SMALLINT NOT NULL,
    starts_at BIGINT,
    expires_at BIGINT,
    max_clicks BIGINT,
    uses BIGINT NOT NULL DEFAULT 0,
    fallback_url ${TEXT},
    password_hash ${TEXT},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    search_text ${TEXT} NOT NULL
  )`,
  `CREATE INDEX links_updated ON links
    (workspace_no, updated_at NULLS FIRST, seq NULLS FIRST)`,
  'CREATE INDEX links_slug ON links (workspace_no, slug_key NULLS FIRST, seq NULLS FIRST)',
  `CREATE UNIQUE INDEX links_external_id ON links (workspace_no, external_id)
    WHERE external_id IS NOT NULL`,
  `CREATE INDEX links_special ON links
    (workspace_no, seq, enabled, blocked, starts_at, expires_at, max_clicks)
    WHERE enabled = 0 OR blocked <> 0 OR starts_at IS NOT NULL OR expires_at IS NOT NULL
      OR max_clicks IS NOT NULL`,
  'CREATE INDEX links_domain ON links (workspace_no, domain_no, seq) WHERE domain_no <> 0',
  'CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops)',
  `CREATE TABLE slugs (
    slug_key ${TEXT} NOT NULL,
    domain_no BIGINT NOT NULL,
    workspace_no BIGINT NOT NULL,
    link_seq BIGINT,
    slug ${TEXT} NOT NULL,
    target_url ${TEXT},
    redirect_status SMALLINT NOT NULL,
    special SMALLINT NOT NULL,
    PRIMARY KEY (slug_key, domain_no)
  )`,
  `CREATE TABLE link_tags (
    workspace_no BIGINT NOT NULL,
    tag_key ${TEXT} NOT NULL,
    link_seq BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, tag_key, link_seq)
  )`,
  `CREATE TABLE idempotency (
    workspace_no BIGINT NOT NULL,
    key ${TEXT} NOT NULL,
    request_hash ${TEXT} NOT NULL,
    status SMALLINT NOT NULL,
    headers ${TEXT} NOT NULL,
    body ${TEXT} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, key)
  )`,
  'CREATE INDEX idempotency_created ON idempotency (created_at)',
  `CREATE TABLE audit (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_type ${TEXT} NOT NULL,
    actor_id ${TEXT},
    actor_label ${TEXT} NOT NULL,
    action ${TEXT} NOT NULL,
    target_type ${TEXT} NOT NULL,
    target_id ${TEXT} NOT NULL,
    target_label ${TEXT} NOT NULL,
    version BIGINT,
    before ${TEXT} NOT NULL,
    after ${TEXT} NOT NULL,
    request_id ${TEXT}
  )`,
  'CREATE INDEX audit_target ON audit (target_id, seq)',
  'CREATE INDEX audit_actor ON audit (actor_id, seq) WHERE actor_id IS NOT NULL',
  'CREATE INDEX audit_action ON audit (action, seq)',
  `CREATE TABLE deleted_links (
    seq BIGINT PRIMARY KEY,
    id ${TEXT} NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    "row" ${TEXT} NOT NULL
  )`,
  'CREATE INDEX deleted_links_time ON deleted_links (deleted_at)',
  `CREATE TABLE link_passwords (
    link_seq BIGINT NOT NULL,
    version BIGINT NOT NULL,
    password_hash ${TEXT},
    PRIMARY KEY (link_seq, version)
  )`,
  `CREATE TABLE deleted_workspaces (
    no BIGINT PRIMARY KEY,
    id ${TEXT} NOT NULL UNIQUE,
    deleted_at BIGINT NOT NULL,
    purged_at BIGINT
  )`,
  `CREATE TABLE invitations (
    id ${TEXT} PRIMARY KEY,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    email ${TEXT} NOT NULL,
    email_key ${TEXT} NOT NULL,
    role ${TEXT} NOT NULL,
    token_hash ${TEXT} NOT NULL UNIQUE,
    invited_by ${TEXT},
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    UNIQUE (workspace_no, email_key)
  )`,
  'CREATE INDEX invitations_expiry ON invitations (expires_at)',
  // What the click workers of all nodes count together.
  `CREATE TABLE link_counters (
    link_seq BIGINT PRIMARY KEY,
    workspace_no BIGINT NOT NULL,
    total BIGINT NOT NULL DEFAULT 0,
    human BIGINT NOT NULL DEFAULT 0,
    bot BIGINT NOT NULL DEFAULT 0,
    unique_visitors BIGINT NOT NULL DEFAULT 0,
    last_clicked_at BIGINT
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX link_counters_total ON link_counters
    (workspace_no, total NULLS FIRST, link_seq NULLS FIRST)`,
  `CREATE INDEX link_counters_last ON link_counters
    (workspace_no, last_clicked_at NULLS FIRST, link_seq NULLS FIRST)`,
  `CREATE TABLE counter_watermarks (
    workspace_no BIGINT PRIMARY KEY,
    link_seq BIGINT NOT NULL
  )`,
  `CREATE TABLE link_visitors (
    day BIGINT NOT NULL,
    link_seq BIGINT NOT NULL,
    visitor ${TEXT} NOT NULL,
    PRIMARY KEY (day, link_seq, visitor)
  )`,
]
