export { DEFAULT_DOMAIN, DomainConflict, type Domains, syncDomains } from './domains.ts'
