export { isWildcard, listeningUrl } from './address.ts'
export type {
  Config,
  MailConfig,
  OidcConfig,
  ScaledConfig,
  SignUp,
  WorkspaceCreation,
} from './config.ts'
export { ensureDataDir } from './data-dir.ts'
export {
  type Environment,
  readEnvironment,
  readOwnEnvironment,
  unknownVariables,
  VARIABLES,
} from './env.ts'
export { ConfigError, type ConfigFault } from './fault.ts'
export {
  deriveSecrets,
  existingSecret,
  fingerprintOf,
  keepSharedSecret,
  keptSharedSecret,
  newSecret,
  openSecrets,
  type Secrets,
  secretFault,
  secretFile,
  sharedSecretFile,
} from './secret.ts'
