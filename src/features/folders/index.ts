export { registerFolderRoutes } from './routes.ts'
export { createFolderService, hiddenFoldersOf, restrictedFoldersOf } from './service.ts'
export { findFolder, findIdsOf, idsOfFolder, leaveFolders } from './store.ts'
