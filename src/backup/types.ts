import type { Manifest } from './manifest.ts'

/** Copies an instance into an empty directory. */
type Fill = (directory: string) => Promise<Manifest>

/** A directory, or a prefix in S3, that has backups by their names. */
export interface BackupStore {
  /** What is there; `isComplete`: it has a manifest, and isn't being made. */
  list(): Promise<{ name: string; isComplete: boolean }[]>
  /** Makes a backup. It is complete, and safe from a power cut, when this resolves. @throws Refused */
  create(name: string, fill: Fill): Promise<Manifest>
  remove(name: string): Promise<void>
  open(name: string): StoredBackup
}

/** One backup. */
export interface StoredBackup {
  /** For messages. */
  where: string
  /** Where its files can be read as they are; absent: they have to be fetched. */
  directory?: string
  /** The text of its manifest. @throws Refused when it has none */
  manifest(): Promise<string>
  /** Copies one of its files. */
  fetch(name: string, file: string): Promise<void>
}
