/** What a message parameter may be. A list is joined with "or" in the language of the message. */
export type ErrorParam = string | number | readonly string[]

interface ParamTypes {
  string: string
  number: number
  list: readonly string[]
}
type Kind = keyof ParamTypes
/** Names of parameters with their types; `?` marks optional ones. */
type ParamSpec = Readonly<Record<string, Kind | `${Kind}?`>>
type ParamsOf<S extends ParamSpec> = {
  readonly [K in keyof S as S[K] extends Kind ? K : never]: ParamTypes[S[K] & Kind]
} & {
  readonly [K in keyof S as S[K] extends Kind ? never : K]?: S[K] extends `${infer T extends Kind}?`
    ? ParamTypes[T]
    : never
}

/**
 * Error codes that only the dashboard's API returns: they are not in the public API's document, but
 * otherwise like those of {@link ERRORS}, which includes them.
 */
const DASHBOARD_ERRORS = {
  SIGN_IN_REQUIRED: { status: 401, params: {} },
  /** The email address or the password is wrong: one code for both. */
  SIGN_IN_FAILED: { status: 401, params: {} },
  /** Of a second factor. */
  INVALID_CODE: { status: 401, params: {} },
  PASSKEY_FAILED: { status: 401, params: {} },
  /** The person's role doesn't permit it. */
  FORBIDDEN: { status: 403, params: {} },
  CROSS_SITE_REQUEST: { status: 403, params: {} },
  SIGN_UP_CLOSED: { status: 403, params: {} },
  EMAIL_NOT_VERIFIED: { status: 403, params: {} },
  /** The session is too old for this action. */
  REAUTHENTICATION_REQUIRED: { status: 403, params: {} },
  /** The workspace requires a second factor, and the person has none. */
  TWO_FACTOR_REQUIRED: { status: 403, params: {} },
  /** Another person's workspace is answered like one that doesn't exist. */
  WORKSPACE_NOT_FOUND: { status: 404, params: {} },
  INVITATION_NOT_FOUND: { status: 404, params: {} },
  ACCOUNT_EXISTS: { status: 409, params: {} },
  MAIL_NOT_SET_UP: { status: 409, params: {} },
  CONFLICT: { status: 409, params: {} },
  /** The link of a message or a command was used or replaced, or has expired. */
  INVALID_TOKEN: { status: 410, params: {} },
  ROLE_ABOVE_OWN: { status: 403, params: {} },
  /** The invitation was sent to another email address than that of the person who accepts it. */
  INVITATION_FOR_ANOTHER: { status: 403, params: {} },
  MEMBER_NOT_FOUND: { status: 404, params: {} },
  BLOCK_NOT_FOUND: { status: 404, params: {} },
  ALREADY_BLOCKED: { status: 409, params: {} },
  VIEW_NOT_FOUND: { status: 404, params: {} },
  VIEW_TAKEN: { status: 409, params: {} },
  LAST_OWNER: { status: 409, params: {} },
  ALREADY_MEMBER: { status: 409, params: {} },
  /** When deleting an account: `workspace` would be left without an owner. */
  SOLE_OWNER: { status: 409, params: { workspace: 'string' } },
  /**
   * When deleting an account: the instance would be left without an owner while others have
   * accounts.
   */
  INSTANCE_OWNER: { status: 409, params: {} },
  /** It was encrypted with another secret of the server. */
  SECOND_FACTOR_UNREADABLE: { status: 409, params: {} },
} as const

/** Detail codes that only the dashboard's API returns. */
const DASHBOARD_DETAILS = {
  INVALID_EMAIL: {},
  WRONG_PASSWORD: {},
  /** Widely known from breaches. */
  COMMON_PASSWORD: {},
  EMAIL_UNCHANGED: {},
  EMAIL_MISMATCH: {},
  NAME_MISMATCH: {},
} as const

/**
 * Every top-level error code with its HTTP status (RFC 9110 §15) and the parameters of its message.
 * Codes are part of the API: they can be added, never renamed. The text is `error.<CODE>` in the
 * message files.
 */
export const ERRORS = {
  INVALID_JSON: { status: 400, params: {} },
  BAD_REQUEST: { status: 400, params: {} },
  UNAUTHORIZED: { status: 401, params: {} },
  INVALID_API_KEY: { status: 401, params: {} },
  INSUFFICIENT_SCOPE: { status: 403, params: { scope: 'string' } },
  /** A key can't give another one a scope that it hasn't got. */
  SCOPE_NOT_GRANTABLE: { status: 403, params: { scope: 'string' } },
  RESTRICTION_NOT_GRANTABLE: { status: 403, params: { restriction: 'string' } },
  KEY_RESTRICTED: { status: 403, params: {} },
  /** Of a job: who started it isn't a member any more, or their role doesn't permit it now. */
  ACTOR_NOT_PERMITTED: { status: 403, params: {} },
  PLAN_LIMIT_REACHED: { status: 403, params: {} },
  // For visitors who prefer JSON: the link's password is missing or wrong.
  LINK_PROTECTED: { status: 403, params: {} },
  /** The password of the shared statistics is missing or wrong. */
  SHARE_PROTECTED: { status: 403, params: {} },
  LINK_NOT_FOUND: { status: 404, params: {} },
  JOB_NOT_FOUND: { status: 404, params: {} },
  IMPORT_NOT_FOUND: { status: 404, params: {} },
  LOGO_NOT_FOUND: { status: 404, params: {} },
  TAG_NOT_FOUND: { status: 404, params: {} },
  FOLDER_NOT_FOUND: { status: 404, params: {} },
  DOMAIN_NOT_FOUND: { status: 404, params: {} },
  SHARE_NOT_FOUND: { status: 404, params: {} },
  UTM_TEMPLATE_NOT_FOUND: { status: 404, params: {} },
  KEY_NOT_FOUND: { status: 404, params: {} },
  WEBHOOK_NOT_FOUND: { status: 404, params: {} },
  DELIVERY_NOT_FOUND: { status: 404, params: {} },
  NOT_FOUND: { status: 404, params: {} },
  METHOD_NOT_ALLOWED: { status: 405, params: { allowed: 'list' } },
  SLUG_TAKEN: { status: 409, params: {} },
  EXTERNAL_ID_TAKEN: { status: 409, params: {} },
  /** Another tag has the name: they can be merged. */
  TAG_TAKEN: { status: 409, params: {} },
  UTM_TEMPLATE_TAKEN: { status: 409, params: {} },
  FOLDER_NOT_EMPTY: { status: 409, params: {} },
  /** The host belongs to another workspace, or this one has claimed it already. */
  DOMAIN_TAKEN: { status: 409, params: {} },
  /** `links` have an address on it. */
  DOMAIN_IN_USE: { status: 409, params: { links: 'number' } },
  KEY_REVOKED: { status: 409, params: {} },
  KEY_EXPIRED: { status: 409, params: {} },
  KEY_ALREADY_ROTATED: { status: 409, params: {} },
  /** The key that this one replaced still works, and at most two may. */
  ROTATION_IN_PROGRESS: { status: 409, params: {} },
  /** It sends nothing until it is enabled again. */
  WEBHOOK_DISABLED: { status: 409, params: {} },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, params: {} },
  /** The request took effect before; its workspace has too many large responses to store this one. */
  IDEMPOTENCY_RESPONSE_OMITTED: { status: 409, params: {} },
  /** A filter matches `count` links, not as many as were expected. */
  COUNT_CHANGED: { status: 409, params: { count: 'number' } },
  /** A link already has the slug of a record, and `on_conflict` is `fail`. */
  IMPORT_CONFLICT: { status: 409, params: {} },
  IMPORT_RUNNING: { status: 409, params: {} },
  /** Of a dry run: it has been imported, is too old, or was of a service. */
  IMPORT_FILE_GONE: { status: 410, params: {} },
  /** The event's id is of another feed: a backup was restored, or the instance moved. */
  EVENTS_OTHER_FEED: { status: 409, params: {} },
  /** The link is not blocked, or its workspace has appealed already. */
  APPEAL_REFUSED: { status: 409, params: {} },
  // For visitors who prefer JSON: the link has expired.
  LINK_EXPIRED: { status: 410, params: {} },
  LINK_EXHAUSTED: { status: 410, params: {} },
  LINK_DISABLED: { status: 410, params: {} },
  LINK_BLOCKED: { status: 410, params: {} },
  SHARE_EXPIRED: { status: 410, params: {} },
  /** Events after the given one are no longer kept. */
  EVENTS_EXPIRED: { status: 410, params: {} },
  PRECONDITION_FAILED: { status: 412, params: {} },
  /** `max` in bytes. */
  PAYLOAD_TOO_LARGE: { status: 413, params: { max: 'number' } },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, params: { allowed: 'list' } },
  VALIDATION_FAILED: { status: 422, params: {} },
  /** An operation of an all-or-nothing request failed. */
  BULK_FAILED: { status: 422, params: {} },
  /** The link's domain is not verified; the details name the field. */
  DOMAIN_NOT_VERIFIED: { status: 422, params: {} },
  IDEMPOTENCY_KEY_REUSED: { status: 422, params: {} },
  /** A QR code that cameras can't read; the details say why. */
  QR_UNREADABLE: { status: 422, params: {} },
  FILE_UNREADABLE: { status: 422, params: { line: 'number', column: 'number' } },
  /** An address that this instance may not call: see `OUTGOING_ALLOWED_NETWORKS`. */
  URL_NOT_ALLOWED: { status: 422, params: {} },
  RATE_LIMITED: { status: 429, params: { seconds: 'number' } },
  /** The files of a workspace's unfinished imports; `max` in bytes. */
  IMPORTS_FULL: { status: 429, params: { max: 'number' } },
  /** Of the workspace, that aren't finished. */
  TOO_MANY_JOBS: { status: 429, params: {} },
  INTERNAL_ERROR: { status: 500, params: {} },
  /** The service to import from rejects the token. */
  SOURCE_REFUSED: { status: 502, params: {} },
  SOURCE_FAILED: { status: 502, params: {} },
  /** A response has too many bytes or records. */
  SOURCE_TOO_LARGE: { status: 502, params: {} },
  /** Its pages repeat, or are too many. */
  SOURCE_ENDLESS: { status: 502, params: {} },
  /** It demands waits that are too long or too many. */
  SOURCE_RATE_LIMITED: { status: 502, params: {} },
  /** The whole import has taken too long. */
  SOURCE_TIMEOUT: { status: 504, params: {} },
  SERVICE_UNAVAILABLE: { status: 503, params: {} },
  ...DASHBOARD_ERRORS,
} as const satisfies Record<string, { status: number; params: ParamSpec }>

/**
 * Every code of `error.details[].code`, with the parameters of its message. The text is
 * `detail.<CODE>` in the message files.
 */
export const DETAILS = {
  REQUIRED: {},
  UNKNOWN_FIELD: {},
  /** A member that only responses have. In changes it is ignored where it is unchanged. */
  READ_ONLY: {},
  /** `expected` is a JSON Schema type name, such as `string`; it is not translated. */
  INVALID_TYPE: { expected: 'string' },
  /** `max` in characters; `encoded` in bytes, of a URL that is too long once percent-encoded. */
  TOO_LONG: { max: 'number', encoded: 'number?' },
  TOO_SHORT: { min: 'number' },
  /** A list has too many items. */
  TOO_MANY: { max: 'number' },
  TOO_FEW: { min: 'number' },
  /** With one bound or both. */
  OUT_OF_RANGE: { min: 'number?', max: 'number?' },
  /** `allowed`: all possible values; `example`: one of many. */
  INVALID_VALUE: { allowed: 'list?', example: 'string?' },
  INVALID_URL: {},
  URL_SCHEME_NOT_ALLOWED: { allowed: 'list' },
  URL_HAS_CREDENTIALS: {},
  URL_HAS_CONTROL_CHARACTERS: {},
  URL_LOOPS_BACK: {},
  URL_BLOCKED: {},
  PLACEHOLDER_IN_ORIGIN: {},
  INVALID_SLUG: {},
  SLUG_RESERVED: {},
  /** An alias is in use. For the slug itself the top-level error SLUG_TAKEN is returned. */
  SLUG_TAKEN: {},
  SLUG_BLOCKED: {},
  /**
   * A new slug would turn the old one into an alias, but the link has as many aliases as allowed.
   */
  ALIASES_FULL: { max: 'number' },
  DUPLICATE_VALUE: {},
  EXTERNAL_ID_TAKEN: {},
  FOLDER_NOT_FOUND: {},
  TAG_NOT_FOUND: {},
  /** A folder's access list names a user who isn't a member of the workspace. */
  UNKNOWN_MEMBER: {},
  /** Of one operation among many, as the next one; alone it is the top-level error of this name. */
  LINK_NOT_FOUND: {},
  PRECONDITION_FAILED: {},
  INVALID_TIMESTAMP: {},
  ENDS_BEFORE_START: {},
  INVALID_TIMEZONE: {},
  /** The series would have more buckets than the maximum. */
  TOO_MANY_INTERVALS: { max: 'number' },
  INVALID_CHARACTERS: {},
  UNKNOWN_DOMAIN: {},
  OUTSIDE_RESTRICTIONS: {},
  DOMAIN_NOT_VERIFIED: {},
  /** Not a host name with at least two labels. */
  INVALID_HOST: {},
  /** Two slugs of a domain would become the same. */
  SLUGS_COLLIDE: { slugs: 'string' },
  INVALID_CURSOR: {},
  /** `expected` as a value or a pattern. */
  INVALID_HEADER: { expected: 'string' },
  CONFLICTING_PARAMETERS: { other: 'string' },
  UNKNOWN_PARAMETER: {},
  JSON_SYNTAX: { line: 'number', column: 'number' },
  DUPLICATE_KEY: { line: 'number', column: 'number' },
  INVALID_ENCODING: {},
  TOO_DEEP: { max: 'number' },
  INVALID_COLOR: {},
  /** Of an image; `max` in pixels of a side. */
  INVALID_IMAGE: { allowed: 'list', max: 'number' },
  /** The QR code shall have the workspace's logo, but there is none. */
  NO_LOGO: {},
  /** `min` to 1. */
  LOW_CONTRAST: { min: 'number' },
  LOGO_TOO_LARGE: { allowed: 'list' },
  /**
   * The source doesn't export the record's password, without which the link would be open to
   * everyone.
   */
  DATE_IN_FUTURE: {},
  PASSWORD_NOT_INCLUDED: {},
  UNREADABLE_RECORD: {},
  UNKNOWN_COLUMN: {},
  UNKNOWN_FORMAT: {},
  EMPTY_FILE: {},
  URL_NOT_ALLOWED: {},
  /** When undoing an import: the link was changed or deleted after it. */
  LINK_CHANGED: {},
  LINKS_LIMIT: { limit: 'number' },
  ADDRESSES_LIMIT: { limit: 'number' },
  API_KEYS_LIMIT: { limit: 'number' },
  MEMBERS_LIMIT: { limit: 'number' },
  DOMAINS_LIMIT: { limit: 'number' },
  WEBHOOKS_LIMIT: { limit: 'number' },
  TAGS_LIMIT: { limit: 'number' },
  FOLDERS_LIMIT: { limit: 'number' },
  /** The last one of many: how many more there are. */
  TOO_MANY_DETAILS: { count: 'number' },
  ...DASHBOARD_DETAILS,
} as const satisfies Record<string, ParamSpec>

/** A stable code of `error.code`. */
export type ErrorCode = keyof typeof ERRORS
/** A stable code of `error.details[].code`. */
export type DetailCode = keyof typeof DETAILS
/** The parameters of the message of an error code; `{}` where it has none. */
export type ErrorParams<C extends ErrorCode> = ParamsOf<(typeof ERRORS)[C]['params']>
/** The parameters of the message of a detail code; `{}` where it has none. */
export type DetailParams<C extends DetailCode> = ParamsOf<(typeof DETAILS)[C]>

/** All error codes, those of the public API in the order of their status. */
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]
/** All detail codes. */
export const DETAIL_CODES = Object.keys(DETAILS) as readonly DetailCode[]

/** The error codes of the public API. */
export const PUBLIC_ERROR_CODES = ERROR_CODES.filter((code) => !(code in DASHBOARD_ERRORS))
/** The detail codes of the public API. */
export const PUBLIC_DETAIL_CODES = DETAIL_CODES.filter((code) => !(code in DASHBOARD_DETAILS))
