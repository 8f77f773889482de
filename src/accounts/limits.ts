import type { Limit } from './attempts.ts'

/**
 * How often what is worth guessing may be tried: by each address (of IPv6 each /64), and by each
 * account, whatever the addresses. A right password gives the account its attempt back.
 */
export const LIMITS = {
  signInAddress: { name: 'sign-in address', policy: { ratePerMinute: 10, burst: 20 } },
  signInAccount: { name: 'sign-in account', policy: { ratePerMinute: 1, burst: 10 } },
  signUpAddress: { name: 'sign-up address', policy: { ratePerMinute: 2, burst: 10 } },
  /** The password of somebody who is signed in already. */
  passwordPerson: { name: 'password person', policy: { ratePerMinute: 1, burst: 10 } },
  /** Messages to one address: five, then one every five minutes. */
  mailAccount: { name: 'mail account', policy: { ratePerMinute: 0.2, burst: 5 } },
  mailAddress: { name: 'mail address', policy: { ratePerMinute: 2, burst: 10 } },
  tokenAddress: { name: 'token address', policy: { ratePerMinute: 10, burst: 20 } },
  secondFactorAddress: { name: 'second factor', policy: { ratePerMinute: 10, burst: 20 } },
  /** Codes for one account: ten, then one every two minutes. */
  secondFactorAccount: { name: 'second factor account', policy: { ratePerMinute: 0.5, burst: 10 } },
  passkeyAddress: { name: 'passkey address', policy: { ratePerMinute: 20, burst: 40 } },
  oidcAddress: { name: 'oidc address', policy: { ratePerMinute: 10, burst: 20 } },
  claimAddress: { name: 'claim address', policy: { ratePerMinute: 5, burst: 10 } },
  workspacePerson: { name: 'workspace person', policy: { ratePerMinute: 1, burst: 10 } },
  /** A code of an authenticator is good once (RFC 6238 §5.2). */
  codeOnce: { name: 'code once', policy: { ratePerMinute: 1 / 3, burst: 1 } },
} as const satisfies Record<string, Limit>
