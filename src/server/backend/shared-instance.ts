import { journalDirectory, listSegments, readWatermark } from '../../clicks/index.ts'
import { assertNode, readNode } from '../../platform/cluster/node.ts'
import type { Config, ScaledConfig } from '../../platform/config/index.ts'
import { readInstance, type Storage } from '../../platform/storage/index.ts'
import { inJournal, raiseNumbers } from './numbers.ts'

type Settings = Pick<Config, 'dataDir'> & { scaled: ScaledConfig }

/**
 * Checks that the database of several nodes is that of this node's directory, and of the clicks in
 * ClickHouse. Without ClickHouse's answer the statistics process checks the latter. Changes nothing.
 * @throws OperatorError, StorageUnavailable
 */
export async function assertShared(
  { dataDir, scaled }: Settings,
  storage: Pick<Storage, 'read'>,
): Promise<void> {
  const instance = await readInstance(storage.read)
  const hasJournal = listSegments(journalDirectory(dataDir)).length > 0
  await assertNode(dataDir, storage, { isEmpty: instance === null, hasJournal })
  await inClickHouse(scaled, ({ assertOwnClicks }, clickHouse) =>
    assertOwnClicks(clickHouse, instance),
  )
}

/** See `keepNumbers`: a restored PostgreSQL may be older than ClickHouse and this journal. */
export async function keepSharedNumbers(
  { dataDir, scaled }: Settings,
  { read, write }: Pick<Storage, 'read' | 'write'>,
): Promise<void> {
  const node = readNode(dataDir)
  const waiting = node === null ? [] : inJournal(dataDir, await readWatermark(read, node.no))
  const stored = await inClickHouse(scaled, ({ newestLinks }, clickHouse) =>
    newestLinks(clickHouse),
  )
  const known = [...waiting, ...(stored ?? [])]
  if (known.length > 0) await write((tx) => raiseNumbers(tx, known))
}

type Owner = typeof import('../../statistics/engine/clickhouse/owner.ts')
type Ask<T> = (owner: Owner, clickHouse: Parameters<Owner['newestLinks']>[0]) => Promise<T>

/** Null: there is no ClickHouse, or it doesn't answer. */
async function inClickHouse<T>({ clickhouse }: ScaledConfig, ask: Ask<T>): Promise<T | null> {
  if (clickhouse === null) return null
  const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
  const owner = await import('../../statistics/engine/clickhouse/owner.ts')
  const clickHouse = openClickHouse(clickhouse.reveal())
  try {
    return await ask(owner, clickHouse)
  } catch (error) {
    const { name } = error as Error
    if (name === 'ClickHouseError' || name === 'TimeoutError') return null
    throw error
  } finally {
    await clickHouse.close()
  }
}
