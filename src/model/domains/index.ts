export { DEFAULT_DOMAIN, type Domains, listDomains } from './list.ts'
export { DomainConflict, domainsFile, readDomains, storedDomains, syncDomains } from './shared.ts'
