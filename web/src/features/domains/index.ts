export { DomainsPage } from './page.tsx'
