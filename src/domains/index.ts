export { DEFAULT_DOMAIN, DomainConflict, type Domains, syncDomains } from './domains.ts'
export { domainsFile, rememberDomains, rememberedDomains } from './remembered.ts'
