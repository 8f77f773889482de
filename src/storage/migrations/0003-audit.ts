import { type Kysely, sql } from 'kysely'

/** The audit log, deleted links that can still be restored, invitations. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'ALTER TABLE workspaces ADD COLUMN audit_made BIGINT NOT NULL DEFAULT 0',
  // `seq` begins with the workspace, so each index serves "newest first" within one workspace.
  `CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT,
    actor_label TEXT NOT NULL,
    action TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_label TEXT NOT NULL,
    version BIGINT,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    request_id TEXT
  )`,
  'CREATE INDEX audit_target ON audit (target_id, seq)',
  'CREATE INDEX audit_actor ON audit (actor_id, seq) WHERE actor_id IS NOT NULL',
  'CREATE INDEX audit_action ON audit (action, seq)',
  `CREATE TABLE deleted_links (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace_no BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    row TEXT NOT NULL
  )`,
  'CREATE INDEX deleted_links_time ON deleted_links (deleted_at)',
  // Passwords that a link had before: the audit log must not hold them, and a restore needs them.
  `CREATE TABLE link_passwords (
    link_seq BIGINT NOT NULL,
    version BIGINT NOT NULL,
    password_hash TEXT,
    PRIMARY KEY (link_seq, version)
  )`,
  `CREATE TABLE deleted_workspaces (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    deleted_at BIGINT NOT NULL,
    purged_at BIGINT
  )`,
  `CREATE TABLE invitations (
    id TEXT NOT NULL PRIMARY KEY,
    workspace_no BIGINT NOT NULL REFERENCES workspaces (no),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    role TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    invited_by TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    UNIQUE (workspace_no, email_key)
  )`,
  'CREATE INDEX invitations_expiry ON invitations (expires_at)',
  'CREATE INDEX members_user ON members (user_id)',
]
