import { createMcpHandler, type McpHttpHandler, Server } from '@modelcontextprotocol/server'
import packageFile from '../../../package.json' with { type: 'json' }
import { type Call, CallFailure, type Failure, refusal } from './call.ts'
import type { Outcome, ToolDefinition } from './tool.ts'
import { lackingScopes, TOOLS } from './tools.ts'

const INFO = { name: 'slugline', title: 'Slugline', version: packageFile.version }

const INSTRUCTIONS =
  'Slugline manages short links and their click statistics. Links are named by id (lnk_…), short ' +
  'URL, slug, or external: and an external id. Times are RFC 3339; dates without a time are midnight ' +
  'in UTC. Look before you change: find_links or get_link first. bulk_change_links without ' +
  'expected_count only previews. What was deleted or changed can be brought back with restore_link.'

/** How long a client may keep the list of tools: a key's scopes never change. */
const LIST_TTL_MS = 300_000

/** What a failed call should lead to, by the code of its error. */
const ADVICE: Readonly<Record<string, string>> = {
  LINK_NOT_FOUND: 'Call find_links to find the link; a deleted one comes back with restore_link.',
  AMBIGUOUS_LINK: 'Give one of these short URLs instead of the slug.',
  AMBIGUOUS_FOLDER: 'Give one of these ids instead of the name.',
  FOLDER_NOT_FOUND: 'Call tags_and_folders to list or create folders.',
  TAG_NOT_FOUND: 'Call tags_and_folders to list or create tags.',
  JOB_NOT_FOUND: 'Call get_job_status without id for the latest jobs.',
  SLUG_TAKEN: 'Choose another slug, or use the link that has it: get_link finds it.',
  EXTERNAL_ID_TAKEN: 'Use the link that has it: get_link with external: and the id.',
  COUNT_CHANGED: 'Call the tool again without expected_count, and check what matches now.',
  PRECONDITION_FAILED: 'The link was changed in the meantime: call get_link, then decide again.',
  FOLDER_NOT_EMPTY: 'Give move_links_to, or move its links first.',
  TAG_TAKEN: 'Use action merge to combine the two tags.',
  VALIDATION_FAILED: 'Correct these arguments and call the tool again.',
  INSUFFICIENT_SCOPE: 'Ask the user for an API key with this scope; retrying does not help.',
  UNAUTHORIZED: 'Ask the user for a valid API key.',
  INVALID_API_KEY: 'Ask the user for a valid API key.',
  KEY_RESTRICTED: 'Ask the user for an API key without restrictions; retrying does not help.',
  PLAN_LIMIT_REACHED: "Tell the user that the workspace's plan does not include this.",
  RATE_LIMITED: 'Wait, then call the tool again.',
  SERVICE_UNAVAILABLE: 'Wait, then call the tool again.',
  EVENTS_EXPIRED:
    'Continue with list_events and after: latest; read the links again if it matters.',
  EVENTS_OTHER_FEED: 'Continue with list_events and after: latest; read the links again.',
  TOO_MANY_JOBS: 'Wait until a job has ended: get_job_status.',
}

/**
 * A server for one caller: its tools are those that the scopes permit, and send their requests by
 * `call`. Cheap enough to be made for each request, because the tools are built once.
 */
export function createServer(scopes: ReadonlySet<string>, call: Call): Server {
  const server = new Server(INFO, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
  })
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(scopes) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    try {
      return resultOf(await runTool(scopes, call, params.name, params.arguments ?? {}))
    } catch (error) {
      if (error instanceof CallFailure) return refusalOf(error.failure)
      throw error
    }
  })
  return server
}

/** Handles messages of every revision over HTTP, each by a server for its caller. */
export function createHandler(): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => createServer(new Set(authInfo?.scopes), authInfo?.extra?.call as Call),
    // Nothing changes that a client could subscribe to.
    { maxSubscriptions: 0 },
  )
}

/** The tools that these scopes permit, in their fixed order. */
export function listedTools(scopes: ReadonlySet<string>): ToolDefinition[] {
  return TOOLS.filter((tool) => lackingScopes(tool, scopes).length === 0).map(
    ({ definition }) => definition,
  )
}

/** @throws CallFailure if the tool can't do what was asked */
async function runTool(
  scopes: ReadonlySet<string>,
  call: Call,
  name: string,
  given: Record<string, unknown>,
): Promise<Outcome> {
  const tool = TOOLS.find(({ definition }) => definition.name === name)
  if (tool === undefined) {
    const names = listedTools(scopes).map((each) => each.name)
    throw refusal('TOOL_NOT_FOUND', 'There is no tool with this name.', names)
  }
  const lacking = lackingScopes(tool, scopes)
  if (lacking.length > 0) {
    const what = `This tool needs an API key with the scope ${lacking.join(' and ')}.`
    throw refusal('INSUFFICIENT_SCOPE', what)
  }
  const parsed = tool.input.safeParse(given)
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message }) => ({
      field: path.join('.') || 'arguments',
      message,
    }))
    throw new CallFailure({
      code: 'VALIDATION_FAILED',
      message: 'Some arguments are wrong.',
      details,
    })
  }
  return tool.run(call, parsed.data as never)
}

function resultOf({ text, data, image }: Outcome) {
  return {
    content: [
      ...(image === undefined ? [] : [{ type: 'image' as const, ...image }]),
      // Clients of older revisions pass only the text on to the model.
      { type: 'text' as const, text: `${text}\n\n${JSON.stringify(data)}` },
    ],
    structuredContent: data,
  }
}

/** An error that tells the model its code, and what to do. */
function refusalOf({ code, message, details = [], suggestions, retryAfter }: Failure) {
  const lines = [
    `${code}: ${message}`,
    ...details.map((detail) => `- ${detail.field}: ${detail.message}`),
    suggestions === undefined ? undefined : `Possible instead: ${suggestions.join(', ')}`,
    ADVICE[code],
    retryAfter === undefined ? undefined : `Retry after ${retryAfter} seconds.`,
  ]
  const text = lines.filter((line) => line !== undefined).join('\n')
  return { content: [{ type: 'text' as const, text }], isError: true }
}
