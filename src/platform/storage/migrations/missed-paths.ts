import type { Millis } from './baseline.ts'

/** Paths that led nowhere. */
export interface MissSchema {
  missed_paths: {
    domain_no: number
    /** What is the same for spellings of one slug. */
    path_key: string
    /** The path as it was first requested, decoded. */
    path: string
    count: number
    first_at: Millis
    last_at: Millis
  }
}

const statements = (text: string, storage = '') => [
  `CREATE TABLE missed_paths (
    domain_no BIGINT NOT NULL,
    path_key ${text} NOT NULL,
    path ${text} NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (domain_no, path_key)
  )${storage}`,
  'CREATE INDEX missed_paths_count ON missed_paths (domain_no, count, last_at, path_key)',
  'CREATE INDEX missed_paths_last ON missed_paths (last_at)',
]

export const MAIN_STATEMENTS = statements('TEXT', ' WITHOUT ROWID')
export const POSTGRES_STATEMENTS = statements('TEXT COLLATE "C"')
