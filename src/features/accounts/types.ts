import type { ServiceContext } from '../../http/service-context.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Config } from '../../platform/config/index.ts'
import type { HashQueue } from '../../platform/limits/index.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import type { Plans } from '../plans/service.ts'
import type { UserService } from '../users/service.ts'
import type { WorkspaceService } from '../workspaces/service.ts'
import type { Invitations } from './invitations.ts'

/** Dependencies of the accounts. */
export interface AccountsDeps
  extends Pick<Config, 'signUp' | 'workspaceCreation' | 'oidc'>,
    Omit<ServiceContext, 'cursors'> {
  random: Random
  logger: Logger
  plans: Plans
  users: Pick<UserService, 'insert'>
  workspaces: Pick<WorkspaceService, 'create' | 'ensure' | 'join'>
  invitations: Invitations
  mailer: Mailer
  hashes: HashQueue
  /** `Secrets.accounts`. */
  key: Uint8Array
  baseUrl: string
  /** The hosts of links; the first is the default. */
  domains: readonly string[]
  /** Whether plans are sold. */
  sellsPlans: boolean
  /** The minimum duration of responses whose time must not reveal who has an account. */
  constantMs?: number
  /** Called with the code of each refused sign-in, as the label of a metric. */
  signInFailed?: (labels: string) => void
  /** The id of this node; absent: the only node, or a command. */
  nodeId?: string | undefined
}
