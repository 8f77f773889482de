export { type NewUser, USER_NAME_MAX } from './input.ts'
export { hashPassword, PASSWORD_MAX, PASSWORD_MIN, verifyPassword } from './password.ts'
export { type UserRefusal, UserRefused } from './refused.ts'
export {
  type CheckedUser,
  type CreatedUser,
  createUserService,
  type UserService,
  type UserServiceDeps,
} from './service.ts'
export { hasUsers, holdUser, lockUsers } from './store.ts'
