export type { MailConfig, OidcConfig } from './accounts.ts'
export { isWildcard, listeningUrl, socketPath } from './address.ts'
export { type BackupConfig, type BackupPlace, backupPlace, type S3Config } from './backup.ts'
export { ensureDataDir, restoringDirectory } from './data-dir.ts'
export {
  type Config,
  type Environment,
  logsJson,
  readEnvironment,
  readOwnEnvironment,
  unknownVariables,
} from './env.ts'
export { ConfigError, type ConfigFault } from './fault.ts'
export { BadValue, origin } from './parse.ts'
export { clickhouseUrl, postgresUrl, type ScaledConfig } from './scaled.ts'
export {
  assertSecret,
  deriveSecrets,
  existingSecret,
  fingerprintOf,
  keepSharedSecret,
  keptSharedSecret,
  newSecret,
  openSecrets,
  type Secrets,
  secretFile,
  secretFiles,
  sharedSecretFile,
} from './secret.ts'
export type { TracingConfig } from './tracing.ts'
export { VARIABLES } from './variables.ts'
