export {
  DEFAULT_DOMAIN,
  DomainConflict,
  type Domains,
  domainsFile,
  rememberDomains,
  rememberedDomains,
  syncDomains,
} from './domains.ts'
