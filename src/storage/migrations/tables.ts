/** How a database writes what differs in tables that both have. */
export interface TableTypes {
  /** The type of texts, which are compared byte by byte. */
  text: string
  /** A numeric primary key that the rows are stored by. */
  rowid: string
  /** The same, given out in order and never again. */
  numbered: string
  /** Ends a table whose rows are stored in the index of its primary key. */
  clustered: string
  /** Ends a table of few rows that are changed very often. */
  busy: string
  /** Further columns of the index of links with conditions. */
  uses: string
}

/**
 * The tables of both databases. `seq` is `workspace_no × 2^32 + n`, so an index on it serves the
 * rows of one workspace in the order of their creation.
 */
export function sharedTables(types: TableTypes): string[] {
  return [...accountTables(types), ...linkTables(types), ...auditTables(types)]
}

function accountTables({ text, numbered, busy }: TableTypes): string[] {
  return [
    `CREATE TABLE workspaces (
    no ${numbered},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    name_key ${text} NOT NULL,
    plan_id ${text} NOT NULL,
    language ${text},
    require_two_factor SMALLINT NOT NULL DEFAULT 0,
    links_count BIGINT NOT NULL DEFAULT 0,
    api_keys_count BIGINT NOT NULL DEFAULT 0,
    members_count BIGINT NOT NULL DEFAULT 0,
    links_made BIGINT NOT NULL DEFAULT 0,
    last_link_at BIGINT NOT NULL DEFAULT 0,
    audit_made BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  )${busy}`,
    'CREATE INDEX workspaces_name ON workspaces (name_key)',
    `CREATE TABLE users (
    id ${text} NOT NULL PRIMARY KEY,
    email ${text} NOT NULL,
    email_key ${text} NOT NULL UNIQUE,
    name ${text},
    email_verified SMALLINT NOT NULL DEFAULT 1,
    language ${text},
    instance_owner SMALLINT NOT NULL DEFAULT 0,
    two_factor_enabled SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL DEFAULT 0
  )`,
    // Of two who race for it this index refuses one.
    'CREATE UNIQUE INDEX users_instance_owner ON users (instance_owner) WHERE instance_owner = 1',
    `CREATE TABLE accounts (
    id ${text} NOT NULL PRIMARY KEY,
    user_id ${text} NOT NULL REFERENCES users (id),
    provider_id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    password_hash ${text},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider_id, account_id)
  )`,
    'CREATE INDEX accounts_user ON accounts (user_id)',
    `CREATE TABLE sessions (
    id ${text} NOT NULL PRIMARY KEY,
    user_id ${text} NOT NULL REFERENCES users (id),
    token ${text} NOT NULL UNIQUE,
    user_agent ${text},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
    'CREATE INDEX sessions_user ON sessions (user_id)',
    'CREATE INDEX sessions_expiry ON sessions (expires_at)',
    // Tokens that work once: resets, challenges, states. The identifier is a hash.
    `CREATE TABLE verifications (
    id ${text} NOT NULL PRIMARY KEY,
    identifier ${text} NOT NULL,
    value ${text} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
    'CREATE INDEX verifications_identifier ON verifications (identifier)',
    'CREATE INDEX verifications_expiry ON verifications (expires_at)',
    `CREATE TABLE two_factors (
    id ${text} NOT NULL PRIMARY KEY,
    user_id ${text} NOT NULL UNIQUE REFERENCES users (id),
    secret ${text} NOT NULL,
    backup_codes ${text} NOT NULL,
    verified SMALLINT NOT NULL DEFAULT 1,
    failed_verification_count BIGINT NOT NULL DEFAULT 0,
    locked_until BIGINT
  )`,
    `CREATE TABLE passkeys (
    id ${text} NOT NULL PRIMARY KEY,
    user_id ${text} NOT NULL REFERENCES users (id),
    name ${text},
    credential_id ${text} NOT NULL UNIQUE,
    public_key ${text} NOT NULL,
    counter BIGINT NOT NULL,
    device_type ${text} NOT NULL,
    backed_up SMALLINT NOT NULL,
    transports ${text},
    aaguid ${text},
    created_at BIGINT NOT NULL
  )`,
    'CREATE INDEX passkeys_user ON passkeys (user_id)',
    // Attempts to sign in and the like, by keyed hashes of addresses and accounts.
    `CREATE TABLE attempts (
    key ${text} NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    used DOUBLE PRECISION NOT NULL,
    full_at BIGINT NOT NULL
  )`,
    'CREATE INDEX attempts_full ON attempts (full_at)',
    `CREATE TABLE instance (
    name ${text} NOT NULL PRIMARY KEY,
    value ${text} NOT NULL
  )`,
    `CREATE TABLE members (
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    user_id ${text} NOT NULL REFERENCES users (id),
    role ${text} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, user_id)
  )`,
    'CREATE INDEX members_user ON members (user_id)',
    `CREATE TABLE api_keys (
    id ${text} NOT NULL PRIMARY KEY,
    prefix ${text} NOT NULL UNIQUE,
    hash ${text} NOT NULL,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    name ${text} NOT NULL,
    scopes ${text} NOT NULL,
    created_by ${text},
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    rotated_from ${text}
  )`,
    'CREATE INDEX api_keys_workspace ON api_keys (workspace_no, created_at)',
    `CREATE TABLE invitations (
    id ${text} NOT NULL PRIMARY KEY,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    email ${text} NOT NULL,
    email_key ${text} NOT NULL,
    role ${text} NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    invited_by ${text},
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    UNIQUE (workspace_no, email_key)
  )`,
    'CREATE INDEX invitations_expiry ON invitations (expires_at)',
  ]
}

function linkTables({ text, rowid, clustered, uses }: TableTypes): string[] {
  return [
    `CREATE TABLE domains (
    no BIGINT NOT NULL PRIMARY KEY,
    host ${text} NOT NULL UNIQUE
  )`,
    `CREATE TABLE links (
    seq ${rowid},
    id ${text} NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    domain_no BIGINT NOT NULL,
    slug ${text} NOT NULL,
    slug_key ${text} NOT NULL,
    destination_url ${text} NOT NULL,
    target_url ${text} NOT NULL,
    title ${text},
    notes ${text},
    tags ${text} NOT NULL,
    aliases ${text} NOT NULL,
    external_id ${text},
    enabled SMALLINT NOT NULL,
    blocked SMALLINT NOT NULL DEFAULT 0,
    redirect_status SMALLINT NOT NULL,
    forward_query SMALLINT NOT NULL,
    starts_at BIGINT,
    expires_at BIGINT,
    max_clicks BIGINT,
    uses BIGINT NOT NULL DEFAULT 0,
    fallback_url ${text},
    password_hash ${text},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    search_text ${text} NOT NULL
  )`,
    `CREATE INDEX links_updated ON links
    (workspace_no, updated_at, seq)`,
    'CREATE INDEX links_slug ON links (workspace_no, slug_key, seq)',
    `CREATE UNIQUE INDEX links_external_id ON links (workspace_no, external_id)
    WHERE external_id IS NOT NULL`,
    // Few links have conditions: a list by status reads only them (see links/status.ts).
    `CREATE INDEX links_special ON links
    (workspace_no, seq, enabled, blocked, starts_at, expires_at, max_clicks${uses})
    WHERE enabled = 0 OR blocked <> 0 OR starts_at IS NOT NULL OR expires_at IS NOT NULL
      OR max_clicks IS NOT NULL`,
    'CREATE INDEX links_domain ON links (workspace_no, domain_no, seq) WHERE domain_no <> 0',
    // The redirect reads this row alone, unless the link has conditions.
    `CREATE TABLE slugs (
    slug_key ${text} NOT NULL,
    domain_no BIGINT NOT NULL,
    workspace_no BIGINT NOT NULL,
    link_seq BIGINT,
    slug ${text} NOT NULL,
    target_url ${text},
    redirect_status SMALLINT NOT NULL,
    special SMALLINT NOT NULL,
    PRIMARY KEY (slug_key, domain_no)
  )${clustered}`,
    `CREATE TABLE link_tags (
    workspace_no BIGINT NOT NULL,
    tag_key ${text} NOT NULL,
    link_seq BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, tag_key, link_seq)
  )${clustered}`,
    `CREATE TABLE deleted_links (
    seq ${rowid},
    id ${text} NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    "row" ${text} NOT NULL
  )`,
    'CREATE INDEX deleted_links_time ON deleted_links (deleted_at)',
    // Earlier passwords: the audit log must not hold them, and a restore needs them.
    `CREATE TABLE link_passwords (
    link_seq BIGINT NOT NULL,
    version BIGINT NOT NULL,
    password_hash ${text},
    PRIMARY KEY (link_seq, version)
  )`,
  ]
}

function auditTables({ text, rowid, clustered }: TableTypes): string[] {
  return [
    `CREATE TABLE idempotency (
    workspace_no BIGINT NOT NULL,
    key ${text} NOT NULL,
    request_hash ${text} NOT NULL,
    status SMALLINT NOT NULL,
    headers ${text} NOT NULL,
    body ${text} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_no, key)
  )${clustered}`,
    'CREATE INDEX idempotency_created ON idempotency (created_at)',
    `CREATE TABLE audit (
    seq ${rowid},
    at BIGINT NOT NULL,
    actor_type ${text} NOT NULL,
    actor_id ${text},
    actor_label ${text} NOT NULL,
    action ${text} NOT NULL,
    target_type ${text} NOT NULL,
    target_id ${text} NOT NULL,
    target_label ${text} NOT NULL,
    version BIGINT,
    before ${text} NOT NULL,
    after ${text} NOT NULL,
    request_id ${text}
  )`,
    'CREATE INDEX audit_target ON audit (target_id, seq)',
    'CREATE INDEX audit_actor ON audit (actor_id, seq) WHERE actor_id IS NOT NULL',
    'CREATE INDEX audit_action ON audit (action, seq)',
    `CREATE TABLE deleted_workspaces (
    no ${rowid},
    id ${text} NOT NULL UNIQUE,
    deleted_at BIGINT NOT NULL,
    purged_at BIGINT
  )`,
  ]
}
