import { pageConfig } from './vite/page.ts'

/** The page of shared statistics. */
export default pageConfig('shared', ['common', 'statistics', 'shares'])
