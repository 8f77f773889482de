import { FILE_VARIABLES } from './from-file.ts'

/** A variable that is set and does nothing, because the one that it belongs to isn't. */
export interface IdleVariable {
  variable: string
  /** What is missing. */
  needs: string
}

const NEEDS: Readonly<Record<string, string>> = {
  MAIL_FROM: 'SMTP_URL',
  OIDC_CLIENT_ID: 'OIDC_ISSUER',
  OIDC_CLIENT_SECRET: 'OIDC_ISSUER',
  OIDC_NAME: 'OIDC_ISSUER',
  DATABASE_POOL_SIZE: 'DATABASE_URL',
  DATABASE_TIMEOUT_SECONDS: 'DATABASE_URL',
  DATABASE_REPLICA_POOL_SIZE: 'DATABASE_REPLICA_URL',
}

/** The settings that do nothing: no fault, for templates set more than they use, but worth a word. */
export function idleVariables(
  variables: Readonly<Record<string, string | undefined>>,
): IdleVariable[] {
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some(
      (each) =>
        (each === name || FILE_VARIABLES.includes(each)) && Boolean(variables[each]?.trim()),
    )
  return Object.entries(NEEDS)
    .filter(([variable, needs]) => isSet(variable) && !isSet(needs))
    .map(([variable, needs]) => ({ variable, needs }))
}
