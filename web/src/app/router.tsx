import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import { auditSearch } from '../features/audit/search.ts'
import { emptyDraft } from '../features/links/form/draft.ts'
import { keepDraft } from '../features/links/form/kept-draft.ts'
import { givenDraft, givenLinkSearch } from '../features/links/given-link.ts'
import { linksQuery } from '../features/links/queries.ts'
import { linkSearch, linksSearch } from '../features/links/search.ts'
import { statisticsSearch } from '../features/statistics/search.ts'
import { part } from '../lib/part.ts'
import { NoPages, NoSuchPage, NotFound, PageProblem } from './missing.tsx'
import { queryClient } from './queries.ts'
import { defined, isOn, oneOf, parseSearch, stringifySearch, textOf } from './search-params.ts'
import { enterWorkspace, workspaceOf } from './workspace.tsx'

/** The search parameter of every page: the workspace, if a person has several. */
interface RootSearch {
  w?: string
}

type Search = Record<string, unknown>

const root = createRootRoute({
  component: Outlet,
  validateSearch: ({ w }: Search): RootSearch => (typeof w === 'string' ? { w } : {}),
  search: { middlewares: [retainSearchParams<RootSearch>(['w'])] },
  notFoundComponent: NoSuchPage,
})

/** A page that is loaded on demand. */
function page<Part extends Record<Name, RouteComponent>, Name extends string>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazyRouteComponent(() => part(load), name)
}

/** The parent of all pages that need a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  async beforeLoad({ search, location }) {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (!session.instance.claimed) throw redirect({ href: '/app/claim', reloadDocument: true })
    if (session.user === null) {
      const next = location.href === '/' ? {} : { next: location.href }
      throw redirect({ href: `/app/sign-in${stringifySearch(next)}`, reloadDocument: true })
    }
    const workspace = workspaceOf(session, search.w)
    enterWorkspace(workspace?.id ?? null)
    return { session, workspace }
  },
  component: page(() => import('./shell.tsx'), 'Shell'),
  errorComponent: NoPages,
})

/** A page below the shell, without search parameters of its own. */
function shellPage<
  const Path extends string,
  Part extends Record<Name, RouteComponent>,
  Name extends string,
>(path: Path, load: () => Promise<Part>, name: Name) {
  return createRoute({ getParentRoute: () => shell, path, component: page(load, name) })
}

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad() {
    throw redirect({ to: '/links', replace: true })
  },
})

const links = createRoute({
  getParentRoute: () => shell,
  path: '/links',
  validateSearch: linksSearch,
  // Requested before rendering, which takes as long as a round trip.
  beforeLoad({ search, context: { workspace } }) {
    if (workspace !== null) void queryClient.prefetchQuery(linksQuery(workspace.id, search))
  },
  component: page(() => import('../features/links/list/page.tsx'), 'LinksPage'),
})
/** Opens the form of a new link with the values in the URL. */
const newLink = createRoute({
  getParentRoute: () => shell,
  path: '/links/new',
  validateSearch: givenLinkSearch,
  beforeLoad({ search, context: { session, workspace } }) {
    const given = givenDraft(search)
    if (workspace !== null && Object.keys(given).length > 0) {
      keepDraft(workspace.id, { ...emptyDraft(session.instance.default_domain), ...given })
    }
    throw redirect({ to: '/links', search: { create: true }, replace: true })
  },
})
const link = createRoute({
  getParentRoute: () => shell,
  path: '/links/$id',
  validateSearch: linkSearch,
  component: page(() => import('../features/links/details/page.tsx'), 'LinkPage'),
})
const deletedLinks = shellPage(
  '/links/deleted',
  () => import('../features/links/deleted.tsx'),
  'DeletedLinksPage',
)
const statisticsPages = () => import('../features/statistics/page.tsx')
const linkStatistics = createRoute({
  getParentRoute: () => shell,
  path: '/links/$id/statistics',
  validateSearch: statisticsSearch,
  component: page(statisticsPages, 'LinkStatisticsPage'),
})
const statistics = createRoute({
  getParentRoute: () => shell,
  path: '/statistics',
  validateSearch: statisticsSearch,
  beforeLoad({ search, context: { workspace } }) {
    if (workspace === null) return
    void statisticsPages().then(({ prefetchReport }) => prefetchReport(search, workspace))
  },
  component: page(statisticsPages, 'StatisticsPage'),
})
const shares = shellPage(
  '/statistics/shared',
  () => import('../features/shares/page.tsx'),
  'SharesPage',
)
const tags = createRoute({
  getParentRoute: () => shell,
  path: '/tags',
  validateSearch: ({ tab, search }: Search) =>
    defined({ tab: oneOf(tab, ['folders']), search: textOf(search) }),
  component: page(() => import('../features/groups/page.tsx'), 'TagsPage'),
})
const imports = createRoute({
  getParentRoute: () => shell,
  path: '/import',
  // The shown import.
  validateSearch: ({ job }: Search) => defined({ job: textOf(job) }),
  component: page(() => import('../features/imports/page.tsx'), 'ImportPage'),
})
/** The dialog that creates something is open. */
const createSearch = ({ create }: Search) => defined({ create: isOn(create) })
const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  validateSearch: createSearch,
  component: page(() => import('../features/keys/page.tsx'), 'KeysPage'),
})
const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: createSearch,
  component: page(() => import('../features/webhooks/page.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$id',
  validateSearch: ({ status }: Search) =>
    defined({ status: oneOf(status, ['pending', 'succeeded', 'failed']) }),
  component: page(() => import('../features/webhooks/webhook.tsx'), 'WebhookPage'),
})
const domains = shellPage('/domains', () => import('../features/domains/page.tsx'), 'DomainsPage')
const members = createRoute({
  getParentRoute: () => shell,
  path: '/members',
  validateSearch: createSearch,
  component: page(() => import('../features/members/page.tsx'), 'MembersPage'),
})
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: auditSearch,
  component: page(() => import('../features/audit/page.tsx'), 'AuditPage'),
})
const jobs = shellPage('/jobs', () => import('../features/jobs/page.tsx'), 'JobsPage')
const usage = shellPage('/usage', () => import('../features/usage/page.tsx'), 'UsagePage')
const settings = shellPage(
  '/settings',
  () => import('../features/settings/workspace/page.tsx'),
  'WorkspacePage',
)
const account = shellPage(
  '/account',
  () => import('../features/settings/account/page.tsx'),
  'AccountPage',
)
const instance = createRoute({
  getParentRoute: () => shell,
  path: '/instance',
  validateSearch: ({ search }: Search) => defined({ search: textOf(search) }),
  component: page(() => import('../features/instance/page.tsx'), 'InstancePage'),
})

/** Unknown paths, shown with the navigation. */
const nowhere = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound })

const routeTree = root.addChildren([
  index,
  shell.addChildren([
    links,
    newLink,
    deletedLinks,
    link,
    linkStatistics,
    statistics,
    shares,
    tags,
    imports,
    domains,
    keys,
    webhooks,
    webhook,
    members,
    audit,
    jobs,
    usage,
    settings,
    account,
    instance,
    nowhere,
  ]),
])

/** Every page with its path below `/app`. */
export const router = createRouter({
  routeTree,
  basepath: '/app',
  parseSearch,
  stringifySearch,
  // Parameters dropped by a route's validation aren't visible to its page either.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  defaultErrorComponent: PageProblem,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Focuses the search of the list of links. */
    search?: boolean
  }
  interface Register {
    router: typeof router
  }
}
