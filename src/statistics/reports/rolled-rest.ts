import { memberSql } from '../store/rollups.ts'
import { HOURS_BITS } from '../store/schema.ts'
import type { Filter, Selection } from '../types.ts'
import type { Asking } from './lane.ts'
import { codeOf, inside, ofMode, type Rolled, valuesOf } from './rolled.ts'
import { raw, type Sql, sql } from './sql.ts'
import { fits } from './where.ts'

/**
 * Visitors with another value of a dimension than the listed ones: all but those who came with no
 * other. `lost`: days of which that isn't known, because a listed value was a rare one then.
 */
export async function rolledRest(
  asking: Asking,
  rolled: Rolled,
  selection: Selection,
  listed: Filter,
): Promise<{ visitors: number; lost: Rolled | null }> {
  const { bots: mode, offsets } = selection
  const { dimension } = listed
  const ofHours = dimension === 'hour'
  const places = raw(
    ofHours ? 'bit_or(1::BIGINT << place)' : `string_agg(${memberSql('place')}, '')`,
  )
  const found = await asking.rows(
    sql`SELECT block, ${places}, count(*) > count(place)
      FROM ${valuesOf(rolled, dimension)} WHERE ${fits(listed, offsets)} GROUP BY 1`,
  )
  const lost = new Set(found.filter(([, , isLost]) => isLost).map(([block]) => Number(block)))
  const part = (isLost: boolean): Rolled => ({
    ...rolled,
    blocks: rolled.blocks.filter(({ first }) => lost.has(first) === isLost),
  })
  const known = part(false)
  let visitors = 0
  if (known.blocks.length > 0) {
    const listedOnes = found.filter(([, members]) => members !== null) as [number, unknown][]
    const from = ofHours ? withHours(listedOnes) : withMembers(listedOnes)
    const [row] = await asking.rows(
      sql`SELECT (SELECT sum(${raw(ofMode(mode, 'firsts'))}) FROM rolled_slots
            WHERE ${inside(known)}),
          (SELECT sum(${raw(ofMode(mode, 'visitors'))}) FROM ${from}
            AND ${inside(known)} AND dimension = ${raw(codeOf(dimension))})`,
    )
    visitors = Number(row?.[0] ?? 0) - Number(row?.[1] ?? 0)
  }
  return { visitors, lost: lost.size === 0 ? null : part(true) }
}

/** The sets of nothing but the hours that are listed in a block, as bits. */
function withHours(listed: readonly [block: number, bits: unknown][]): Sql {
  const cases = listed.map(([block, bits]) => `WHEN ${block} THEN ${bits}`)
  const among = cases.length === 0 ? '0' : `(CASE block ${cases.join(' ')} ELSE 0 END)`
  // Above the bits of hours is the day.
  return raw(`rolled_sets WHERE members & ${(1 << HOURS_BITS) - 1} & ~${among} = 0`)
}

/** Bytes of a set of two. */
const TWO_MEMBERS = 6

/**
 * The sets of nothing but the values that are listed in a block, as characters. The last one of a set
 * is its rarest value: few are left when that one is looked up. Most of these have no more than two.
 */
function withMembers(listed: readonly [block: number, members: unknown][]): Sql {
  const rows = listed.map(([block, members]) => `(${block}, '${members}')`)
  if (rows.length === 0) return raw('rolled_members WHERE FALSE')
  return raw(`rolled_members JOIN (
      SELECT within, among, unnest(string_split(among, '')) AS rarest
      FROM (VALUES ${rows.join(', ')}) AS listed(within, among)
    ) ON within = block AND rarest = members[-1]
    WHERE CASE WHEN strlen(members) <= ${TWO_MEMBERS} THEN contains(among, members[1])
      ELSE ltrim(members, among) = '' END`)
}
