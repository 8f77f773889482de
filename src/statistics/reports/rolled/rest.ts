import { memberSql } from '../../store/rollups.ts'
import { HOURS_BITS } from '../../store/schema.ts'
import type { Filter, Selection } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { fits } from '../sql/where.ts'
import { codeOf, inside, ofMode, type Rolled, valuesOf } from './index.ts'

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
  const { known, lost, only } = await rolledOnly(asking, rolled, selection, listed)
  let visitors = 0
  if (known !== null) {
    const [row] = await asking.rows(
      sql`SELECT sum(${raw(ofMode(selection.bots, 'firsts'))}) FROM rolled_slots
        WHERE ${inside(known)}`,
    )
    visitors = Number(row?.[0] ?? 0)
    for (const ones of only.values()) visitors -= ones
  }
  return { visitors, lost }
}

/**
 * Visitors who came with none but the listed values of a dimension, by block: `known` are those where
 * there may be any.
 */
export async function rolledOnly(
  asking: Asking,
  rolled: Rolled,
  { bots: mode, offsets }: Selection,
  listed: Filter,
): Promise<{ known: Rolled | null; lost: Rolled | null; only: ReadonlyMap<number, number> }> {
  const { dimension } = listed
  const ofHours = dimension === 'hour'
  const places = raw(
    ofHours ? 'bit_or(1::BIGINT << place)' : `string_agg(${memberSql('place')}, '')`,
  )
  const found = await asking.rows(
    sql`SELECT block, ${places}, count(*) > count(place)
      FROM ${valuesOf(rolled, dimension)} WHERE ${fits(listed, offsets)} GROUP BY 1`,
  )
  const isLost = new Set(found.filter(([, , isLost]) => isLost).map(([block]) => Number(block)))
  const part = (which: boolean): Rolled | null => {
    const blocks = rolled.blocks.filter(({ first }) => isLost.has(first) === which)
    return blocks.length === 0 ? null : { ...rolled, blocks }
  }
  const known = part(false)
  if (known === null) return { known, lost: part(true), only: new Map() }
  const listedOnes = found.filter(([, members]) => members !== null) as [number, unknown][]
  const from = ofHours ? withHours(listedOnes) : withMembers(listedOnes)
  const rows = await asking.rows(
    sql`SELECT block, sum(${raw(ofMode(mode, 'visitors'))}) FROM ${from}
      AND ${inside(known)} AND dimension = ${raw(codeOf(dimension))} GROUP BY 1`,
  )
  const only = new Map(rows.map(([block, visitors]) => [Number(block), Number(visitors)]))
  return { known, lost: part(true), only }
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
