/**
 * Bits of `clicks.firsts` above those of `FIRST`, set once a day stands still: all clicks of the
 * visitor in the workspace on that UTC day have the same …; a bit that isn't set says nothing. Where
 * a question only looks at what a visitor's clicks have in common, the first click stands for all,
 * and only the other visitors' need be told apart one by one.
 */
export const STEADY = {
  /** … language; */
  language: 256,
  /** … referrer and path; */
  referrer: 512,
  /** … utm_source, utm_medium, utm_campaign, utm_term and utm_content; */
  utm: 1024,
  /** … link; */
  link: 2048,
  /** … kind, trigger and domain; */
  way: 4096,
  /** … quarter of an hour. */
  slot: 8192,
} as const

const same = (value: string, bit: number) => `if(min(${value}) = max(${value}), ${bit}, 0)`

/**
 * A query for all rows of a table (or of a subquery in brackets) with the columns of `clicks`, which
 * holds whole UTC days that stand still, or none of a day's clicks: with the bits of {@link STEADY},
 * and with visitors numbered 0, 1, 2 … within their workspace and day instead of by their hash.
 * Nothing compares visitors of different days; the numbers take 2 bytes where hashes take 8, and lead
 * back to nobody. Visitors of one link follow each other, so that its clicks have numbers that are
 * close. Rows come in no order.
 */
export function steadySql(source: string): string {
  return `
    WITH rows_of_days AS (SELECT * FROM ${source}),
    visitors AS (
      SELECT slot // 96 AS v_day, link >> 32 AS v_workspace, visitor AS v_visitor,
        ${[
          same('hash(language)', STEADY.language),
          same('hash(referrer, referrer_path)', STEADY.referrer),
          same('hash(utm_source, utm_medium, utm_campaign, utm_term, utm_content)', STEADY.utm),
          same('link', STEADY.link),
          same('hash(kind, qr, domain)', STEADY.way),
          same('slot', STEADY.slot),
        ].join(' | ')} AS v_steady,
        row_number() OVER (PARTITION BY slot // 96, link >> 32 ORDER BY min(link)) - 1 AS v_no
      FROM rows_of_days WHERE visitor IS NOT NULL GROUP BY 1, 2, 3
    )
    SELECT r.* REPLACE (
      v_no::UBIGINT AS visitor,
      (firsts | coalesce(v_steady, 0))::USMALLINT AS firsts
    )
    FROM rows_of_days r LEFT JOIN visitors
      ON v_visitor = visitor AND v_day = slot // 96 AND v_workspace = link >> 32`
}
