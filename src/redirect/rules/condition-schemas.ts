import { z } from '@hono/zod-openapi'
import {
  boundedList,
  boundedRecord,
  checked,
  checkWith,
  someText,
} from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { canonicalZone } from '../../lib/validation/zone.ts'
import { AGENT_KINDS, type Conditions, DEVICES, RULE_BOUNDS, type Rule, WEEKDAYS } from './types.ts'
import {
  browserName,
  countryOf,
  hostPattern,
  isDate,
  languageTag,
  minutesOf,
  momentOf,
  networkOf,
  readBy,
  regionOf,
  systemName,
  VERSION,
} from './values.ts'

/** A list of validated values. */
function listOf<S extends z.ZodType>(item: S, description: string, example: unknown) {
  return boundedList(item, { max: RULE_BOUNDS.values, min: 1 }).openapi({
    description,
    example: [example] as never,
  })
}

function texts(read: (given: string) => string | null, description: string, example: string) {
  return listOf(checked(someText, readBy(read, example)), description, example)
}

function named(
  check: (given: string) => string | ValidationIssue,
  description: string,
  example: string,
) {
  const name = checked(someText, check)
  const min = checked(someText, (text) =>
    VERSION.test(text) ? text : new ValidationIssue('INVALID_VALUE', { example: '17.4' }),
  )
  const withVersion = z
    .strictObject({
      name,
      min: min.optional().openapi({ description: 'The minimum version: `17`, `17.4`.' }),
    })
    // The list's description has the possible names.
    .openapi('NameAndVersion')
  return listOf(z.union([name, withVersion]), description, example)
}

const moment = (description: string) =>
  checked(someText, momentOf).optional().openapi({ description })

const timeOfDay = checked(someText, (text) =>
  minutesOf(text) === null ? new ValidationIssue('INVALID_VALUE', { example: '17:30' }) : text,
)

const time = z
  .strictObject({
    timezone: checked(
      someText,
      (name) => canonicalZone(name) ?? new ValidationIssue('INVALID_TIMEZONE'),
    ).openapi({ description: 'The IANA name of the time zone: `Europe/Berlin`.' }),
    from: moment('A timestamp (RFC 3339), or a date of the zone: from its midnight on.'),
    until: moment('A timestamp, itself not included, or a date, which is included.'),
    days: boundedList(z.enum(WEEKDAYS), { max: 7, min: 1 })
      .optional()
      .openapi({ example: ['mon', 'tue'] }),
    hours: boundedList(
      z
        .tuple([timeOfDay, timeOfDay])
        .openapi({ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 }),
      { max: 24, min: 1 },
    )
      .optional()
      .openapi({
        description:
          'Ranges of times of day, the second time itself not included. If it is earlier than the ' +
          'first, the range continues past midnight and belongs to the day on which it begins.',
        example: [['09:00', '17:30']],
      }),
  })
  .check(
    checkWith(({ from, until, hours = [] }) => {
      const fault = (...path: PropertyKey[]) => [
        new ValidationIssue('ENDS_BEFORE_START', undefined, path),
      ]
      const isReversed = from !== undefined && until !== undefined && isOver(from, until)
      const empty = hours.flatMap(([start, end], i) => (start === end ? fault('hours', i, 1) : []))
      return [...(isReversed ? fault('until') : []), ...empty]
    }),
  )
  .openapi({ description: 'Local times of a time zone; all given members must match.' })

function isOver(from: string, until: string): boolean {
  if (isDate(from) && isDate(until)) return until < from
  // One of them may depend on the zone: only what is wrong in every zone is refused.
  return isDate(from) === isDate(until) && Date.parse(until) <= Date.parse(from)
}

const parameterName = z.string().min(1).max(128)
const parameterValues = boundedList(z.string().max(255), { max: RULE_BOUNDS.values })
const query = boundedRecord(parameterName, parameterValues, RULE_BOUNDS.parameters)
  .check(
    checkWith((parameters) =>
      Object.keys(parameters).length === 0 ? [new ValidationIssue('REQUIRED')] : [],
    ),
  )
  .openapi({
    description:
      'By parameter, all of which must fit: any of these values, `["*"]` any value, `[]` the ' +
      'parameter is absent.',
    example: { plan: ['pro', 'business'] },
  })

const kind = z.enum(AGENT_KINDS).openapi('AgentKind')

/** The schemas of all conditions. */
const CONDITIONS: { [M in keyof Conditions]-?: z.ZodType<Conditions[M]> } = {
  country: texts(countryOf, 'ISO 3166-1 alpha-2 codes of countries.', 'DE'),
  region: texts(regionOf, 'ISO 3166-2 codes of regions.', 'DE-BE'),
  language: texts(
    languageTag,
    'Language tags (BCP 47): `de` is every German. Compared with the visitor’s preferred ' +
      'language.',
    'de',
  ),
  device: listOf(z.enum(DEVICES), 'Kinds of devices; `other`: any other.', 'mobile'),
  os: named(
    systemName,
    'Operating systems as in statistics, with a minimum version: `{"name":"iOS","min":"17"}`.',
    'iOS',
  ),
  browser: named(browserName, 'Browsers as in statistics, with a minimum version.', 'Firefox'),
  query,
  referrer_host: texts(
    hostPattern,
    'Hosts that visitors come from; `*.example.com` is every host below it.',
    'news.example.com',
  ),
  network: texts(networkOf, 'Networks in CIDR notation.', '192.0.2.0/24'),
  time,
  agent: z
    .union([kind, boundedList(kind, { max: 3, min: 1 })])
    .openapi({ description: 'Who visits.', example: 'human' }),
}

/** The schema of a rule's `when`. */
export const whenSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(CONDITIONS).flatMap(([member, schema]) => [
        [member, (schema as z.ZodType).optional()],
        [
          `not_${member}`,
          (schema as z.ZodType)
            .optional()
            .openapi({ description: `Matches if \`${member}\` with this value doesn’t.` }),
        ],
      ]),
    ),
  )
  .openapi('RuleConditions', {
    description: 'All members must match; the values of one are alternatives. Empty: always.',
  }) as unknown as z.ZodType<Rule['when']>
