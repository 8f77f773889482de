/** The sums of finished UTC days, which follow from the clicks; see `statistics/reports/sums.ts`. */
export const CLICK_SUMS_STATEMENTS = [
  `CREATE TABLE click_sums (
    workspace INTEGER NOT NULL,
    day BIGINT NOT NULL,
    dimension SMALLINT NOT NULL,
    number BIGINT NOT NULL,
    value TEXT COLLATE "C",
    humans BIGINT NOT NULL,
    others BIGINT NOT NULL,
    human_visitors BIGINT NOT NULL,
    other_visitors BIGINT NOT NULL,
    visitors BIGINT NOT NULL
  )`,
  'CREATE INDEX click_sums_of_days ON click_sums (workspace, dimension, day)',
  // How many clicks were summed; -1: they have changed since.
  `CREATE TABLE summed_days (
    workspace INTEGER NOT NULL,
    day BIGINT NOT NULL,
    clicks BIGINT NOT NULL,
    PRIMARY KEY (workspace, day)
  )`,
  // Counts of links are then read from the index alone.
  `CREATE INDEX clicks_of_links_counted ON clicks (link, time) INCLUDE (workspace, kind, visitor)`,
  'DROP INDEX clicks_of_links',
  'ALTER INDEX clicks_of_links_counted RENAME TO clicks_of_links',
]

/** Has all days summed again, for sums that were added later. They are read from the clicks until then. */
export const SUM_AGAIN = 'UPDATE summed_days SET clicks = -1'
