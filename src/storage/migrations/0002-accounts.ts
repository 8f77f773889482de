import { type Kysely, sql } from 'kysely'

/** Sessions, passkeys, second factors: what accounts need. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: string[] = [
  // The operator made those who are there, and vouches for their addresses.
  'ALTER TABLE users ADD COLUMN email_verified SMALLINT NOT NULL DEFAULT 1',
  'ALTER TABLE users ADD COLUMN language TEXT',
  'ALTER TABLE users ADD COLUMN instance_owner SMALLINT NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN two_factor_enabled SMALLINT NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0',
  `UPDATE users SET instance_owner = 1
    WHERE id = (SELECT id FROM users ORDER BY created_at, id LIMIT 1)`,
  // Whoever comes second in a race for it is refused by this index.
  'CREATE UNIQUE INDEX users_instance_owner ON users (instance_owner) WHERE instance_owner = 1',
  // How somebody signs in: by a password of ours, or as an account of another service.
  `CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    provider_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider_id, account_id)
  )`,
  'CREATE INDEX accounts_user ON accounts (user_id)',
  `INSERT INTO accounts (id, user_id, provider_id, account_id, password_hash, created_at, updated_at)
    SELECT 'acc_' || substr(id, 5), id, 'credential', id, password_hash, created_at, created_at
    FROM users`,
  'ALTER TABLE users DROP COLUMN password_hash',
  `CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    token TEXT NOT NULL UNIQUE,
    user_agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX sessions_user ON sessions (user_id)',
  'CREATE INDEX sessions_expiry ON sessions (expires_at)',
  // Tokens that are sent or shown once: resets, challenges, states. The identifier is a hash.
  `CREATE TABLE verifications (
    id TEXT NOT NULL PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX verifications_identifier ON verifications (identifier)',
  'CREATE INDEX verifications_expiry ON verifications (expires_at)',
  `CREATE TABLE two_factors (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE REFERENCES users (id),
    secret TEXT NOT NULL,
    backup_codes TEXT NOT NULL,
    verified SMALLINT NOT NULL DEFAULT 1,
    failed_verification_count BIGINT NOT NULL DEFAULT 0,
    locked_until BIGINT
  )`,
  `CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT,
    credential_id TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    counter BIGINT NOT NULL,
    device_type TEXT NOT NULL,
    backed_up SMALLINT NOT NULL,
    transports TEXT,
    aaguid TEXT,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX passkeys_user ON passkeys (user_id)',
  // Attempts to sign in and the like, by keyed hashes of addresses and accounts.
  `CREATE TABLE attempts (
    key TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    used DOUBLE PRECISION NOT NULL,
    full_at BIGINT NOT NULL
  )`,
  'CREATE INDEX attempts_full ON attempts (full_at)',
  // Facts of the whole instance, one a row.
  `CREATE TABLE instance (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
  )`,
]
