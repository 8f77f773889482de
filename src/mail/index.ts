export { createMailer, type Deliver, type Mailer } from './mailer.ts'
export { type Letter, type Mail, type MailKind, type Notice, writeMail } from './message.ts'
export { smtp, tryOutSmtp } from './smtp.ts'
