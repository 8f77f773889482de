export {
  assertNotCommon,
  EMAIL_MAX,
  emailField,
  hashPassword,
  nameField,
  PASSWORD_MAX,
  PASSWORD_MIN,
  passwordField,
  trimmed,
  trimmedText,
  USER_NAME_MAX,
  verifyPassword,
} from './input.ts'
export { createUserService, type UserService } from './service.ts'
export { hasUsers, holdUser, lockUsers } from './store.ts'
