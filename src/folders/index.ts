export { registerFolderRoutes } from './routes.ts'
export { createFolderService, type FolderService, hiddenFoldersOf } from './service.ts'
export { findFolder, idsOfFolder, leaveFolders } from './store.ts'
