export { LinksPage } from './page.tsx'
