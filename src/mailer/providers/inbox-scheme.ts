import type { InboxScheme } from './provider.ts'

/** `inbox://local`: every message is captured by the host of the mailer, and none is sent. */
export const inboxScheme: InboxScheme = { kind: 'inbox', names: ['inbox'], isUserSecret: false }
