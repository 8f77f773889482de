import { emailKey } from '../../lib/validation/email.ts'
import type { Sql } from '../../platform/storage/index.ts'

/** The id of the user with an address. */
export async function userIdByEmail(
  sql: Pick<Sql, 'db'>,
  email: string,
): Promise<string | undefined> {
  const row = await sql.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return row?.id
}
