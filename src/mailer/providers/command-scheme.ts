import type { CommandScheme } from './provider.ts'

/**
 * `sendmail://default` and `native://default`. A DSN that names the command is a way to run any
 * program, so only the operator may name one, once, for the whole mailer.
 */
export const commandScheme: CommandScheme = {
  kind: 'command',
  names: ['sendmail', 'sendmail+smtp', 'native'],
  isUserSecret: false,
}
