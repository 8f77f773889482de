import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedResolver } from './embedded-resolver.ts'
import type { Resolver } from './resolver.ts'

let dir: string
let writer: Database
let reader: Database
let resolver: Resolver

const INSERT = `INSERT INTO slugs (slug_key, domain_no, link_seq, target_url, redirect_status,
  special, block_id) VALUES`

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-resolver-'))
  writer = new Database(join(dir, 'links.db'))
  writer.run('PRAGMA journal_mode = WAL')
  writer.run(`CREATE TABLE slugs (slug_key TEXT, domain_no INTEGER, link_seq INTEGER,
    target_url TEXT, redirect_status INTEGER, special INTEGER, block_id TEXT,
    workspace_no INTEGER DEFAULT 1, slug TEXT DEFAULT '')`)
  writer.run(`CREATE TABLE links (seq INTEGER, target_url TEXT, redirect_status INTEGER,
    enabled INTEGER, forward_query INTEGER, forward_path INTEGER, starts_at INTEGER, expires_at INTEGER,
    max_clicks INTEGER, uses INTEGER, fallback_url TEXT, rules TEXT, variants TEXT,
    password_hash TEXT, social TEXT, tracking TEXT)`)
  reader = new Database(join(dir, 'links.db'), { readonly: true })
  resolver = createEmbeddedResolver(reader)
})

afterEach(() => {
  reader.close()
  writer.close()
  rmSync(dir, { recursive: true })
})

function put(slugKey: string, url: string, domainNo = 0): void {
  writer.run('DELETE FROM slugs WHERE slug_key = ? AND domain_no = ?', [slugKey, domainNo])
  writer.run(`${INSERT} (?, ?, 1, ?, 302, 0, NULL)`, [slugKey, domainNo, url])
}

/** The destination of each slug, read in one turn; `during` runs in the middle. */
function turn(slugs: string[], during = () => {}): (string | null | undefined)[] {
  resolver.begin()
  try {
    return slugs.map((slugKey, i) => {
      if (i === 1) during()
      return (resolver.slug(slugKey, 0) as { target_url: string | null } | null)?.target_url
    })
  } finally {
    resolver.end()
  }
}

test('every commit takes effect in the next turn, also for a missing slug', () => {
  for (let i = 0; i < 50; i++) {
    put('a', `https://example.com/${i}`)
    expect(turn(['a', 'a'])).toEqual([`https://example.com/${i}`, `https://example.com/${i}`])
  }
  expect(turn(['b'])).toEqual([undefined])
  put('b', 'https://example.com/b')
  expect(turn(['b'])).toEqual(['https://example.com/b'])
  writer.run("DELETE FROM slugs WHERE slug_key = 'b'")
  expect(turn(['b'])).toEqual([undefined])
})

test('a checkpoint and reads in between hide no change', () => {
  put('a', 'https://example.com/1')
  turn(['a'])
  put('a', 'https://example.com/2')
  writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
  reader.query('SELECT count(*) FROM links').get()
  expect(turn(['a'])).toEqual(['https://example.com/2'])
})

test('a turn sees one snapshot, and a change during it takes effect in the next one', () => {
  put('a', 'https://example.com/1')
  put('b', 'https://example.com/1')
  const change = () => {
    put('a', 'https://example.com/2')
    put('b', 'https://example.com/2')
  }
  expect(turn(['a', 'b'], change)).toEqual(['https://example.com/1', 'https://example.com/1'])
  expect(turn(['a', 'b'])).toEqual(['https://example.com/2', 'https://example.com/2'])
})

test('domains are separate', () => {
  put('a', 'https://example.com/0')
  put('a', 'https://example.com/1', 1)
  turn(['a'])
  resolver.begin()
  expect(resolver.slug('a', 1)).toMatchObject({ target_url: 'https://example.com/1' })
  resolver.end()
})

test('a change of only a link’s conditions takes effect in the next turn', () => {
  writer.run(`${INSERT} ('a', 0, 1, 'https://example.com/', 302, 1, NULL)`)
  writer.run(`INSERT INTO links VALUES
    (1, 'https://example.com/', 302, 1, 0, 0, NULL, NULL, 5, 0, NULL, NULL, NULL, NULL, NULL,
      'full')`)
  for (let uses = 1; uses <= 5; uses++) {
    writer.run('UPDATE links SET uses = uses + 1')
    resolver.begin()
    expect(resolver.slug('a', 0)).toMatchObject({ link: { max_clicks: 5, uses } })
    resolver.end()
  }
})
