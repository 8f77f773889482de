type Row = Record<string, unknown>

interface Table {
  name: string
  /** better-auth's fields and our columns; what isn't here isn't kept. */
  columns: Readonly<Record<string, string>>
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const

/** Where better-auth's models are kept, and what of them. */
const TABLES: Readonly<Record<string, Table>> = {
  // No picture: whoever saw it would fetch it from elsewhere.
  user: {
    name: 'users',
    columns: {
      id: 'id',
      email: 'email',
      name: 'name',
      emailVerified: 'email_verified',
      twoFactorEnabled: 'two_factor_enabled',
      language: 'language',
      instanceOwner: 'instance_owner',
      ...TIMES,
    },
  },
  // No addresses: `ipAddress` is left out.
  session: {
    name: 'sessions',
    columns: {
      id: 'id',
      userId: 'user_id',
      token: 'token',
      userAgent: 'user_agent',
      expiresAt: 'expires_at',
      ...TIMES,
    },
  },
  // The tokens of other services are left out: nothing is done there in anybody's name.
  account: {
    name: 'accounts',
    columns: {
      id: 'id',
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'account_id',
      password: 'password_hash',
      ...TIMES,
    },
  },
  verification: {
    name: 'verifications',
    columns: {
      id: 'id',
      identifier: 'identifier',
      value: 'value',
      expiresAt: 'expires_at',
      ...TIMES,
    },
  },
  twoFactor: {
    name: 'two_factors',
    columns: {
      id: 'id',
      userId: 'user_id',
      secret: 'secret',
      backupCodes: 'backup_codes',
      verified: 'verified',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
  passkey: {
    name: 'passkeys',
    columns: {
      id: 'id',
      userId: 'user_id',
      name: 'name',
      credentialID: 'credential_id',
      publicKey: 'public_key',
      counter: 'counter',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      transports: 'transports',
      aaguid: 'aaguid',
      createdAt: 'created_at',
    },
  },
}

const DATES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'expiresAt', 'lockedUntil'])
const FLAGS: ReadonlySet<string> = new Set([
  'emailVerified',
  'twoFactorEnabled',
  'instanceOwner',
  'verified',
  'backedUp',
])

/** The prefixes of the ids that are made for each model. */
export const ID_PREFIXES: Readonly<Record<string, string>> = {
  user: 'usr',
  session: 'ses',
  account: 'acc',
  verification: 'ver',
  twoFactor: 'tfa',
  passkey: 'psk',
}

function of(model: string): Table {
  const table = TABLES[model]
  if (table === undefined) throw new Error(`better-auth asks for ${model}, which has no table`)
  return table
}

/** The table of a model. */
export function tableOf(model: string): string {
  return of(model).name
}

/** The column of a field. */
export function columnOf(model: string, field: string): string {
  const column = of(model).columns[field]
  if (column === undefined) throw new Error(`better-auth asks for ${model}.${field}, not kept`)
  return column
}

/** What better-auth writes, as we keep it. */
export function rowOf(model: string, data: Row): Row {
  const row: Row = {}
  for (const [field, column] of Object.entries(of(model).columns)) {
    const value = data[field]
    if (value === undefined) continue
    if (value instanceof Date) row[column] = value.getTime()
    else row[column] = typeof value === 'boolean' ? Number(value) : value
  }
  // The address without regard to case is what is unique.
  if (model === 'user' && typeof row.email === 'string') row.email_key = row.email.toLowerCase()
  return row
}

/** What we keep, as better-auth reads it. */
export function dataOf(model: string, row: Row): Row {
  const data: Row = {}
  for (const [field, column] of Object.entries(of(model).columns)) {
    const value = row[column]
    if (value === null || value === undefined) data[field] = null
    else if (DATES.has(field)) data[field] = new Date(Number(value))
    else data[field] = FLAGS.has(field) ? Number(value) === 1 : value
  }
  return data
}
