export {
  createDomainList,
  DEFAULT_DOMAIN,
  type Domains,
  type ListedDomain,
  listDomains,
} from './list.ts'
export { DomainConflict, domainsFile, storedDomains, syncDomains } from './shared.ts'
