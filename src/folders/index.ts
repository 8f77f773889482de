export { hiddenFoldersOf } from './hidden.ts'
export { registerFolderRoutes } from './routes.ts'
export { createFolderService, type FolderService } from './service.ts'
export { findFolder, idsOfFolder, leaveFolders } from './store.ts'
