import { pageConfig } from './vite/page.ts'

/** The pages before the sign-in, the first that anybody loads. */
export default pageConfig('signed-out', ['common', 'auth'])
