import type { Manifest } from './manifest.ts'

/** Copies an instance into an empty directory. */
type Fill = (directory: string) => Promise<Manifest>

/** A directory, or a prefix in S3, with named backups. */
export interface BackupStore {
  /** The backups; `isComplete`: it has a manifest. */
  list(): Promise<{ name: string; isComplete: boolean }[]>
  /** Makes a backup. It is complete and synced when this resolves. @throws OperatorError */
  create(name: string, fill: Fill): Promise<Manifest>
  remove(name: string): Promise<void>
  open(name: string): StoredBackup
}

/** A stored backup. */
export interface StoredBackup {
  /** For messages. */
  where: string
  /** Where its files can be read directly; absent: they have to be fetched. */
  directory?: string
  /** The text of its manifest. @throws OperatorError when it has none */
  manifest(): Promise<string>
  /** Copies one of its files. */
  fetch(name: string, file: string): Promise<void>
}
